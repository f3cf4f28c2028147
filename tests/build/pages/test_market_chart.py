"""The chart of several GPUs on the page of prices."""

import csv
import datetime as dt
import html
import json
import re
from pathlib import Path
from typing import Any

import duckdb

from pipeline.website.pages.prices import market_chart


def spec_of(site: Path) -> dict[str, Any]:
    text = (site / "prices" / "index.html").read_text()
    found = re.search(r'class="gl-spec">(.*?)</script>', text, re.S)
    assert found
    spec: dict[str, Any] = json.loads(found[1])
    return spec


def test_its_rows_are_those_of_the_daily_prices(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    with (site / "data" / "charts" / "market-prices.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if row["gpu"] == "H100"]
    daily = con.execute("""
        SELECT date, usd_min, n_offers FROM price_history
        WHERE gpu_model_id = 'nvidia-h100' AND gpu_id = 'any' AND billing = 'on_demand'
        ORDER BY date
    """).fetchall()
    assert [(row["date"], float(row["usd_min"]), int(row["n_offers"])) for row in rows] == [
        (str(date), usd, offers) for date, usd, offers in daily
    ]


def test_the_reader_chooses_gpus_and_the_time_shown(site: Path) -> None:
    checks = {
        param["bind"]["name"]: param["value"] for param in spec_of(site)["params"] if str(param["name"]).startswith("show_")
    }
    first = ["H100", "A100", "H200", "B200", "AMD Instinct MI300X", "GeForce RTX 4090"]
    assert [name for name, checked in checks.items() if checked] == first
    assert len(checks) == market_chart.MOST
    assert "shown_days" in {param["name"] for param in spec_of(site)["params"]}


def test_a_change_of_composition_breaks_the_line() -> None:
    keys = ("date", "n_providers", "usd_min", "n_offers", "low_provider", "usd_median")
    days = [(1, 4, 2.0), (2, 4, 2.0), (3, 4, 1.9), (4, 9, 1.0), (5, 9, 1.0)]
    rows = [
        dict(zip(keys, (dt.date(2026, 1, n), providers, usd, providers, "a", None), strict=True)) for n, providers, usd in days
    ]
    points = market_chart._points("H100", 0, rows)
    assert [(point["day"][8:10], point["line"], point["usd_min"]) for point in points] == [
        ("01", "H100 0", 2.0),
        ("03", "H100 0", 1.9),
        ("04", "H100 1", 1.0),
        ("05", "H100 1", 1.0),
    ]
    assert [row["n_offers"] for row in market_chart._months(0, rows)] == [9]


def test_the_page_names_the_newest_price_of_each(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((usd,),) = con.execute("""
        SELECT arg_max(usd_min, date) FROM price_history
        WHERE gpu_model_id = 'nvidia-h100' AND gpu_id = 'any' AND billing = 'on_demand'
    """).fetchall()
    text = html.unescape((site / "prices" / "index.html").read_text())
    assert f"newest day: H100 ${usd:,.2f}" in text
