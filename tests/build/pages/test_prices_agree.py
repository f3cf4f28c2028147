"""Every rental price on the site is a column of table rental_market: one price per GPU and billing on all pages.

A figure is read where a reader or a script finds it: by the ids of tables, links to GPUs and keys of columns.
"""

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from pipeline.website.components.labels import words
from pipeline.website.components.numbers import usd

ON_DEMAND = "on_demand"
LOW, MEDIAN, PROVIDER = "usd_per_gpu_hour_low", "usd_per_gpu_hour_median", "low_provider"
OFFERS, PROVIDERS = "n_offers", "n_providers"
Key = tuple[str, str]  # GPU, billing
Shown = tuple[Key, str, Any]  # whose price, column of rental_market, what the page shows: a text, or the number of a script
Reader = Callable[[Path], Iterator[Shown]]
FACT = re.compile(r"(\S+) per hour ?from (\S+) \((.+?), .+\); ([\d,]+) offers? of ([\d,]+) providers?")


@cache
def billings(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Every billing by the words that pages use for it."""
    return {words(name): name for (name,) in con.execute("SELECT DISTINCT billing FROM rental_market").fetchall()}


@pytest.fixture(scope="module")
def market(con: duckdb.DuckDBPyConnection) -> dict[Key, dict[str, Any]]:
    """The table's rows of all terms and numbers of GPUs."""
    result = con.execute("SELECT * FROM rental_market WHERE commitment = 'any' AND gpus = 'any'")
    names = [column[0] for column in result.description]
    rows = [dict(zip(names, row, strict=True)) for row in result.fetchall()]
    return {(row["gpu_id"], row["billing"]): row for row in rows}


def parsed(path: Path) -> LexborHTMLParser:
    return LexborHTMLParser(path.read_text(encoding="utf-8"))


def text_of(node: LexborNode) -> str:
    return " ".join(node.text().split())


def gpu_of(node: LexborNode) -> str:
    """The GPU that the first link below the node leads to."""
    link = node.css_first("a[href*='gpus/']")
    assert link is not None
    return str(link.attributes["href"]).split("gpus/")[1].split("/")[0]


def value_of(cell: LexborNode) -> float | None:
    """The number that scripts read in a cell; None in an empty one."""
    text = cell.attributes.get("data-v") or text_of(cell).replace(",", "")
    return float(text) if text else None


def cells(page: LexborHTMLParser, table: str) -> Iterator[tuple[LexborNode, dict[str, LexborNode]]]:
    """Each row of a table's body with its cells by the key of their column, or else by its heading."""
    heads = [
        head.attributes.get("data-key") or text_of(head.css_first("button") or head) for head in page.css(f"#{table} thead th")
    ]
    for row in page.css(f"#{table} tbody tr"):
        by_head: dict[str, LexborNode] = {}
        for head, cell in zip(heads, row.css("th, td"), strict=True):
            by_head.setdefault(str(head), cell)
        yield row, by_head


def on_pages_of_gpus(site: Path) -> Iterator[Shown]:
    for path in (site / "gpus").glob("*/index.html"):
        for fact in parsed(path).css("dl.gl-facts > div"):
            found = FACT.fullmatch(text_of(fact.css_first("dd")))
            if found:
                billing = text_of(fact.css_first("dt")).partition(",")[0]
                for column, shown in zip((MEDIAN, LOW, PROVIDER, OFFERS, PROVIDERS), found.groups(), strict=True):
                    yield (path.parent.name, billing), column, shown


def in_the_list_of_gpus(site: Path) -> Iterator[Shown]:
    columns = {"rental_usd_per_hour_min": LOW, "rental_usd_per_hour": MEDIAN, OFFERS: OFFERS, PROVIDERS: PROVIDERS}
    for row, by_key in cells(parsed(site / "gpus" / "index.html"), "gpu-table"):
        key = str(row.attributes["data-id"]), ON_DEMAND
        if value_of(by_key["n_offers"]):
            yield from ((key, column, value_of(by_key[name])) for name, column in columns.items())
            yield key, PROVIDER, text_of(by_key["cheapest_provider"])


def on_the_page_of_prices(site: Path) -> Iterator[Shown]:
    for row, by_head in cells(parsed(site / "prices" / "index.html"), "median-table"):
        for billing, cell in list(by_head.items())[1:]:
            if text_of(cell):
                low, offers, providers = re.findall(r"\$?[\d.,]+", text_of(cell.css_first("small")))
                key = gpu_of(row), billing
                yield key, MEDIAN, value_of(cell)
                yield key, LOW, low.rstrip(",")
                yield key, OFFERS, offers
                yield key, PROVIDERS, providers


def on_the_page_of_value(site: Path) -> Iterator[Shown]:
    for row, by_head in cells(parsed(site / "value" / "index.html"), "value-table"):
        if text_of(by_head["Rent"]):
            yield (gpu_of(row), ON_DEMAND), MEDIAN, value_of(by_head["Rent"])
            yield (gpu_of(row), ON_DEMAND), OFFERS, value_of(by_head["Offers"])


def in_the_first_offers(site: Path) -> Iterator[Shown]:
    """The list of offers as it is without scripts: the cheapest on-demand offer of each GPU."""
    for row, by_key in cells(parsed(site / "offers" / "index.html"), "offer-table"):
        yield (gpu_of(row), ON_DEMAND), LOW, value_of(by_key["usd_per_gpu_hour"])


def on_pages_of_providers(site: Path) -> Iterator[Shown]:
    """The lowest of what all providers ask."""
    lowest: dict[Key, float] = {}
    for path in (site / "providers").glob("*/index.html"):
        for row, by_head in cells(parsed(path), "rival-table"):
            asked, key = value_of(by_head["Here from"]), (gpu_of(row), text_of(by_head["Terms"]))
            assert asked is not None
            lowest[key] = min(asked, lowest.get(key, asked))
    yield from ((key, LOW, asked) for key, asked in lowest.items())


def script(path: Path) -> dict[str, dict[str, list[Any]]]:
    """The tables of a script of data, by columns."""
    tables: dict[str, dict[str, list[Any]]] = json.loads(path.read_text(encoding="utf-8").partition("= ")[2].rstrip(";\n"))
    return tables


def rows_of(columns: dict[str, list[Any]]) -> Iterator[dict[str, Any]]:
    yield from (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))


def in_the_data_of_recommendations(site: Path) -> Iterator[Shown]:
    tables = script(site / "assets" / "recommend-data.js")
    lowest: dict[Key, float] = {}
    for row in rows_of(tables["offer_current"]):
        if row["way"] == "rent" and not row["stale"]:
            key = tables["gpu"]["gpu_id"][row["gpu_id"]], words(row["billing"] or "not stated")
            lowest[key] = min(row["usd"], lowest.get(key, row["usd"]))
    yield from ((key, LOW, price) for key, price in lowest.items())


def in_the_data_of_calculators(site: Path) -> Iterator[Shown]:
    for row in rows_of(script(site / "assets" / "calculators-data.js")["card"]):
        if row["median_usd"] is not None:
            yield (row["gpu_id"], ON_DEMAND), MEDIAN, row["median_usd"]
            yield (row["gpu_id"], ON_DEMAND), OFFERS, row["n_offers"]


EVERY_BILLING = (on_pages_of_gpus, on_the_page_of_prices, on_pages_of_providers, in_the_data_of_recommendations)
ON_DEMAND_ONLY = (in_the_list_of_gpus, in_the_first_offers, in_the_data_of_calculators)
SOME_GPUS = (on_the_page_of_value,)  # those with a known speed


@cache
def shown(reader: Reader, site: Path, con: duckdb.DuckDBPyConnection) -> list[Shown]:
    """The figures of one place, with billings by their names in the table."""
    known = billings(con)
    return [((gpu_id, known.get(billing, billing)), column, value) for (gpu_id, billing), column, value in reader(site)]


def as_shown(column: str, value: Any) -> str:
    """A figure of the table as text on a page."""
    return str(usd(value)) if column in {LOW, MEDIAN} else f"{value:,}" if isinstance(value, int) else str(value)


@pytest.mark.parametrize("reader", [*EVERY_BILLING, *ON_DEMAND_ONLY, *SOME_GPUS], ids=lambda reader: reader.__name__)
def test_every_rental_price_is_that_of_the_table(
    site: Path, con: duckdb.DuckDBPyConnection, market: dict[Key, dict[str, Any]], reader: Reader
) -> None:
    found = shown(reader, site, con)
    assert len(found) > 30
    for key, column, value in found:
        expected = market[key][column]
        if isinstance(value, str):
            assert value == as_shown(column, expected), (key, column)
        else:
            assert value == pytest.approx(expected, rel=1e-6), (key, column)


@pytest.mark.parametrize("reader", [*EVERY_BILLING, *ON_DEMAND_ONLY], ids=lambda reader: reader.__name__)
def test_no_gpu_with_a_rental_price_is_left_out(
    site: Path, con: duckdb.DuckDBPyConnection, market: dict[Key, dict[str, Any]], reader: Reader
) -> None:
    wanted = set(market) if reader in EVERY_BILLING else {key for key in market if key[1] == ON_DEMAND}
    assert {key for key, _, _ in shown(reader, site, con)} == wanted


@pytest.mark.parametrize("gpu_id", ["nvidia-tesla-v100-sxm2-16gb", "nvidia-l40s-48gb", "nvidia-rtx-a6000-48gb"])
def test_a_gpu_has_one_on_demand_median_everywhere(site: Path, con: duckdb.DuckDBPyConnection, gpu_id: str) -> None:
    readers = (on_pages_of_gpus, in_the_list_of_gpus, on_the_page_of_prices, on_the_page_of_value, in_the_data_of_calculators)
    found = [
        {value if isinstance(value, str) else str(usd(value)) for key, name, value in shown(reader, site, con)
         if key == (gpu_id, ON_DEMAND) and name == MEDIAN}
        for reader in readers
    ]  # fmt: skip
    assert all(len(values) == 1 for values in found), found
    assert len(set.union(*found)) == 1, found
