"""Trend of compute and memory per launch dollar: computed again with NumPy and SciPy from the specifications."""

import duckdb
import numpy as np
import pytest
from scipy import stats

POINTS = """
    SELECT g.architecture, date_diff('day', DATE '2015-01-01', g.release_date) / 365.25 AS x,
        1000 * CASE ? WHEN 'compute' THEN g.fp32_tflops ELSE g.memory_gb END / g.launch_msrp_usd AS value
    FROM gpu AS g
    WHERE g.segment = ? AND value IS NOT NULL AND x IS NOT NULL
"""
TREND = """
    SELECT n_gpus, doublings_per_year, doublings_per_year_low, doublings_per_year_high, r2
    FROM launch_value_trend WHERE (measure, segment) = (?, ?)
"""


def expected(rows: list[tuple[str, float, float]]) -> tuple[int, float, float, float, float]:
    x, y = np.array([row[1] for row in rows]), np.log2([row[2] for row in rows])
    fit = stats.linregress(x, y)
    score = (x - x.mean()) * (y - fit.intercept - fit.slope * x)
    chips = [row[0] for row in rows]
    sums = [sum(s for s, chip in zip(score, chips, strict=True) if chip == one) for one in dict.fromkeys(chips)]
    groups = len(sums)
    error = np.sqrt(groups / (groups - 1) * np.square(sums).sum()) / np.square(x - x.mean()).sum()
    half = stats.t.ppf(0.975, groups - 1) * error
    return len(rows), fit.slope, fit.slope - half, fit.slope + half, fit.rvalue**2


@pytest.mark.parametrize("measure", ["compute", "memory"])
@pytest.mark.parametrize("segment", ["consumer", "workstation"])
def test_a_trend_is_the_least_squares_line_with_errors_by_architecture(
    con: duckdb.DuckDBPyConnection, measure: str, segment: str
) -> None:
    found = con.execute(TREND, [measure, segment]).fetchall()[0]
    assert found == pytest.approx(expected(con.execute(POINTS, [measure, segment]).fetchall()), rel=0.003, abs=2e-4)


def test_doubling_times_are_the_inverse_of_the_slope(con: duckdb.DuckDBPyConnection) -> None:
    for slope, low, high, *years in con.execute("""
        SELECT doublings_per_year, doublings_per_year_low, doublings_per_year_high,
            doubling_years, doubling_years_low, doubling_years_high
        FROM launch_value_trend
    """).fetchall():
        assert years == [pytest.approx(1 / one) if one > 0 else None for one in (slope, high, low)]


def test_a_value_is_the_specification_over_the_launch_price(con: duckdb.DuckDBPyConnection) -> None:
    row = con.execute("SELECT launch_msrp_usd, amount, per_usd FROM launch_value WHERE gpu_id = ? AND measure = 'compute'",
                      ["nvidia-geforce-rtx-3080-10gb"]).fetchone()  # fmt: skip
    assert row == (699, 29.77, pytest.approx(42.59, abs=0.01))


def test_a_launch_price_is_the_one_of_the_specification(con: duckdb.DuckDBPyConnection) -> None:
    """A blog of 2023 states the RTX 4090's too, and another the Arc B580's, rounded to 250 USD."""
    offered = """SELECT gpu_id FROM offer_current AS o JOIN gpu AS g USING (gpu_id)
        WHERE o.kind = 'msrp' AND (o.usd <> g.launch_msrp_usd OR o.price_date > g.release_date + 31)"""
    assert con.execute(offered).fetchall() == []
