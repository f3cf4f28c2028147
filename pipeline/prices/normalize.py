"""From parsed prices to judged ones: what card a label means, what it costs in USD, and whether the row is kept.

Each snapshot is judged once and cached beside its parsed rows, by the names and rates that it was judged with.
What compares rows of different snapshots (jumps, conflicts) is a flag, set when table `price` is loaded.
"""

import functools
import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb

from pipeline import gpu_identity
from pipeline.errors import BuildError
from pipeline.prices import harmonise
from pipeline.schema.checks import quoted
from pipeline.warehouse import engine
from pipeline.warehouse.parsed_cache import COUNTS, RULE_VERSION, Parsed
from sources import Source

STRICT_KINDS = ("guide", "specs")
PRICES = "price.parquet"
ROWS_TOGETHER = 20_000  # of their files: enough for few statements to be planned, too few for one to take much memory


class JudgeError(BuildError):
    """A committed price that breaks a rule: says which file, which row and which rule."""


@dataclass(frozen=True, slots=True)
class Rule:
    """Why a price is not kept: a code of the contract, the SQL condition over a priced row, the reason as SQL text."""

    code: str
    condition: str
    reason: str


_OFFER = """provider, offer_id, instance_type, raw_gpu_name, gpu_context, gpu_count, region, kind, billing, commitment_months,
    tier, os, tenancy, min_gpus, price_raw, amount, currency, price_unit, price_basis, observed_at, effective_from,
    effective_to"""
RULES = (
    Rule("ZERO_PRICE", "amount = 0", "'a price of zero is no offer'"),
    *(Rule(code, f"label_code = '{code}'", "label_reason") for code in ("UNKNOWN_GPU", "AMBIGUOUS_GPU", "NOT_A_GPU")),
    Rule(
        "UNKNOWN_COUNT",
        "kind = 'cloud_rental' AND price_basis IN ('per_instance', 'per_node') AND coalesce(gpu_count, gpu_fraction) IS NULL",
        "'the price is that of a machine, and how many cards it has is not known'",
    ),
    Rule(
        "RANGE",
        "usd_per_gpu_hour NOT BETWEEN 0.02 AND 200",
        "printf('%.4f USD per GPU-hour is outside 0.02 to 200', usd_per_gpu_hour)",
    ),
    Rule("RANGE", "usd_per_gpu NOT BETWEEN 10 AND 500000", "printf('%.2f USD per card is outside 10 to 500000', usd_per_gpu)"),
    Rule(
        "DUPLICATE",
        f"rowid NOT IN (SELECT arg_min(rowid, _locator) FROM priced GROUP BY _file, {_OFFER})",
        "'the same offer at the same price stands elsewhere in the file'",
    ),
)


def judge(source: Source, parsed: Parsed, rates: Sequence[Path]) -> Parsed:
    """The judged prices of one parsed snapshot: the folder with accepted rows, rejects and labels, and the counts after judging.

    `rates` are the lake's files of table exchange_rate. A snapshot without prices comes back as it is.
    Raises JudgeError where a price of a guide or a specification is rejected: those are committed data.
    """
    if not (parsed.folder / PRICES).exists():
        return parsed
    judge_together([(source, parsed)], rates)
    folder = _known(source, parsed, rates)[0]
    return Parsed(folder, **json.loads((folder / COUNTS).read_text()))


def judge_together(files: Sequence[tuple[Source, Parsed]], rates: Sequence[Path]) -> None:
    """Judge the parsed snapshots that were not yet, so that `judge` finds them: small ones by the same statements.

    Raises JudgeError as `judge` does, when what stands beside the rejected price is judged.
    """
    new = [(source, parsed) for source, parsed in files if (parsed.folder / PRICES).exists()]
    for group in _groups([one for one in new if not _known(*one, rates)]):
        with engine.connect() as con:
            _judge_group(con, group, rates)


def _groups(files: list[tuple[Source, Parsed]]) -> Iterator[list[tuple[Source, Parsed]]]:
    """Neighbours that have few rows together; a file with more is a group of its own."""
    group, size = list[tuple[Source, Parsed]](), 0
    for source, parsed in files:
        if group and size + parsed.rows_accepted > ROWS_TOGETHER:
            yield group
            group, size = [], 0
        group.append((source, parsed))
        size += parsed.rows_accepted
    if group:
        yield group


def _known(source: Source, parsed: Parsed, rates: Sequence[Path]) -> list[Path]:
    """Where the judged rows lie, if anywhere. Prices that are all in USD rest on no rates: new ones leave them as they are."""
    return [folder for needed in ((), tuple(rates)) if ((folder := _folder(source, parsed, needed)) / COUNTS).exists()]


def _folder(source: Source, parsed: Parsed, rates: tuple[Path, ...]) -> Path:
    return parsed.folder.with_name(f"{parsed.folder.name}-judged-{_key(source, rates)}")


def _judge_group(con: duckdb.DuckDBPyConnection, group: list[tuple[Source, Parsed]], rates: Sequence[Path]) -> None:
    files = {str(parsed.folder / PRICES): (source, parsed) for source, parsed in group}
    listed = ", ".join(map(quoted, files))
    con.execute(f"CREATE TEMP VIEW parsed AS SELECT *, filename AS _file, file_row_number AS _row FROM read_parquet([{listed}])")
    foreign = {file for (file,) in con.execute("SELECT DISTINCT _file FROM parsed WHERE currency <> 'USD'").fetchall()}
    _resolve_labels(con, {file: source.source_id for file, (source, _) in files.items()})
    _load_rates(con, rates if foreign else ())
    _apply_rules(con)
    refused = _refused(con, [source.source_id for source, _ in group if source.kind in STRICT_KINDS])
    lost = dict(con.execute(_LOST).fetchall())
    for file in files.keys() - refused.keys():
        source, parsed = files[file]
        folder = _folder(source, parsed, tuple(rates) if file in foreign else ())
        _write(con, file, parsed, folder, lost.get(file, 0))
    if refused:
        raise JudgeError(min(refused.values()))


def _apply_rules(con: duckdb.DuckDBPyConnection) -> None:
    con.execute(f"CREATE TEMP TABLE priced AS {harmonise.PRICED}")
    verdicts = " ".join(f"WHEN {rule.condition} THEN {{'code': {quoted(rule.code)}, 'reason': {rule.reason}}}" for rule in RULES)
    con.execute(f"""CREATE TEMP TABLE judged AS
        SELECT * EXCLUDE verdict, verdict.code, verdict.reason FROM (SELECT *, CASE {verdicts} END AS verdict FROM priced)""")


_resolved = functools.lru_cache(maxsize=100_000)(gpu_identity.resolve)  # the files of a source name the same cards


def _resolve_labels(con: duckdb.DuckDBPyConnection, scopes: dict[str, str]) -> None:
    """Table `label`: each distinct way in which a file names a card, with the card or the reason why not; by file, its scope."""
    met = con.execute("""SELECT DISTINCT _file, raw_gpu_name, coalesce(gpu_context, ''), reported_memory_gb
        FROM parsed WHERE raw_gpu_name IS NOT NULL ORDER BY ALL""").fetchall()
    con.execute("""CREATE TEMP TABLE label(_file VARCHAR, raw_gpu_name VARCHAR, context VARCHAR, memory_gb DOUBLE, scope VARCHAR,
        card VARCHAR, label_count DOUBLE, label_fraction DOUBLE, label_partition VARCHAR, label_rule VARCHAR, label_code VARCHAR,
        label_reason VARCHAR)""")
    asked = [(file, *label, scopes[file]) for file, *label in met]
    found = [(label, _resolved(*label[1:])) for label in asked]
    rows = [(*label, r.gpu_id, r.gpu_count, r.fraction, r.partition, r.rule, r.reason_code, r.reason) for label, r in found]
    if rows:
        con.execute(f"INSERT INTO label SELECT {', '.join(['unnest(?)'] * 12)}", list(zip(*rows, strict=True)))


def _load_rates(con: duckdb.DuckDBPyConnection, rates: Sequence[Path]) -> None:
    """Table `rate`: USD for one unit of a currency, by day. A currency or day that the source lacks has no row."""
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


def _refused(con: duckdb.DuckDBPyConnection, strict: list[str]) -> dict[str, str]:
    """By file, what is wrong with the first price that is rejected though its source may have none."""
    rejected = con.execute(
        """SELECT _file, _path, _locator, raw_gpu_name, reason FROM judged
        WHERE code IS NOT NULL AND list_contains($1, _source_id) ORDER BY ALL DESC""",
        [strict],
    )
    return {  # the first of each file comes last
        file: f"{path} {locator}: {label}: {reason}; mend the row, or name the card in data/names/, and `gpuledger seal` the file"
        for file, path, locator, label, reason in rejected.fetchall()
    }


def _write(con: duckdb.DuckDBPyConnection, file: str, parsed: Parsed, folder: Path, lost: int) -> None:
    """The judged rows of one file as its folder; `lost` rows of it have no price left."""
    scratch = folder.with_name(f"{folder.name}.{os.getpid()}")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    earlier = parsed.folder / "reject.parquet"
    rejected = f"({_REJECTED})" + (f" UNION ALL BY NAME FROM read_parquet({quoted(str(earlier))})" if earlier.exists() else "")
    for name, rows in ((PRICES, _ACCEPTED), (earlier.name, rejected), ("gpu_label.parquet", _LABELS)):
        con.execute(f"COPY ({rows}) TO {quoted(str(scratch / name))}", {"file": file})
    counts = {
        "rows_read": parsed.rows_read,
        "rows_accepted": parsed.rows_accepted - lost,
        "rows_rejected": parsed.rows_rejected + lost,
    }
    (scratch / COUNTS).write_text(json.dumps(counts))
    shutil.rmtree(folder, ignore_errors=True)
    scratch.rename(folder)


_ACCEPTED = "SELECT * EXCLUDE (code, reason, _file, _row) FROM judged WHERE code IS NULL AND _file = $file ORDER BY _row"
_REJECTED = f"""SELECT _snapshot_id AS snapshot_id, _locator AS locator, code AS reason_code, reason,
    {RULE_VERSION}::BIGINT AS rule_version,
    concat_ws(' | ', provider, instance_type, raw_gpu_name, gpu_context, billing, price_raw, currency, price_unit) AS record,
    _source_id, _snapshot_id, _path, _locator FROM judged WHERE code IS NOT NULL AND _file = $file ORDER BY _row"""
_LABELS = """SELECT md5(concat_ws('|', scope, raw_gpu_name, context, coalesce(memory_gb::VARCHAR, ''))) AS label_id, raw_gpu_name,
    nullif(context, '') AS gpu_context, memory_gb AS reported_memory_gb, card AS gpu_id, label_count::BIGINT AS gpu_count,
    label_fraction AS gpu_fraction, label_partition AS partition, label_rule AS rule, label_code AS reason_code,
    label_reason AS reason,
    scope AS _source_id, '' AS _snapshot_id, '' AS _path, '' AS _locator FROM label WHERE _file = $file"""
# by file, how many of its rows have no price left; one row may have given several prices
_LOST = """SELECT _file, count(*) FROM (
    SELECT _file, split_part(_locator, ',', 1) FROM judged GROUP BY ALL HAVING count(*) FILTER (code IS NULL) = 0) GROUP BY ALL"""


def _key(source: Source, rates: tuple[Path, ...]) -> str:
    """Hash of what a judgement rests on besides the parsed rows: rules, names, and the rates where it needs them."""
    own = gpu_identity.NAMES / f"{source.source_id}.csv"
    parts = [
        repr((RULES, RULE_VERSION)),
        harmonise.PRICED,
        _names_hash(gpu_identity.NAMES / "rules"),
        own.read_text() if own.exists() else "",
        repr(rates),
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


@functools.cache
def _names_hash(rules: Path) -> str:
    texts = [path.read_text() for path in sorted((*rules.glob("*.csv"), *Path(gpu_identity.__file__).parent.glob("*.py")))]
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
