"""From a price on a page to its stored row: snapshot, locator and origin."""

import html
import json
import re
from pathlib import Path

import duckdb
import pytest

from pipeline.website.links import ROW_ID_LENGTH, source_path
from tests.build.pages.site_pages import body_rows

_EXPECTED = """
    SELECT p.locator, p.snapshot_id, s.origin, s.extent, p.source_id FROM price p JOIN snapshot s USING (snapshot_id)
    WHERE p.observation_id = ?
"""
TABLES = [
    ("gpus/nvidia-h100-sxm5-80gb/index.html", "offer-table"),
    ("gpus/nvidia-h100-sxm5-80gb/index.html", "past-offer-table"),
    ("providers/lambda/index.html", "offer-table"),
    ("providers/pcpartpicker/index.html", "purchase-table"),
]


def row_of(site: Path, path: str, row_id: str) -> str:
    """Text of the row with this id on a page."""
    text = (site / path).read_text()
    found = re.search(rf'<tr id="{row_id}">(.*?)</tr>', text, re.S)
    assert found, (path, row_id)
    return html.unescape(found[1])


@pytest.mark.parametrize(("path", "table"), TABLES)
def test_every_price_of_a_table_links_to_its_row(site: Path, con: duckdb.DuckDBPyConnection, path: str, table: str) -> None:
    text = (site / path).read_text().split(f'id="{table}"', 1)[1].split("</tbody>", 1)[0]
    links = re.findall(r'href="\.\./\.\./(sources/[^"#]+)#([0-9a-f]{10})"', text)
    assert len(links) == text.count('<th scope="row">') > 0
    for source, row_id in links:
        row = row_of(site, source, row_id)
        ((locator, snapshot, usd),) = con.execute(
            """SELECT p.locator, p.snapshot_id, coalesce(p.usd_per_gpu_hour, p.usd_per_gpu)
            FROM price p LEFT JOIN price_latest l USING (observation_id)
            WHERE coalesce(l.offer_key, p.observation_id) LIKE ?""",
            [f"{row_id}%"],
        ).fetchall()
        assert f"<code>{locator}</code>" in row
        assert [float(price) for price in re.findall(r'<td class="n" data-v="([^"]+)"', row)] == [pytest.approx(usd)]
        assert snapshot in row_of(site, source, f"file-{snapshot[:12]}")


def test_the_cheapest_h100_offer_leads_to_the_row_that_its_source_stored(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((observation, key),) = con.execute("""
        SELECT observation_id, offer_key FROM rental_listing JOIN offer_listing o USING (observation_id)
        WHERE o.gpu_model_id = 'nvidia-h100' AND o.billing = 'on_demand' AND NOT o.stale ORDER BY o.usd, 1 LIMIT 1
    """).fetchall()
    ((locator, snapshot, origin, extent, source_id),) = con.execute(_EXPECTED, [observation]).fetchall()
    assert locator in row_of(site, source_path(source_id), key[:ROW_ID_LENGTH])
    file = row_of(site, source_path(source_id), f"file-{snapshot[:12]}")
    assert f"<code>{snapshot}</code>" in file
    assert origin.replace("_", " ").capitalize() in file
    assert extent.capitalize() in file


def test_every_offer_of_the_explorer_has_a_row(site: Path) -> None:
    text = (site / "offers" / "offers.js").read_text()
    file = json.loads(text.removeprefix("window.gpuledgerRows=").rstrip().removesuffix(";"))
    (sources,) = [
        column for column in file["columns"] if any((link or "").startswith("../sources/") for link in column.get("links", ()))
    ]
    pages = {link: (site / "offers" / link.removesuffix("#")).read_text() for link in sources["links"]}
    links = [sources["links"][at] for at in sources["at"]]
    assert len(links) == len(file["ids"]) > 500
    assert [row_id for row_id, link in zip(file["ids"], links, strict=True) if f'<tr id="{row_id}">' not in pages[link]] == []


def test_every_stored_file_is_on_the_page_of_its_source(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    files = con.execute("SELECT source_id, snapshot_id, path FROM snapshot").fetchall()
    missing = [path for source, snapshot, path in files if snapshot not in (site / source_path(source)).read_text()]
    assert missing == []


def test_the_chinese_page_has_the_same_rows(site: Path) -> None:
    path = source_path("gpurentalprices")
    pages = [(site / folder / path).read_text() for folder in ("", "zh")]
    assert len(body_rows(pages[0], "row-table")) == len(body_rows(pages[1], "row-table")) > 100
