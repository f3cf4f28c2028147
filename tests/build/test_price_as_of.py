"""Prices as of a day from `gpuledger aggregate` are those of the build's macro `price_as_of`, over the committed data."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from pipeline.aggregate import engines, history, observations
from pipeline.warehouse import connection

pytestmark = pytest.mark.full
# prices that statistics do not count are no observations
EXPECTED = """
    SELECT known.*
    FROM price_as_of(?::DATE) AS known
    JOIN (FROM _price_span SEMI JOIN _price_day USING (offer_key, observation_id)) AS span USING (offer_key, observation_id)
    WHERE span.counts OR known.includes_host = false"""
# offers whose price another source shows anew, which ends them in the history
REPLACED = """
    SELECT repeats
    FROM offer_repeat AS r
    JOIN price_latest AS own ON own.offer_key = r.offer_key
    JOIN price_latest AS other ON other.offer_key = r.repeats
    WHERE own.observation_id IN (SELECT observation_id FROM _price_span WHERE counts)
        AND own.last_day > other.last_day + r.replaces_after_days
        AND (own.gpu_id IS NOT DISTINCT FROM other.gpu_id OR own.usd_per_gpu_hour <> other.usd_per_gpu_hour)"""


@pytest.fixture(scope="module")
def aggregated(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, duckdb.DuckDBPyConnection]]:
    """The results, and a connection to the release with the tables that its observations come from."""
    folder = tmp_path_factory.mktemp("prices")
    with connection.connect(release / "gpuledger.duckdb", read_only=True) as con:
        observations.write_from_build(con, folder / "observations")
        with engines.start("", folder / "spill") as engine:
            history.aggregate(engine, folder / "observations", folder / "out")
        yield folder / "out", con


@pytest.mark.parametrize("day", ["2024-06-01", "2025-09-18", "2026-01-31", "2026-07-10", "2026-10-01"])
def test_every_offer_has_the_price_of_the_macro(aggregated, day):
    out, con = aggregated
    con.execute(f"CREATE OR REPLACE TEMP TABLE known AS {history.PRICE_AS_OF.read_text()}", {"folder": str(out), "day": day})
    con.execute(f"CREATE OR REPLACE TEMP TABLE expected AS {EXPECTED}", [day])
    same = "known.usd = coalesce(expected.usd_per_gpu_hour, expected.usd_per_gpu) AND known.source_id = expected.source_id"
    ((expected, found, equal, current, stale),) = con.execute(f"""
        SELECT count(*), count(known.usd), count(*) FILTER ({same}), count(*) FILTER (NOT known.stale AND expected.stale),
            count(*) FILTER (known.stale AND NOT expected.stale AND kind = 'cloud_rental' AND offer_key NOT IN ({REPLACED}))
        FROM expected LEFT JOIN known USING (offer_key)""").fetchall()
    assert expected > 1_000
    assert (found, equal, current, stale) == (expected, expected, 0, 0)


def test_the_newest_prices_are_stale_where_the_build_says_so(aggregated):
    out, con = aggregated
    ((day,),) = con.execute("SELECT as_of FROM release").fetchall()
    con.execute(f"CREATE OR REPLACE TEMP TABLE known AS {history.PRICE_AS_OF.read_text()}", {"folder": str(out), "day": day})
    rows = con.execute(f"""
        SELECT DISTINCT known.stale, latest.stale FROM known JOIN price_latest AS latest USING (offer_key)
        WHERE latest.kind = 'cloud_rental' AND latest.observation_id IN (SELECT observation_id FROM _price_span WHERE counts)
            AND offer_key NOT IN ({REPLACED})
        ORDER BY ALL""").fetchall()
    assert rows == [(False, False), (True, True)]


def test_a_price_that_a_newer_one_of_another_source_replaced_is_no_longer_current(aggregated):
    out, con = aggregated
    ((day,),) = con.execute("SELECT as_of FROM release").fetchall()
    sql = f"SELECT count(*), bool_and(stale) FROM ({history.PRICE_AS_OF.read_text()}) WHERE offer_key IN ({REPLACED})"
    ((offers, ended),) = con.execute(sql, {"folder": str(out), "day": day}).fetchall()
    assert (offers > 0, ended) == (True, True)
