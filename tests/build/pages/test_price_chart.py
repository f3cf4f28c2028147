"""Charts of rental prices by day: rows, lines for the pickers, texts and query against the tables."""

import csv
import datetime as dt
import html
import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipeline.website.components.price_chart import price_lines
from pipeline.website.components.price_chart.price_figure import RANGES, ChartView, newest_price, price_figure
from pipeline.website.components.price_chart.price_lines import CHEAPEST, MEDIAN, Line
from pipeline.website.writing.database import Database
from tests.build.pages.site_pages import printed_sql, query_rows

H100 = "nvidia-h100"


@pytest.fixture(scope="module")
def data(release: Path) -> Database:
    return Database(release / "gpuledger.duckdb")


def chart_rows(site: Path, name: str) -> list[dict[str, str]]:
    with (site / "data" / "charts" / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def test_its_rows_are_the_daily_prices_of_its_range(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    rows = [row for row in chart_rows(site, "market-prices") if row["gpu"] == "H100"]
    daily = con.execute("""
        SELECT date, usd_min, n_offers FROM price_history
        WHERE gpu_model_id = 'nvidia-h100' AND gpu_id = 'any' AND billing = 'on_demand' ORDER BY date
    """).fetchall()
    first = dt.date.fromisoformat(rows[0]["date"])
    assert [(row["date"], float(row["usd"]), int(row["n_offers"])) for row in rows] == [
        (str(date), usd, offers) for date, usd, offers in daily if date >= first
    ]
    assert dt.timedelta(days=75) < daily[-1][0] - first <= dt.timedelta(days=92)


@pytest.mark.parametrize("name", ["market-prices", f"price-{H100}", "provider-lambda"])
def test_the_printed_query_returns_the_rows(site: Path, con: duckdb.DuckDBPyConnection, name: str) -> None:
    text = (site / "embed" / f"{name}.html").read_text()
    found = query_rows(con, printed_sql(text, f'data-chart="{name}"'))
    shown = chart_rows(site, name)
    assert len(found) == len(shown) > 40
    prices = [sorted(round(float(row["usd"]), 6) for row in rows) for rows in (found, shown)]
    assert prices[0] == prices[1]


def test_the_script_of_a_model_has_every_line(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = (site / "assets" / "prices" / f"{H100}.js").read_text()
    lines: list[dict[str, Any]] = json.loads(text.split("]=", 1)[1].rstrip(";\n"))
    providers = con.execute(
        "SELECT DISTINCT billing, provider FROM provider_price_daily WHERE gpu_model_id = ?", [H100]
    ).fetchall()
    found = {(line["billing"], line["of"]) for line in lines}
    assert {(billing, of) for billing, of in found if of not in {CHEAPEST, MEDIAN}} == set(providers)
    for line in lines:
        assert len(line["days"]) == len(line["usd"]) == len(line["parts"]) == len(line["n_offers"])
    for billing in {billing for billing, _ in found}:
        own = {line["of"]: dict(zip(line["days"], line["usd"], strict=True)) for line in lines if line["billing"] == billing}
        for day, usd in own[CHEAPEST].items():
            assert usd == min(prices[day] for of, prices in own.items() if day in prices and of != MEDIAN)


def test_controls_offer_every_model_and_provider(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = html.unescape((site / "prices" / "index.html").read_text())
    ids = con.execute("SELECT DISTINCT gpu_model_id FROM provider_price_daily").fetchall()
    providers = con.execute("SELECT DISTINCT provider FROM provider_price_daily").fetchall()
    values = [f'name="gpu" value="{model}"' for (model,) in ids] + [
        f'name="line" value="{provider}"' for (provider,) in providers
    ]
    assert [value for value in values if value not in text] == []
    assert [months for months in RANGES if f'name="range" value="{months}"' not in text] == []


def test_no_step_joins_prices_of_the_h100_from_other_providers(data: Database, con: duckdb.DuckDBPyConnection) -> None:
    (line,) = price_lines.read_lines(data, f"gpu_model_id = '{H100}' AND billing = 'on_demand' AND line = '{CHEAPEST}'")
    terms = "gpu_model_id = ? AND billing = 'on_demand'"
    seen = set(con.execute(f"SELECT date, provider FROM provider_price_daily WHERE {terms}", [H100]).fetchall())
    steps = [pair for pair in pairwise(line.days) if pair[0]["stretch"] == pair[1]["stretch"]]
    much = [sorted(pair, key=lambda row: row["usd"]) for pair in steps if pair[0]["usd"] != pair[1]["usd"]]
    assert much
    assert [low for low, high in much if high["usd"] >= 1.25 * low["usd"] and (high["date"], low["provider"]) not in seen] == []


@pytest.mark.parametrize(
    ("of", "first", "change"),
    [(CHEAPEST, "acme", "down 50%"), (CHEAPEST, "other", None), ("acme", "acme", "down 50%"), (MEDIAN, "acme", None)],
)
def test_another_provider_on_the_list_is_no_change_of_a_price(of: str, first: str, change: str | None) -> None:
    days = [
        {"date": dt.date(2026, 1, day), "usd": 4.0 / day, "provider": who, "stretch": 0} for day, who in ((1, first), (2, "acme"))
    ]
    text = newest_price(Line("m", "M", "spot", of, "" if of in {CHEAPEST, MEDIAN} else "Acme", days))
    assert "$2.00 on 2 January 2026" in text
    assert ("since" in text, (change or "") in text) == (change is not None, True)


def test_a_line_begins_with_the_first_day_of_the_range() -> None:
    days = [{"date": dt.date(2026, month, 1), "usd": 1.0} for month in (1, 2, 3)]
    line = Line("m", "M", "spot", CHEAPEST, "", days)
    assert line.since(dt.date(2026, 2, 1)).days == days[1:]
    assert line.since(dt.date(2027, 1, 1)).days == []


def test_a_chart_states_its_first_line_and_names_what_differs(data: Database) -> None:
    figure = price_figure(data, "x", ChartView((H100,), ("on_demand", "spot"), (CHEAPEST,), "all"))
    assert figure
    assert figure.title.startswith("Any H100, on demand, cheapest offer: $")
    assert isinstance(figure.chart, dict)
    assert {row["label"] for row in figure.chart["datasets"]["view"]} == {"On demand", "Spot"}
    assert price_figure(data, "x", ChartView(("no-such-model",), ("on_demand",), (CHEAPEST,))) is None
