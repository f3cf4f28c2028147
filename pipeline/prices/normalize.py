"""Resolve GPU labels, convert prices to USD, and accept or reject each price.

Every snapshot is normalized once and cached beside its parsed rows, by the names, rules and rates that apply to it.
The rules are SQL files in this folder: `priced.sql` computes USD, `reject_rules.sql` rejects. Comparisons of rows of
different snapshots are flags, set by `price_table.sql` when table `price` is loaded.
"""

import functools
import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import duckdb
import polars as pl

from pipeline.errors import BuildError
from pipeline.files import hash_file
from pipeline.gpu_identity import NAMES, SPECS
from pipeline.gpu_identity.models import load_variants
from pipeline.gpu_identity.rules import read_rows
from pipeline.paths import MACROS, ROOT
from pipeline.prices.queries import FOLDER, query
from pipeline.schema.checks import quoted
from pipeline.warehouse import cached_folder, connection, sql_models
from pipeline.warehouse.build_records import code_version, version_of
from pipeline.warehouse.code_files import imported_files
from pipeline.warehouse.gpu_labels import create_labels
from pipeline.warehouse.parsed_cache import ParsedSnapshot, open_cached
from sources import Source

STRICT_KINDS = ("guide", "specs")
PRICES, REJECTS, LABELS = "price.parquet", "reject.parquet", "gpu_label.parquet"
ACCEPTED = "SELECT * EXCLUDE (code, reason, _row) FROM normalized WHERE code IS NULL ORDER BY _row"
REFERENCES = {
    "exchange_rate": "date DATE, currency VARCHAR, units_per_eur DOUBLE",
    "instance_catalog": """vendor VARCHAR, instance_type VARCHAR, accelerator VARCHAR, accelerator_count DOUBLE,
        vcpus DOUBLE, memory_gib DOUBLE, partition VARCHAR""",
    "provider_fact": "raw_provider VARCHAR, attribute VARCHAR, value VARCHAR, unverified BOOLEAN",
}
"""Tables of other sources that prices are normalized with, and the columns that are read."""
References = Mapping[str, Sequence[Path]]
CALLED = ("machine_key", "gb_per_gib")
"""Macros of the tables that the rules call too."""


class PriceRejectedError(BuildError):
    """A committed price that breaks a rule: names the file, the row and the rule."""


def normalize_prices(source: Source, snapshots: Sequence[ParsedSnapshot], references: References) -> list[ParsedSnapshot]:
    """Return the snapshots of a source with their prices normalized; one without prices is returned as it is.

    Each has a folder with accepted prices, rejects and labels, and the row counts after rejection. `references` are the
    parsed files of the tables in REFERENCES. Raises PriceRejectedError if a price of a guide or a specification is rejected.
    """
    folders = {snapshot: _folder(source, snapshot, references) for snapshot in snapshots if accepted_prices(snapshot)}
    normalized = {snapshot: open_cached(folder) for snapshot, folder in folders.items()}
    new = [snapshot for snapshot, cached in normalized.items() if cached is None]
    if new:
        with connection.connect_in_memory() as con, connection.all_threads(con):
            create_inputs(con, references)
            normalized |= {snapshot: _normalize(con, source, snapshot, folders[snapshot]) for snapshot in new}
    return [normalized.get(snapshot) or snapshot for snapshot in snapshots]


def accepted_prices(snapshot: ParsedSnapshot) -> Path | None:
    """Return the file of the prices of a snapshot, or None if it has none."""
    file = snapshot.folder / PRICES
    return file if file.exists() else None


def create_inputs(con: duckdb.DuckDBPyConnection, references: References) -> None:
    """Create what the snapshots share: functions, names of providers, days of release, exchange rates, facts about machines."""
    con.execute(query("constants"))
    for name in CALLED:
        con.execute(sql_models.macros()[name].ddl())
    rows = read_rows(NAMES / "rules" / "providers.csv", "alias", "provider")
    _create_table(con, "provider_alias", ("alias", "provider"), ((row["alias"], row["provider"]) for _, row in rows))
    released = ((gpu_id, one.released_on) for gpu_id, one in load_variants().items())
    _create_table(con, "gpu_release", ("gpu_id", "released_on"), released)
    for table, columns in REFERENCES.items():
        con.execute(f"CREATE TEMP TABLE {table}({columns})")
        names = ", ".join(column.split()[0] for column in columns.split(","))
        if files := references.get(table):
            con.execute(f"INSERT INTO {table} SELECT {names} FROM read_parquet(?)", [list(map(str, files))])
    for view in ("usd_rate", "machine", "provider_host", "marketplace", "retired_machine"):
        con.execute(f"CREATE TEMP TABLE {view} AS {query(view)}")


def _create_table(con: duckdb.DuckDBPyConnection, name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    values = ", ".join(f"unnest(?) AS {column}" for column in columns)
    con.execute(f"CREATE TEMP TABLE {name} AS SELECT {values}", list(map(list, zip(*rows, strict=True))))


def _normalize(con: duckdb.DuckDBPyConnection, source: Source, snapshot: ParsedSnapshot, folder: Path) -> ParsedSnapshot:
    prices = quoted(str(snapshot.folder / PRICES))
    con.execute(f"CREATE OR REPLACE TEMP VIEW parsed AS SELECT *, file_row_number AS _row FROM read_parquet({prices})")
    create_labels(con)
    con.execute(f"CREATE OR REPLACE TEMP TABLE normalized AS WITH priced AS ({query('priced')}) FROM ({query('reject_rules')})")
    if source.kind in STRICT_KINDS:
        _refuse_rejects(con)
    ((rejected,),) = con.execute(query("rejected_rows")).fetchall()
    counts = {
        "rows_read": snapshot.rows_read,
        "rows_accepted": snapshot.rows_accepted - rejected,
        "rows_rejected": snapshot.rows_rejected + rejected,
    }
    with cached_folder.written(folder, counts) as scratch:
        for name, rows in ((PRICES, ACCEPTED), (REJECTS, _rejects(snapshot)), (LABELS, query("snapshot_label"))):
            con.execute(f"COPY ({rows}) TO {quoted(str(scratch / name))}")
    return ParsedSnapshot(folder, **counts)


def _refuse_rejects(con: duckdb.DuckDBPyConnection) -> None:
    """Raise PriceRejectedError for the first price of a committed file that is rejected or leaves its variant open."""
    rejects = con.execute("""SELECT _path, _locator, raw_gpu_name, coalesce(reason, label_reason) FROM normalized
        WHERE code IS NOT NULL OR candidates IS NOT NULL ORDER BY ALL LIMIT 1""").fetchall()
    for path, locator, label, reason in rejects:
        hint = f"add the GPU to data/names/ and seal that file, or correct the row and run `gpuledger seal {path}`"
        raise PriceRejectedError(f"{path} {locator}: {label}: {reason}; {hint}")


def _rejects(snapshot: ParsedSnapshot) -> str:
    """Return the query of the rejects, those of the parser included."""
    earlier = snapshot.folder / REJECTS
    of_parser = f" UNION ALL BY NAME FROM read_parquet({quoted(str(earlier))})" if earlier.exists() else ""
    return f"({query('rejected_price')}){of_parser}"


def _folder(source: Source, snapshot: ParsedSnapshot, references: References) -> Path:
    """Return the cache folder. Prices in USD alone do not depend on exchange rates, so that new rates leave them cached."""
    foreign = (pl.col("currency") != "USD").any()
    has_foreign = pl.scan_parquet(snapshot.folder / PRICES).select(foreign).collect().item()
    used = [file for table in REFERENCES if has_foreign or table != "exchange_rate" for file in references.get(table, ())]
    return snapshot.folder.with_name(f"{snapshot.folder.name}-normalized-{_key(source, used)}")


def _key(source: Source, references: Sequence[Path]) -> str:
    """Hash of everything besides the parsed rows that decides the result: names, rules, code and rows of other sources."""
    labels = NAMES / f"{source.source_id}.csv"
    parts = [
        _code_hash(NAMES / "rules"),
        labels.read_text() if labels.exists() else "",
        *(file.parent.name for file in references),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


@functools.cache
def code() -> str:
    """Return the version of the code that decides what is made of parsed prices."""
    modules = imported_files(str(FOLDER.relative_to(ROOT)))
    macros = (MACROS / f"{name}.sql" for name in CALLED)
    return code_version(*modules, *(str(file.relative_to(ROOT)) for file in (FOLDER, *macros)))


@functools.cache
def _code_hash(rules: Path) -> str:
    """Hash of the naming rules, the specifications and the code."""
    files = [SPECS, *sorted(rules.glob("*.csv"))]
    return version_of(code(), *map(hash_file, files))
