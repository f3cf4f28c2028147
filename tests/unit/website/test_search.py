"""Search entries of generated pages: headings, words and names of GPUs, and nothing active."""

import html
import json
import re
from pathlib import Path

import duckdb

from pipeline.website.writing import search
from pipeline.website.writing.search import index_page, index_sections

PAGE = """
<h1 id="page">Prices &amp; terms</h1><p>First <b>words</b>.</p>
<table><tr><td>cell</td></tr></table>
<h2 id="offers">Offers</h2><p>All of them.</p><ul><li>one</li></ul><h3>A box</h3><p>Its text.</p>
"""


def test_a_heading_with_an_address_begins_an_entry() -> None:
    first, second = index_sections("prices/index.html", PAGE)
    assert first == {"location": "prices/index.html", "title": "Prices &amp; terms", "text": "<p>First words.</p>"}
    assert second["location"] == "prices/index.html#offers"
    assert second["text"] == "<p>All of them.</p><p>one</p><p>A box</p><p>Its text.</p>"


def test_a_page_of_many_alike_is_one_entry() -> None:
    (found,) = index_page("gpus/a/index.html", PAGE)
    assert found["title"] == "Prices &amp; terms"
    assert all(text in found["text"] for text in ("First words.", "All of them."))


def test_figures_are_no_words_and_names_are(tmp_path: Path) -> None:
    (tmp_path / "search_index.json").write_text(json.dumps({"docs": [{"title": "A", "text": "Llama 3.1, $2", "location": "a"}]}))
    text = "<p>The RTX 4090 24 GB costs $0.48, 12.5% less; 2,405 tokens/s, Q4_K_M, Llama-3.2-3B, &#x27;A100&#x27; 80%</p>"
    search.add_entries(tmp_path, [{"title": "Llama 3.1", "text": text, "location": "b"}])
    first, second = json.loads((tmp_path / "search_index.json").read_text())["docs"]
    assert first["text"] == "Llama 3.1, …"
    assert second["title"] == "Llama 3.1"
    assert second["text"] == "<p>The RTX 4090 24 GB costs …, … less; … tokens/s, Q4_K_M, Llama-3.2-3B, &#x27;A100&#x27; …</p>"


def test_no_table_of_a_page_is_inside_another(site: Path) -> None:
    for page in site.rglob("*.html"):
        tags = re.findall(r"<table|</table>", page.read_text(encoding="utf-8"))
        assert tags == ["<table", "</table>"] * (len(tags) // 2), page


def test_text_stays_text() -> None:
    (found,) = index_sections("a.html", "<h1>&lt;script&gt;</h1><p>&lt;img src=x&gt;</p>")
    assert (found["title"], found["text"]) == ("&lt;script&gt;", "<p>&lt;img src=x&gt;</p>")


def test_every_gpu_is_found_once_by_its_name_and_by_what_it_is_called(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    found = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    gpus = {one["location"]: one for one in found if one["location"].startswith("gpus/nvidia-") or "#" not in one["location"]}
    for gpu_id, name in con.execute("SELECT gpu_id, name FROM gpu").fetchall():
        assert html.unescape(gpus[f"gpus/{gpu_id}/index.html"]["title"]) == name
    for alias, gpu_id in con.execute("SELECT alias, gpu_id FROM gpu_alias WHERE gpu_id IS NOT NULL LIMIT 50").fetchall():
        assert alias in html.unescape(gpus[f"gpus/{gpu_id}/index.html"]["text"])
    locations = [one["location"] for one in found if one["location"].startswith("gpus/")]
    assert len(locations) == len(set(locations))


def test_hand_written_pages_are_found_too(site: Path) -> None:
    found = json.loads((site / "search" / "search_index.json").read_text())["docs"]
    assert {"architecture.html", "value/index.html", "audit/index.html"} <= {one["location"] for one in found}


def test_a_heading_is_found_once() -> None:
    page = '<div><h1 id="a">A</h1><p>one</p><h2 id="b">B</h2><h3 id="c">C</h3><p>two</p><h3>D</h3></div>'
    found = search.index_sections("x.html", page)
    assert [entry["location"] for entry in found] == ["x.html", "x.html#b", "x.html#c"]


def test_signs_of_a_language_without_spaces_are_words(tmp_path: Path) -> None:
    (tmp_path / "search_index.json").write_text(json.dumps({"docs": []}))
    search.add_entries(tmp_path, [{"location": "x.html", "title": "显存 GB", "text": "<p>A100 的显存</p>"}])
    (found,) = json.loads((tmp_path / "search_index.json").read_text(encoding="utf-8"))["docs"]
    assert (found["title"], found["text"]) == ("显\u200b存 GB", "<p>A100 的\u200b显\u200b存</p>")
