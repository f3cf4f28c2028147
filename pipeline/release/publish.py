"""Publication: a fresh database file, verified, and the atomic swap of a release.

A release is a folder with everything of one build. `current` links to the newest one. The names that users
open (`gpuledger.duckdb`, `parquet`, `site`, ...) are links through it, so that one atomic replacement publishes all of
them together. No file of a release is ever opened for writing.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb

from pipeline.errors import BuildError
from pipeline.files import sync_folder
from pipeline.release import aliases, cards, dictionary, release_diff, release_tables
from pipeline.schema import Table
from pipeline.schema.checks import checks, quoted
from pipeline.tables import load
from pipeline.warehouse import connection
from pipeline.warehouse.violations import find_violations

DATABASE = "gpuledger.duckdb"
DIFFERENCES = "release_diff.json"
EXPECTATIONS = "expectations.csv"
TERMS = ("CITATION.cff", "DATA-LICENSE.md")
_DESCRIPTIONS = ("datapackage.json", "croissant.json", DIFFERENCES, *TERMS, *cards.FILES, "SHA256SUMS")
DATA_NAMES = (DATABASE, "parquet", "csv", "snapshots", *_DESCRIPTIONS)
SITE_NAMES = ("site",)
KEPT_RELEASES = 3
_DEFINITIONS = (
    "SELECT table_name, sql, comment FROM duckdb_tables() WHERE database_name = 'ledger'",
    "SELECT view_name, sql, comment FROM duckdb_views() WHERE database_name = 'ledger'",
    "SELECT table_name, column_name, comment FROM duckdb_columns() WHERE database_name = 'ledger'",
    "SELECT function_name, parameters, macro_definition, comment FROM duckdb_functions() WHERE database_name = 'ledger'",
)
Declared = dict[str, tuple[Table, tuple[str, ...]]]  # each table with its further conditions


class CheckFailedError(BuildError):
    """A blocking check failed: one line for each row that breaks it."""


def write_database(con: duckdb.DuckDBPyConnection, target: Path, previous: Path) -> Declared:
    """Write the published tables of the working database into a fresh file. Returns their declarations, for `verified`.

    `con` is a connection to the working database, `previous` the file of the last release, with which this one is compared.
    """
    target.unlink(missing_ok=True)
    target.parent.mkdir(parents=True, exist_ok=True)
    tables = {n: t for n, t in load.declared(con).items() if t[0].published}
    con.execute(f"ATTACH {quoted(str(target))} AS published ({connection.FILE_OPTIONS})")
    try:
        # without a transaction, each of a thousand statements waits for the disk
        with release_diff.attached(con, previous) as has_previous, connection.transaction(con):
            _fill(con, tables, has_previous=has_previous)
        own = release_tables.TABLES | dictionary.TABLES
        tables = dict(sorted((tables | {name: (table, ()) for name, table in own.items()}).items()))
        con.execute("CHECKPOINT published")
    finally:
        con.execute("USE ledger")
        con.execute("DETACH published")
    return tables


def _fill(con: duckdb.DuckDBPyConnection, tables: Declared, *, has_previous: bool) -> None:
    """Copy the tables of `ledger` into `published`, with differences from `previous`, functions and comments."""
    for name, (table, _) in tables.items():
        con.execute(load.ddl(table, "published"))
        con.execute(f"INSERT INTO published.{name} SELECT * FROM ledger.{name} ORDER BY ALL")
    release_diff.fill(con, {name: table for name, (table, _) in tables.items()}, has_previous=has_previous)
    con.execute("USE published")
    connection.define_macros(con, tables=True)
    declared = [*(table for table, _ in tables.values()), *release_tables.TABLES.values()]
    dictionary.fill(con, declared)
    con.execute("; ".join(line for table in (*declared, *dictionary.TABLES.values()) for line in load.comments(table)))
    for statement in (line for table in declared for line in aliases.statements(table)):
        con.execute(statement)
    con.execute("USE ledger")


def verified(target: Path, tables: Declared) -> dict[str, tuple[Table, int]]:
    """Run every check again on the finished file. Returns each table's declaration and row count."""
    refuse_wal(target)
    counted: dict[str, tuple[Table, int]] = {}
    with connection.connect(target, read_only=True) as con:
        for name, (table, conditions) in tables.items():
            violations = find_violations(con, table, checks(table, conditions))
            lines = [line for found in violations.values() for line in found]
            if lines:
                raise CheckFailedError(f"{name}: {lines[0]}" + (f" (and {len(lines) - 1} more)" if lines[1:] else ""))
            # the hash reads every column, so that DuckDB compares each block of the file with its checksum
            ((rows, _hash),) = con.execute(f"SELECT count(*), bit_xor(hash({name})) FROM {name}").fetchall()
            counted[name] = (table, rows)
    return counted


def refuse_wal(target: Path) -> None:
    """Raise CheckFailedError if the file has a write-ahead log, which readers would need too."""
    wal = target.with_name(target.name + ".wal")
    if wal.exists():
        raise CheckFailedError(f"{wal} exists: the file was not closed cleanly; delete data/build and run `gpuledger build`")


def checksums(database: Path) -> dict[str, tuple[int, int]]:
    """Return row count and order-free checksum of every table of a published file."""
    with connection.connect(database, read_only=True) as con:
        return dict(_checksums(con))


def _checksums(con: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, tuple[int, int]]]:
    names = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'ledger' ORDER BY ALL"
    for (name,) in con.execute(names).fetchall():
        yield name, con.execute(f"SELECT count(*), coalesce(bit_xor(hash({name})), 0) FROM {name}").fetchall()[0]


def keep_unchanged(fresh: Path, last: Path) -> None:
    """Put a link to the last release's file in place of a fresh one with equal rows, definitions and comments.

    DuckDB writes other bytes each time.
    """
    try:
        is_same = last.exists() and all(one == other for one, other in zip(_content(last), _content(fresh), strict=True))
    except duckdb.Error:  # the last file is damaged or of a version that this one does not read
        return
    if is_same:
        fresh.unlink()
        os.link(last, fresh)


def _content(database: Path) -> Iterator[object]:
    """Yield what equal files share, one thing at a time: a comparison ends at the first that differs."""
    with connection.connect(database, read_only=True) as con:
        yield [sorted(map(repr, con.execute(sql).fetchall())) for sql in _DEFINITIONS]
        yield from _checksums(con)


def assemble_release(data: Path, site: Path, release: Path) -> None:
    """Link the staged data files and, where there is one, the staged site into the empty folder of a release."""
    shutil.copytree(data, release, copy_function=os.link, dirs_exist_ok=True)
    if site.exists():
        shutil.copytree(site, release / "site", copy_function=os.link)


def publish(release: Path, out: Path) -> Path:
    """Make the finished release the current one, atomically, and delete all but the last few.

    Returns the release's folder. An interruption at any point leaves the last publication whole.
    """
    refuse_wal(release / DATABASE)
    _sync(release)
    releases = out / "releases"
    releases.mkdir(parents=True, exist_ok=True)
    newest = max((int(path.name) for path in releases.iterdir() if path.name.isdigit()), default=0)
    target = releases / f"{newest + 1:06d}"
    release.rename(target)
    for name in (name for name in (*DATA_NAMES, *SITE_NAMES) if (target / name).exists()):
        _link(out / name, Path("current") / name)  # before `current`, so that its replacement shows all names at once
    _link(out / "current", Path("releases") / target.name)
    sync_folder(out)
    for old in sorted(releases.iterdir())[:-KEPT_RELEASES]:
        shutil.rmtree(old, ignore_errors=True)
    return target


def _link(link: Path, target: Path) -> None:
    """Point a link to its target in one atomic step."""
    if link.is_symlink() and link.readlink() == target:
        return
    scratch = link.with_name(f".{link.name}.new")
    scratch.unlink(missing_ok=True)
    scratch.symlink_to(target)
    os.replace(scratch, link)


def _sync(folder: Path) -> None:
    for path in (*folder.rglob("*"), folder):
        if path.is_dir():
            sync_folder(path)
        else:
            with path.open("rb") as file:
                os.fsync(file.fileno())
