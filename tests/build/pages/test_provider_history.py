"""A provider's price history: its page against the tables."""

import html
from pathlib import Path

import duckdb
import pytest

from pipeline.website.writing import numbers
from pipeline.website.writing.links import provider_path
from tests.build.pages.site_pages import body_rows, printed_sql, query_rows, text_of


def test_a_provider_has_a_chart_of_its_prices_and_the_level_in_words(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((moved, still),) = con.execute("""
        SELECT arg_max(provider, spread), arg_min(provider, spread) FROM (
            SELECT provider, max(price_index) - min(price_index) AS spread FROM provider_index
            GROUP BY provider HAVING count(*) > 40 AND arg_max(chain_from, date) < max(date))
    """).fetchall()
    text = (site / provider_path(moved)).read_text()
    assert f'data-chart="provider-{moved}"' in html.unescape(text)
    lines = (site / "data" / "charts" / f"provider-{moved}.csv").read_text().splitlines()
    assert {"usd", "date", "gpu"} <= set(lines[0].split(","))
    assert len(lines) > 40
    ((name,),) = con.execute("SELECT name FROM provider WHERE provider_id = ?", [moved]).fetchall()
    assert {line.split(",")[3] for line in lines[1:]} == {name}
    assert "the same offers did not move since" in text_of(site / provider_path(still))


def test_first_and_newest_prices_are_those_of_the_list(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """A spot price at or above the on-demand price is in no statistic."""
    text = (site / provider_path("spheron")).read_text()
    found = [row for row in query_rows(con, printed_sql(text, 'id="seen-table"')) if row["provider"] == "spheron"]
    shown = body_rows(text, "seen-table")
    assert len(shown) == len(found) > 3
    for line, row in zip(shown, found, strict=True):
        newest = con.execute(
            "SELECT min(usd_per_gpu_hour) FROM price WHERE provider = 'spheron' AND gpu_model_id = ? AND billing = ? "
            "AND partition = 'whole' AND observed_at = ? AND NOT contains(coalesce(flags, ''), 'SPOT_NOT_BELOW_ON_DEMAND')",
            [row["gpu_model_id"], row["billing"], row["last_day"]],
        ).fetchall()[0][0]
        assert row["usd_last"] == pytest.approx(newest)
        assert row["usd_min"] <= row["usd_first"] <= row["usd_max"]
        assert [one for one in (numbers.usd(row["usd_first"]), numbers.usd(newest)) if one not in line] == []


def test_a_history_has_no_price_that_statistics_leave_out(con: duckdb.DuckDBPyConnection) -> None:
    """Google's list has regions without the GPU and prices of GPUs without a host, Lambda's had a wrong one.

    An aggregator rounds prices, which price_daily leaves out: it is within 1%.
    """
    sql = """SELECT usd_per_gpu_hour_first, usd_per_gpu_hour_last, usd_per_gpu_hour_min, usd_per_gpu_hour_max
        FROM provider_gpu_history WHERE provider = ? AND gpu_model_id = ? AND billing = ? AND commitment = 'none'"""

    def found(*key: str) -> list[float]:
        (row,) = con.execute(sql, key).fetchall()
        return [round(usd, 2) for usd in row]

    assert found("gcp", "nvidia-a100", "spot")[2] == 1.04
    assert found("gcp", "nvidia-a100", "on_demand")[3] == 6.25
    assert found("gcp", "nvidia-rtx-pro-6000-blackwell", "on_demand")[:2] == [4.5, 4.5]
    assert found("lambda", "nvidia-quadro-rtx-6000", "on_demand") == [0.69] * 4
    lowest = """SELECT h.provider, h.gpu_model_id FROM provider_gpu_history AS h
        JOIN (SELECT provider, gpu_model_id, billing, min(usd_min) AS usd_min FROM provider_price_daily GROUP BY ALL) AS d
            USING (provider, gpu_model_id, billing)
        WHERE h.commitment = 'none' AND h.usd_per_gpu_hour_min < 0.99 * d.usd_min"""
    assert con.execute(lowest).fetchall() == []


def test_a_change_that_two_sources_show_counts_once(con: duckdb.DuckDBPyConnection) -> None:
    """The table counts what the list of changes below it has."""
    counted = con.execute("SELECT sum(n_changes) FROM provider_gpu_history WHERE provider = 'aws'").fetchall()
    listed = con.execute(
        "SELECT count(*) FROM price_move WHERE lower(provider) = 'aws' AND kind = 'cloud_rental' AND partition = 'whole'"
    ).fetchall()
    assert counted == listed


def test_choices_of_the_home_page_link_to_providers(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = (site / "index.html").read_text().split('id="ranked"', 1)[1].split('id="left-out"', 1)[0]
    assert page.count('<a href="providers/') == page.count("<tr><td")
    tables = (site / "assets" / "recommend-data.js").read_text()
    assert '"slug":["' in tables
