"""Resolve GPU labels, convert prices to USD, and accept or reject each price.

Every snapshot is normalized once and cached beside its parsed rows, by the names, rules and rates that apply to it.
Comparisons of rows of different snapshots (jumps, conflicts) are flags, set when table `price` is loaded.
"""

import functools
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from pipeline import gpu_identity
from pipeline.errors import BuildError
from pipeline.prices import harmonise
from pipeline.schema.checks import quoted
from pipeline.warehouse import cached_folder, engine
from pipeline.warehouse.parsed_cache import RULE_VERSION, ParsedSnapshot, open_cached
from sources import Source

STRICT_KINDS = ("guide", "specs")
PRICES, REJECTS, LABELS = "price.parquet", "reject.parquet", "gpu_label.parquet"


class PriceRejectedError(BuildError):
    """A committed price that breaks a rule: names the file, the row and the rule."""


@dataclass(frozen=True, slots=True)
class RejectRule:
    """One reason to reject a price: its code, the SQL condition over a priced row, and the reason as SQL text."""

    code: str
    condition: str
    reason: str


_OFFER = """provider, offer_id, instance_type, raw_gpu_name, gpu_context, gpu_count, region, kind, billing, commitment_months,
    tier, os, tenancy, min_gpus, price_raw, amount, currency, price_unit, price_basis, observed_at, effective_from,
    effective_to"""
REJECT_RULES = (
    RejectRule("ZERO_PRICE", "amount = 0", "'a price of zero is no offer'"),
    *(RejectRule(code, f"label_code = '{code}'", "label_reason") for code in ("UNKNOWN_GPU", "AMBIGUOUS_GPU", "NOT_A_GPU")),
    RejectRule(
        "UNKNOWN_COUNT",
        "kind = 'cloud_rental' AND price_basis IN ('per_instance', 'per_node') AND coalesce(gpu_count, gpu_fraction) IS NULL",
        "'the price is that of a machine, and how many cards it has is not known'",
    ),
    RejectRule(
        "RANGE",
        "usd_per_gpu_hour NOT BETWEEN 0.02 AND 200",
        "printf('%.4f USD per GPU-hour is outside 0.02 to 200', usd_per_gpu_hour)",
    ),
    RejectRule(
        "RANGE", "usd_per_gpu NOT BETWEEN 10 AND 500000", "printf('%.2f USD per card is outside 10 to 500000', usd_per_gpu)"
    ),
    RejectRule(
        "DUPLICATE",
        f"rowid NOT IN (SELECT arg_min(rowid, _locator) FROM priced GROUP BY {_OFFER})",
        "'the same offer at the same price stands elsewhere in the file'",
    ),
)


def normalize_prices(source: Source, snapshots: Sequence[ParsedSnapshot], rates: Sequence[Path]) -> list[ParsedSnapshot]:
    """Return the snapshots of a source with their prices normalized; one without prices is returned as it is.

    Each has a folder with accepted prices, rejects and labels, and the row counts after rejection. `rates` are the
    parsed files of table exchange_rate. Raises PriceRejectedError if a price of a guide or a specification is rejected.
    """
    folders = {snapshot: _folder(source, snapshot, rates) for snapshot in snapshots if (snapshot.folder / PRICES).exists()}
    normalized = {snapshot: open_cached(folder) for snapshot, folder in folders.items()}
    for snapshot in [snapshot for snapshot, cached in normalized.items() if cached is None]:
        with engine.connect() as con:
            normalized[snapshot] = _normalize(con, source, snapshot, folders[snapshot], rates)
    return [normalized.get(snapshot) or snapshot for snapshot in snapshots]


def accepted_prices(snapshot: ParsedSnapshot) -> Path | None:
    """Return the file of the prices of a normalized snapshot, or None if it has none."""
    file = snapshot.folder / PRICES
    return file if file.exists() else None


def _folder(source: Source, snapshot: ParsedSnapshot, rates: Sequence[Path]) -> Path:
    """Prices in USD alone do not depend on exchange rates, so that new rates leave them cached."""
    foreign = (pl.col("currency") != "USD").any()
    has_foreign = pl.scan_parquet(snapshot.folder / PRICES).select(foreign).collect().item()
    return snapshot.folder.with_name(f"{snapshot.folder.name}-normalized-{_key(source, rates if has_foreign else ())}")


def _normalize(
    con: duckdb.DuckDBPyConnection, source: Source, snapshot: ParsedSnapshot, folder: Path, rates: Sequence[Path]
) -> ParsedSnapshot:
    file = quoted(str(snapshot.folder / PRICES))
    con.execute(f"CREATE TEMP VIEW parsed AS SELECT *, file_row_number AS _row FROM read_parquet({file})")
    _create_labels(con, source.source_id)
    _create_rates(con, rates)
    _apply_rules(con)
    if source.kind in STRICT_KINDS:
        _refuse_rejects(con)
    ((rejected,),) = con.execute(_ROWS_REJECTED).fetchall()
    counts = {
        "rows_read": snapshot.rows_read,
        "rows_accepted": snapshot.rows_accepted - rejected,
        "rows_rejected": snapshot.rows_rejected + rejected,
    }
    cached_folder.write_folder(folder, counts, lambda scratch: _write_tables(con, snapshot.folder / REJECTS, scratch))
    return ParsedSnapshot(folder, **counts)


def _apply_rules(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"CREATE TEMP TABLE priced AS {harmonise.PRICED}")
    cases = " ".join(f"WHEN {r.condition} THEN {{'code': {quoted(r.code)}, 'reason': {r.reason}}}" for r in REJECT_RULES)
    con.execute(f"""CREATE TEMP TABLE normalized AS
        SELECT * EXCLUDE verdict, verdict.code, verdict.reason FROM (SELECT *, CASE {cases} END AS verdict FROM priced)""")


_resolve = functools.lru_cache(maxsize=100_000)(gpu_identity.resolve)  # the files of a source name the same GPUs


def _create_labels(con: duckdb.DuckDBPyConnection, scope: str) -> None:
    """Create table `label`: each distinct GPU label of the file, with the GPU or the reason why there is none."""
    labels = con.execute("""SELECT DISTINCT raw_gpu_name, coalesce(gpu_context, ''), reported_memory_gb
        FROM parsed WHERE raw_gpu_name IS NOT NULL ORDER BY ALL""").fetchall()
    con.execute("""CREATE TEMP TABLE label(raw_gpu_name VARCHAR, context VARCHAR, memory_gb DOUBLE, scope VARCHAR,
        card VARCHAR, label_count DOUBLE, label_fraction DOUBLE, label_partition VARCHAR, label_rule VARCHAR, label_code VARCHAR,
        label_reason VARCHAR)""")
    answers = [((*label, scope), _resolve(*label, scope)) for label in labels]
    rows = [(*label, r.gpu_id, r.gpu_count, r.fraction, r.partition, r.rule, r.reason_code, r.reason) for label, r in answers]
    if rows:
        con.execute(f"INSERT INTO label SELECT {', '.join(['unnest(?)'] * 11)}", list(zip(*rows, strict=True)))


def _create_rates(con: duckdb.DuckDBPyConnection, rates: Sequence[Path]) -> None:
    """Create table `rate`: USD per unit of a currency, by date. A currency or date that the source lacks has no row."""
    con.execute("CREATE TEMP TABLE rate(currency VARCHAR, rate_date DATE, usd DOUBLE)")
    if rates:
        con.execute(
            """INSERT INTO rate
               WITH euro AS (SELECT date, currency, any_value(units_per_eur) AS per_euro FROM read_parquet(?) GROUP BY ALL),
               dollar AS (SELECT date, per_euro AS usd FROM euro WHERE currency = 'USD')
               SELECT currency, date, usd / per_euro FROM euro JOIN dollar USING (date)
               UNION ALL SELECT 'EUR', date, usd FROM dollar""",
            [[str(path) for path in rates]],
        )


def _refuse_rejects(con: duckdb.DuckDBPyConnection) -> None:
    """Raise PriceRejectedError for the first rejected price: guides and specifications are committed by hand."""
    rejects = con.execute("""SELECT _path, _locator, raw_gpu_name, reason FROM normalized
        WHERE code IS NOT NULL ORDER BY ALL LIMIT 1""").fetchall()
    for path, locator, label, reason in rejects:
        hint = "correct the row, or add the GPU to data/names/, then run `gpuledger seal` on the file"
        raise PriceRejectedError(f"{path} {locator}: {label}: {reason}; {hint}")


def _write_tables(con: duckdb.DuckDBPyConnection, parser_rejects: Path, folder: Path) -> None:
    """Write accepted prices, rejects (those of the parser included) and labels as Parquet files."""
    earlier = f" UNION ALL BY NAME FROM read_parquet({quoted(str(parser_rejects))})" if parser_rejects.exists() else ""
    for name, rows in ((PRICES, _ACCEPTED), (REJECTS, f"({_REJECTED}){earlier}"), (LABELS, _LABELS)):
        con.execute(f"COPY ({rows}) TO {quoted(str(folder / name))}")


_ACCEPTED = "SELECT * EXCLUDE (code, reason, _row) FROM normalized WHERE code IS NULL ORDER BY _row"
_REJECTED = f"""SELECT _snapshot_id AS snapshot_id, _locator AS locator, code AS reason_code, reason,
    {RULE_VERSION}::BIGINT AS rule_version,
    concat_ws(' | ', provider, instance_type, raw_gpu_name, gpu_context, billing, price_raw, currency, price_unit) AS record,
    _source_id, _snapshot_id, _path, _locator FROM normalized WHERE code IS NOT NULL ORDER BY _row"""
_LABELS = """SELECT md5(concat_ws('|', scope, raw_gpu_name, context, coalesce(memory_gb::VARCHAR, ''))) AS label_id, raw_gpu_name,
    nullif(context, '') AS gpu_context, memory_gb AS reported_memory_gb, card AS gpu_id, label_count::BIGINT AS gpu_count,
    label_fraction AS gpu_fraction, label_partition AS partition, label_rule AS rule, label_code AS reason_code,
    label_reason AS reason,
    scope AS _source_id, '' AS _snapshot_id, '' AS _path, '' AS _locator FROM label"""
# rows of the file whose every price was rejected: one row may have several prices
_ROWS_REJECTED = """SELECT count(*) FROM (
    SELECT split_part(_locator, ',', 1) FROM normalized GROUP BY ALL HAVING count(*) FILTER (code IS NULL) = 0)"""


def _key(source: Source, rates: Sequence[Path]) -> str:
    """Hash of everything besides the parsed rows that decides the result: rules, names and rates."""
    labels = gpu_identity.NAMES / f"{source.source_id}.csv"
    parts = [
        repr((REJECT_RULES, RULE_VERSION)),
        harmonise.PRICED,
        _names_hash(gpu_identity.NAMES / "rules"),
        labels.read_text() if labels.exists() else "",
        *(file.parent.name for file in rates),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


@functools.cache
def _names_hash(rules: Path) -> str:
    texts = [path.read_text() for path in sorted((*rules.glob("*.csv"), *Path(gpu_identity.__file__).parent.glob("*.py")))]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
