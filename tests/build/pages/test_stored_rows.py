"""From a figure on a page to its stored row: the link names file and row, and the published copy has the figure."""

import html
import json
import random
import re
from functools import lru_cache
from pathlib import Path
from typing import TypeVar
from urllib.parse import parse_qs, urlsplit

import duckdb
import pytest

from pipeline.release.stored_bytes import EXCERPT, WHOLE
from pipeline.website.writing.links import source_path
from tests.build.pages.site_pages import body_rows

T = TypeVar("T")
TABLES = [
    ("gpus/nvidia-h100-sxm5-80gb/index.html", "offer-table"),
    ("gpus/nvidia-h100-sxm5-80gb/index.html", "past-offer-table"),
    ("providers/lambda/index.html", "offer-table"),
    ("providers/pcpartpicker/index.html", "purchase-table"),
]
LINK = re.compile(r'href="?(?:\.\./)*(sources/[a-z0-9-]+/index\.html)\?([^" >]+)')
_PRICES = """
    SELECT number, coalesce(usd_per_gpu_hour, usd_per_gpu), price_raw
    FROM (SELECT unnest($links, recursive := true)) AS link
    JOIN price ON link.source_id = replace(price.source_id, '_', '-') AND link.locator = price.locator
        AND starts_with(snapshot_id, file)
    ORDER BY number
"""


class StoredRow:
    """File and row that a link names."""

    def __init__(self, page: str, query: str) -> None:
        named = parse_qs(urlsplit(f"?{html.unescape(query)}").query)
        self.page, self.file, self.locator = page, named["file"][0], named["row"][0]

    @property
    def source_id(self) -> str:
        return self.page.split("/")[1]

    def text(self, site: Path) -> str:
        """The row in the published copy that the page of its source offers."""
        copies = copies_of(site / self.page, self.file)
        if "whole" in copies and (number := re.match(r"line (\d+)", self.locator)):
            return copies["whole"][int(number[1]) - 1]
        if "whole" in copies and (key := re.match(r"row ([^,]+), column ", self.locator)):
            return next(line for line in copies["whole"] if line.startswith(f"{key[1]},"))
        rows = dict(line.split("\t", 1) for line in copies["excerpts"] if line)
        return rows[self.locator.split(",")[0]]


@lru_cache(maxsize=8)  # the rows of a table are of few files
def copies_of(page: Path, file: str) -> dict[str, list[str]]:
    """The lines of the published copies of a file that the page of its source names, by their kind."""
    entry = re.search(rf'<tr id="?file-{file}"?([^>]*)>', page.read_text())
    assert entry, (page, file)
    copies = dict(re.findall(r'data-(whole|excerpts)="?([^" >]+)', entry[1]))
    assert copies, page
    return {kind: page.parent.joinpath(path).read_text().split("\n") for kind, path in copies.items()}


def some(items: list[T], number: int) -> list[T]:
    """Return items chosen at random, the same in every run."""
    return random.Random(19).sample(items, number)  # noqa: S311 - no secret


def links(text: str) -> list[StoredRow]:
    return [StoredRow(*found) for found in LINK.findall(text)]


def rows_of_table(site: Path, path: str, table: str) -> list[str]:
    text = (site / path).read_text().split(f'id="{table}"', 1)[1].split("<tbody>", 1)[1].split("</tbody>", 1)[0]
    return text.split("<tr")[1:]


def is_printed(figure: float | str, text: str) -> bool:
    """Report whether a text has this figure, however it is formatted."""
    if isinstance(figure, str):
        return figure.lower() in text.lower()
    found = (float(one.replace(",", "")) for one in re.findall(r"\d[\d,]*\.?\d*(?![\d.])|\.\d+", text.replace('","', " ")))
    cells = (float(one) for one in re.findall(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", text))
    return any(one == pytest.approx(figure, rel=1e-9) for one in (*found, *cells))


def price_of(price_raw: str) -> float:
    """The price as its source prints it, which may name the field before it."""
    return float(re.findall(r"\d[\d,]*\.?\d*", price_raw)[-1].replace(",", ""))


def prices_of(con: duckdb.DuckDBPyConnection, links: list[StoredRow]) -> list[tuple[float, str]]:
    """The price of each link's row in USD and as its source prints it; there is one row of each."""
    asked = [
        {"number": number, "file": one.file, "locator": one.locator, "source_id": one.source_id}
        for number, one in enumerate(links)
    ]
    found = con.execute(_PRICES, {"links": asked}).fetchall()
    assert [number for number, *_ in found] == list(range(len(links)))
    return [(usd, price_raw) for _, usd, price_raw in found]


@pytest.mark.parametrize(("path", "table"), TABLES)
def test_every_price_of_a_table_links_to_its_row(site: Path, con: duckdb.DuckDBPyConnection, path: str, table: str) -> None:
    rows = rows_of_table(site, path, table)
    assert rows
    linked = [link for row in rows for (link,) in [links(row)]]
    for row, link, (usd, price_raw) in zip(rows, linked, prices_of(con, linked), strict=True):
        shown = float(re.search(r'data-v="?([0-9.e-]+)', row)[1])  # type: ignore[index]
        assert shown == pytest.approx(usd)
        assert is_printed(price_of(price_raw), link.text(site)), (price_raw, link.text(site))


def test_ten_random_prices_lead_to_their_bytes(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    pages = sorted((site / "gpus").glob("*/index.html"))
    prices = [(link, row) for page in pages for link, row in _linked_rows(page.read_text(), 'class="n" data-v=')]
    chosen = some(prices, 10)
    assert len({link.source_id for link, _ in prices}) > 10
    stored = prices_of(con, [link for link, _ in chosen])
    for (link, row), (usd, price_raw) in zip(chosen, stored, strict=True):
        assert usd in [pytest.approx(float(value)) for value in re.findall(r'data-v="?([0-9.]+)"', row)]
        assert is_printed(price_of(price_raw), link.text(site)), (price_raw, link.text(site))


def _linked_rows(text: str, mark: str) -> list[tuple[StoredRow, str]]:
    rows = [row.split("</tr>")[0] for row in text.split("<tr")[1:]]
    return [(found[0], row) for row in rows if mark in row and len(found := links(row)) == 1]


def test_ten_random_specification_values_lead_to_their_bytes(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    stated = con.execute("SELECT gpu_id, attribute, source_id, locator FROM gpu_spec WHERE chosen ORDER BY ALL").fetchall()
    for gpu_id, attribute, source_id, locator in some(stated, 10):
        page = (site / "gpus" / gpu_id / "index.html").read_text()
        link = next(one for one in links(page) if (one.source_id, one.locator) == (source_id.replace("_", "-"), locator))
        ((number, text),) = con.execute(
            "SELECT value_as_stated, value_text FROM gpu_spec WHERE (gpu_id, attribute, source_id, locator) = (?, ?, ?, ?)",
            [gpu_id, attribute, source_id, locator],
        ).fetchall()
        assert is_printed(number if number is not None else text, link.text(site)), (gpu_id, attribute, link.text(site))


def test_every_specification_value_has_a_link(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = (site / "gpus/nvidia-h100-sxm5-80gb/index.html").read_text().split('id="specification"')[1]
    linked = {(link.source_id, link.locator) for link in links(page)}
    chosen = con.execute("""
        SELECT replace(source_id, '_', '-'), locator FROM gpu_spec WHERE gpu_id = 'nvidia-h100-sxm5-80gb' AND chosen
    """).fetchall()
    assert len(chosen) > 20
    assert set(chosen) <= linked


def test_the_cheapest_h100_offer_leads_to_the_row_that_its_source_stored(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((locator, snapshot, origin, extent, source_id),) = con.execute("""
        SELECT p.locator, p.snapshot_id, s.origin, s.extent, p.source_id
        FROM rental_listing JOIN offer_listing o USING (observation_id) JOIN price p USING (observation_id)
        JOIN snapshot s USING (snapshot_id)
        WHERE o.gpu_model_id = 'nvidia-h100' AND o.billing = 'on_demand' AND NOT o.stale
        ORDER BY o.usd, o.observation_id LIMIT 1
    """).fetchall()
    offers = (site / "gpus/nvidia-h100-sxm5-80gb/index.html").read_text()
    assert (snapshot[:12], locator) in {(link.file, link.locator) for link in links(offers)}
    page = (site / source_path(source_id)).read_text()
    file = page.split(f"file-{snapshot[:12]}", 1)[1].split("</tr>", 1)[0]
    assert f"<code>{snapshot}</code>" in file
    assert origin.replace("_", " ").capitalize() in file
    assert extent.capitalize() in file


def test_every_offer_of_the_explorer_leads_to_its_bytes(site: Path) -> None:
    text = (site / "offers" / "offers.js").read_text()
    file = json.loads(text.removeprefix("window.gpuledgerRows=").rstrip().removesuffix(";"))
    (sources,) = [
        column for column in file["columns"] if any((link or "").startswith("../sources/") for link in column.get("links", ()))
    ]
    text = (site / "offers" / "places.js").read_text()
    places = json.loads(text.removeprefix("window.gpuledgerPlaces=").rstrip().removesuffix(";"))
    assert all((link or "/index.html?offer=").endswith("/index.html?offer=") for link in sources["links"])
    found = [
        StoredRow(sources["links"][at].removeprefix("../").removesuffix("?offer="), places[offer])
        for at, offer in zip(sources["at"], file["ids"], strict=True)
    ]
    assert len(found) == len(file["ids"]) > 500
    assert all(link.text(site) for link in some(found, 50))


def test_every_stored_file_is_on_the_page_of_its_source(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    files = con.execute("SELECT source_id, snapshot_id, path FROM snapshot").fetchall()
    missing = [path for source, snapshot, path in files if snapshot not in (site / source_path(source)).read_text()]
    assert missing == []


def test_stored_files_are_published_where_the_licence_allows_it(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    """Not where rows of a provider were rejected whose terms forbid comparisons of its prices."""
    files = con.execute("""
        SELECT snapshot_id, republish AND snapshot_id NOT IN (SELECT snapshot_id FROM reject WHERE reason_code = 'TERMS'),
            bytes, rows_accepted
        FROM snapshot JOIN source USING (source_id)
    """).fetchall()
    folder = site / "data" / "snapshots"
    for snapshot, republish, size, accepted in files:
        whole, excerpt = folder / f"{snapshot}{WHOLE}", folder / f"{snapshot}{EXCERPT}"
        assert whole.exists() == republish
        assert not republish or whole.stat().st_size == size
        assert republish or excerpt.exists() == (accepted > 0), snapshot
    names = {path.name for path in folder.iterdir()} - {"SHA256SUMS"}
    assert all(name.endswith(".txt") for name in names)
    assert {name[:64] for name in names} <= {snapshot for snapshot, *_ in files}
    assert not [path.name for path in folder.iterdir() if "\nRunPod," in path.read_text(encoding="utf-8", errors="replace")]


def test_the_chinese_page_has_the_same_files(site: Path) -> None:
    path = source_path("gpurentalprices")
    pages = [(site / folder / path).read_text() for folder in ("", "zh")]
    assert len(body_rows(pages[0], "file-table")) == len(body_rows(pages[1], "file-table")) > 0
    assert "../../../data/snapshots/" in pages[1]
