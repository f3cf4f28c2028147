"""Checks of `source_health`: one per source, with a warning where the newest snapshot is older than the source's limit.

The freshness policies of the snapshots say something else: whether the files were fetched or verified in that time, hence whether
the daily job runs.
"""

from collections.abc import Iterator

import dagster as dg
import duckdb

from sources import Source, discover

TABLE = "source_health"
_STALENESS = f"SELECT source_id, stale, age_days FROM {TABLE}"


def check_specs() -> list[dg.AssetCheckSpec]:
    """Return the checks of all sources that have a limit. A stale source stops nothing."""
    limit = "{0.title}: the newest snapshot is at most {0.stale_after_days} days older than the build's `as_of`."
    return [dg.AssetCheckSpec(_check_name(one), asset=TABLE, description=limit.format(one)) for one in _limited()]


def check_results(con: duckdb.DuckDBPyConnection) -> Iterator[dg.AssetCheckResult]:
    """Yield the result of each check, as the table in the working database states it."""
    rows: dict[str, tuple[bool, int | None]] = {
        source_id: (stale, age) for source_id, stale, age in con.execute(_STALENESS).fetchall()
    }
    for source in _limited():
        stale, age_days = rows.get(source.source_id, (True, None))
        yield dg.AssetCheckResult(
            asset_key=TABLE,
            check_name=_check_name(source),
            passed=not stale,
            severity=dg.AssetCheckSeverity.WARN,
            description=_describe(source, age_days, stale=stale),
            metadata={} if age_days is None else {"age_days": age_days},
        )


def _describe(source: Source, age_days: int | None, *, stale: bool) -> str:
    if age_days is None:
        return "no snapshot"
    remedy = f"; the limit is {source.stale_after_days}: run `gpuledger fetch {source.source_id}`" if stale else ""
    return f"{age_days} days old{remedy}"


def _limited() -> list[Source]:
    sources = (parser.SOURCE for parser in discover().values())
    return [source for source in sources if source.stale_after_days is not None]


def _check_name(source: Source) -> str:
    return f"fresh_{source.source_id.replace('-', '_')}"
