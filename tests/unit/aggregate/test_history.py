"""A history by months gives what all of it gives at once, and computes the months alone that changed."""

import datetime as dt
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.aggregate import engines, history
from pipeline.aggregate.engines import AggregateError
from tests.unit.aggregate.made_up import FIRST, OFFERS, at_once, daily_at_once, daily_of, known_at_once, known_of, sighting, write

JANUARY, FEBRUARY, MARCH = ("2026-01", "2026-02", "2026-03")
days = st.integers(0, 80).map(lambda day: FIRST + dt.timedelta(day))
seen = st.dictionaries(
    st.tuples(st.sampled_from(OFFERS), days),
    st.tuples(st.sampled_from((1.0, 1.5, 2.0)), st.booleans(), st.sampled_from((None, 0, 5, 40))),
    min_size=1,
    max_size=60,
)
pairs = st.dictionaries(
    st.tuples(st.sampled_from(OFFERS), st.sampled_from(OFFERS)).filter(lambda pair: pair[0] < pair[1]),
    st.sampled_from((None, 7)),
    max_size=5,
)


def aggregated(folder: Path) -> list[str]:
    """Aggregate a folder; return the months that were computed."""
    with engines.start("", folder / "spill") as engine:
        return history.aggregate(engine, folder / "observations", folder / "out")


def each_day(last: int) -> list[dict]:
    return [sighting(3, FIRST + dt.timedelta(day), 2.0) for day in range(last)]


@pytest.mark.slow
@settings(max_examples=15)
@given(seen, pairs)
def test_months_give_what_all_days_give_at_once(found, repeats):
    rows = [
        sighting(offer, day, usd, counts=counts, stated_until=None if stated is None else day + dt.timedelta(stated))
        for (offer, day), (usd, counts, stated) in found.items()
    ]
    with TemporaryDirectory() as name:
        folder = Path(name)
        write(folder / "observations", rows, [(f"offer {a}", f"offer {b}", after) for (a, b), after in repeats.items()])
        aggregated(folder)
        last = max(row["date"] for row in rows)
        with at_once(folder / "observations") as con:
            assert daily_of(folder / "out") == daily_at_once(con)
            for day in {last, *(day for after in (0, 30, 31, 45, 62) if (day := FIRST + dt.timedelta(after)) < last)}:
                assert known_of(folder / "out", day) == known_at_once(con, day)


def test_quartiles_are_those_of_the_sellers(tmp_path):
    prices = (1.0, 1.0, 1.5, 4.0)
    write(
        tmp_path / "observations", [sighting(9, FIRST, usd, provider=f"p{n}", offer_key=f"{n}") for n, usd in enumerate(prices)]
    )
    aggregated(tmp_path)
    of_model = [row for row in daily_of(tmp_path / "out") if row[2] == "any"]
    assert [row[6:] for row in of_model] == [(4, 4, 4, 1.0, "p0", 1.0, 1.25, 2.125)]


def test_a_new_day_concerns_its_month(tmp_path):
    write(tmp_path / "observations", each_day(70))
    assert aggregated(tmp_path) == [JANUARY, FEBRUARY, MARCH]
    assert aggregated(tmp_path) == []
    write(tmp_path / "observations", each_day(71))
    assert aggregated(tmp_path) == [MARCH]


@pytest.mark.parametrize("damage", [b"", b"{}", b"{", b"\xff"])
def test_a_damaged_manifest_computes_all_months_again(tmp_path, damage):
    write(tmp_path / "observations", each_day(40))
    assert aggregated(tmp_path) == [JANUARY, FEBRUARY]
    (tmp_path / "out" / "manifest.json").write_bytes(damage)
    assert aggregated(tmp_path) == [JANUARY, FEBRUARY]
    assert aggregated(tmp_path) == []


def test_a_correction_concerns_its_month_alone_if_the_prices_at_its_end_are_the_same(tmp_path):
    rows = each_day(90)
    write(tmp_path / "observations", rows)
    aggregated(tmp_path)
    rows[10]["usd"] = 3.0
    write(tmp_path / "observations", rows)
    assert aggregated(tmp_path) == [JANUARY]
    rows[30]["usd"] = 3.0
    write(tmp_path / "observations", rows)
    assert aggregated(tmp_path) == [JANUARY, FEBRUARY]
    with at_once(tmp_path / "observations") as con:
        assert daily_of(tmp_path / "out") == daily_at_once(con)


def test_a_month_without_observations_has_the_prices_that_are_still_current(tmp_path):
    write(tmp_path / "observations", [sighting(1, FIRST, 2.0, max_age_days=365), sighting(3, FIRST + dt.timedelta(70), 1.0)])
    assert aggregated(tmp_path) == [JANUARY, FEBRUARY, MARCH]
    with at_once(tmp_path / "observations") as con:
        assert daily_of(tmp_path / "out") == daily_at_once(con)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([sighting(1, FIRST, 2.0), sighting(1, FIRST, 3.0)], "1 rows repeat an offer and day"),
        ([sighting(1, FIRST, None)], "1 rows are of another month or lack a value"),
    ],
)
def test_rows_that_no_rule_can_read_are_refused(tmp_path, rows, message):
    write(tmp_path / "observations", rows)
    with pytest.raises(AggregateError, match=message):
        aggregated(tmp_path)


def test_duckdb_keeps_within_the_given_memory(tmp_path):
    with (
        pytest.raises(AggregateError, match=r"give it more than --memory-gb 0\.5"),
        engines.start("", tmp_path / "spill", 0.5) as engine,
    ):
        engine.rows("SELECT list(range) FROM range(200_000_000)")
