"""Differences of a release: its tables compared by key with those of the last published release.

The comparison is part of writing the database file, because its result is in that file. The last release is therefore an input of
the file, beside snapshots and code. A build of the same data is no new release: it keeps identity, history and differences.
"""

import datetime as dt
import hashlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

from pipeline.release.release_tables import TABLES
from pipeline.schema import Table
from pipeline.schema.checks import quoted
from pipeline.tables import load
from pipeline.warehouse.connection import dictionaries

RELEASES_COMPARED = 30  # releases whose differences by table are kept
_EQUAL = 1e-9  # relative difference of floating-point results that other processors may give
_COLUMNS = "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE database_name = ? AND NOT internal ORDER BY ALL"
_DATA_TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = ?"
_MOVES = """
    INSERT INTO published.release_price_move BY NAME
    SELECT ? AS release_id, move.* EXCLUDE (valid_to, listed, rank), before.seen_before
    FROM published.price_move AS move
    JOIN (
        SELECT offer_key, valid_from, lag(valid_to) OVER (PARTITION BY offer_key ORDER BY valid_from) AS seen_before
        FROM published.price_change
    ) AS before USING (offer_key, valid_from)
    JOIN (SELECT offer_key, max(valid_to) AS last_day FROM previous.price_change GROUP BY offer_key) AS last USING (offer_key)
    WHERE move.listed AND move.valid_from > last.last_day
"""
_HISTORY = """
    INSERT INTO published.release_history
    SELECT $release_id, $number, as_of, $previous_id, $previous_as_of, differences.*, moves.*, $gpu, $gpu_model, $llm_model
    FROM published.release, (
        SELECT count(*), coalesce(sum(rows_added), 0), coalesce(sum(rows_removed), 0), coalesce(sum(rows_changed), 0)
        FROM published.release_diff WHERE release_id = $release_id
    ) AS differences, (
        SELECT count(*) FILTER (change > 0), count(*) FILTER (change < 0) FROM published.release_price_move
    ) AS moves
"""
_SUBJECTS = {"gpu": "gpu_id", "gpu_model": "gpu_model_id", "llm_model": "llm_model_id"}
Types = Mapping[str, Mapping[str, str]]  # type of each column by table
Counts = tuple[int | None, int | None, int, int, int]  # rows before and after; added, removed and changed
Difference = tuple[str, int | None, int | None, int, int, int, str | None, str | None]
Connection = duckdb.DuckDBPyConnection


class ReleaseName(NamedTuple):
    """A release as the next one refers to it."""

    release_id: str
    number: int
    as_of: dt.date


@contextmanager
def attached(con: Connection, previous: Path) -> Iterator[bool]:
    """Attach the last release as `previous`; yield False where there is none or it cannot be read."""
    if not (previous.exists() and _attach(con, previous)):
        yield False
        return
    try:
        yield True
    finally:
        con.execute("DETACH previous")


def _attach(con: Connection, previous: Path) -> bool:
    try:
        con.execute(f"ATTACH {quoted(str(previous.resolve()))} AS previous (READ_ONLY)")
    except duckdb.IOException:
        return False
    return True


def fill(con: Connection, tables: Mapping[str, Table], *, has_previous: bool) -> None:
    """Fill the tables of releases in `published`, whose other `tables` are complete, by comparison with `previous`."""
    for table in TABLES.values():
        con.execute(load.ddl(table, "published"))
    differences = list(compare(con, tables)) if has_previous else []
    if has_previous:
        _copy_history(con, same=not differences)
    if differences:
        _insert_release(con, tables, _last_release(con) or _unlisted_release(con, tables), differences)
    elif not (has_previous and _last_release(con)):
        _insert_release(con, tables, None, [])


def compare(con: Connection, tables: Mapping[str, Table]) -> Iterator[Difference]:
    """Yield name, row counts and columns of each table that differs between `previous` and `published`."""
    before, after = _types(con, "previous"), _types(con, "published")
    names = {name for (name,) in con.execute(_DATA_TABLES, ["previous"]).fetchall()} - TABLES.keys()
    dictionary = {name for name in names if name.endswith("_dictionary")}
    for name in sorted((names - dictionary) | tables.keys()):
        old, new = before.get(name, {}), after.get(name, {})
        counts = _compare_rows(con, tables[name], old, new) if old and new else _count_all(con, name, old, new)
        columns = _joined(new.keys() - old.keys() if old else ()), _joined(old.keys() - new.keys() if new else ())
        if old.keys() != new.keys() or any(counts[2:]):
            yield (name, *counts, *columns)


def _types(con: Connection, database: str) -> Types:
    types: dict[str, dict[str, str]] = {}
    for table, column, sql_type in con.execute(_COLUMNS, [database]).fetchall():
        types.setdefault(table, {})[column] = sql_type
    return types


def _compare_rows(con: Connection, table: Table, old: Mapping[str, str], new: Mapping[str, str]) -> Counts:
    """Return rows before and after, and rows added, removed and changed. Without its key in both, every row is another one."""
    if not set(table.key) <= old.keys():
        return _count_all(con, table.name, old, new)
    shared = [name for name in new if name in old and name not in table.key]
    differs = " OR ".join(_differs(name, old[name], new[name]) for name in shared) or "false"
    same_key = " AND ".join(f"before.{name} IS NOT DISTINCT FROM after.{name}" for name in table.key)
    return con.execute(f"""
        SELECT
            count(was), count("is"), count(*) FILTER (was IS NULL), count(*) FILTER ("is" IS NULL),
            count(*) FILTER (was AND "is" AND ({differs}))
        FROM (SELECT true AS was, * FROM previous.{table.name}) AS before
        FULL JOIN (SELECT true AS "is", * FROM published.{table.name}) AS after ON {same_key}
    """).fetchall()[0]


def _differs(column: str, old: str, new: str) -> str:
    before, after = (f'{side}."{column}"' + ("" if old == new else "::VARCHAR") for side in ("before", "after"))
    if old == new == "DOUBLE":
        near = f"abs({before} - {after}) <= {_EQUAL} * greatest(abs({before}), abs({after}))"
        return f"({before} IS DISTINCT FROM {after} AND NOT coalesce({near}, false))"
    return f"{before} IS DISTINCT FROM {after}"


def _count_all(con: Connection, name: str, old: Mapping[str, str], new: Mapping[str, str]) -> Counts:
    """Return the counts of a table of which no row stays: it is in one release alone, or its key is."""
    before, after = (
        con.execute(f"SELECT count(*) FROM {database}.{name}").fetchall()[0][0] if columns else None
        for database, columns in (("previous", old), ("published", new))
    )
    return before, after, after or 0, before or 0, 0


def _joined(names: Collection[str]) -> str | None:
    return ",".join(sorted(names)) or None


def _copy_history(con: Connection, *, same: bool) -> None:
    """Take over the releases before this one and their differences; of the same data the price moves, too."""
    known = _types(con, "previous")
    recent = f"SELECT release_id FROM previous.release_history ORDER BY number DESC LIMIT {RELEASES_COMPARED}"
    kept = {"release_history": "", "release_diff": f"WHERE release_id IN ({recent})"}
    kept |= {"release_price_move": ""} if same else {}
    for name, where in kept.items():
        columns = ", ".join(column for column in TABLES[name].column_names if column in known.get(name, {}))
        if columns:
            con.execute(f"INSERT INTO published.{name} BY NAME SELECT {columns} FROM previous.{name} {where}")


def _last_release(con: Connection) -> ReleaseName | None:
    """Return the newest release that `previous` lists."""
    if "release_history" not in _types(con, "previous"):
        return None
    sql = "SELECT release_id, number, as_of FROM previous.release_history ORDER BY number DESC LIMIT 1"
    return next((ReleaseName(*row) for row in con.execute(sql).fetchall()), None)


def _unlisted_release(con: Connection, tables: Mapping[str, Table]) -> ReleaseName | None:
    """Return the name of a release without a list of releases, from its data; None if it has no date."""
    names = [name for name in tables if name in _types(con, "previous")]
    if "release" not in names:
        return None
    ((as_of,),) = con.execute("SELECT as_of FROM previous.release").fetchall()
    return ReleaseName(_identity(con, "previous", names, ""), 1, as_of)


def _insert_release(
    con: Connection, tables: Mapping[str, Table], previous: ReleaseName | None, differences: Sequence[Difference]
) -> None:
    release_id = _identity(con, "published", list(tables), previous.release_id if previous else "")
    if differences:
        con.executemany(f"INSERT INTO published.release_diff VALUES ({quoted(release_id)}, {', '.join('?' * 8)})", differences)
    if previous and {"offer_key", "valid_to"} <= _types(con, "previous").get("price_change", {}).keys():
        con.execute(_MOVES, [release_id])
    new = {table: _new_names(con, table, key) if previous else None for table, key in _SUBJECTS.items()}
    before = {"previous_id": previous and previous.release_id, "previous_as_of": previous and previous.as_of}
    number = previous.number + 1 if previous else 1
    con.execute(_HISTORY, {"release_id": release_id, "number": number, **before, **new})


def _new_names(con: Connection, table: str, key: str) -> str | None:
    if key not in _types(con, "previous").get(table, {}):
        return None
    sql = f"SELECT {key} FROM published.{table} EXCEPT SELECT {key} FROM previous.{table}"
    return _joined([name for (name,) in con.execute(sql).fetchall()])


def _identity(con: Connection, database: str, names: Sequence[str], previous_id: str) -> str:
    """Return the hash of the rows of all tables, in any order, and of the identity of the release before."""
    digest = hashlib.sha256(previous_id.encode())
    for name in sorted(names):
        rows = con.execute(f"SELECT count(*), bit_xor(md5_number(t::VARCHAR)) FROM {database}.{name} AS t").fetchall()[0]
        digest.update(f"{name} {rows}\n".encode())
    return digest.hexdigest()


def document(con: Connection) -> dict[str, Any]:
    """Return the newest release of a published file with its differences and the moves of prices, for release_diff.json."""
    (release,) = dictionaries(con.execute("SELECT * FROM release_history ORDER BY number DESC LIMIT 1"))
    new = {
        name: (release[name] or "").split(",") if release[name] else []
        for name in ("new_gpus", "new_gpu_models", "new_llm_models")
    }
    tables = "SELECT * EXCLUDE (release_id) FROM release_diff WHERE release_id = ? ORDER BY table_name"
    moves = "SELECT * EXCLUDE (release_id) FROM release_price_move ORDER BY valid_from DESC, abs(ln(1 + change)) DESC, offer_key"
    changed = dictionaries(con.execute(tables, [release["release_id"]]))
    return release | new | {"tables": changed, "price_moves": dictionaries(con.execute(moves))}
