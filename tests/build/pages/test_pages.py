"""The pages: data stay inert, links lead somewhere, every chart has its words, table and file."""

import csv
import html
import json
import posixpath
import re
from pathlib import Path

import altair as alt
import duckdb
import pytest

from pipeline.release import publish
from pipeline.website.charts.theme import recolor_dark, theme
from tests.build.pages.site_pages import WITH_HISTORY, Page, Tag, pages, tags_of


def test_hostile_text_in_every_column_stays_text(hostile_site: Path) -> None:
    for name, page in pages(hostile_site).items():
        assert not [found for _, found in page.tags for key in found if key.startswith("on")], name
        assert not [
            url for url in page.values("href", "src", "action") if re.match(r"\s*(javascript|data|vbscript):", url, re.I)
        ], name
        assert not [script for script in page.running if "window.hit" in script], name
        assert not [found for tag, found in page.tags if tag in {"iframe", "object", "embed", "marquee", "b-hit"}], name
        assert not [
            found for tag, found in page.tags if tag == "img" and not found.get("src", "").startswith(("../", "assets/"))
        ], name


def test_hostile_text_reaches_every_page_made_from_data(hostile_site: Path) -> None:
    """But the changelog, the glossary, the method and the notice of a page that moved, which are written by hand."""
    without = {name for name, page in pages(hostile_site).items() if "window.hit" not in "".join(page.text)}
    by_hand = ("changes/versions", "glossary", "method", "workloads/llm-decode")
    untold = {f"{name}/index.html" for name in by_hand}
    kinds = ("value", "speedups", "offers", "gpus", "sources", "rejects", "providers", "workloads", f"gpus/{WITH_HISTORY}")
    assert {f"{name}/index.html" for name in kinds} <= pages(hostile_site).keys()
    assert {name for name in without if name.endswith("/index.html")} == untold | {f"zh/{name}" for name in untold}


def test_hostile_text_does_not_change_what_a_page_is_made_of(hostile_site: Path) -> None:
    page = pages(hostile_site)["audit/index.html"]
    rows = [found for tag, found in page.tags if tag == "tr" and "data-verdict" in found]
    assert rows
    assert {tuple(sorted(found)) for found in rows} == {
        ("data-guide", "data-role", "data-verdict"),
        ("data-guide", "data-verdict"),
    }


def test_hostile_offers_and_names_stay_text(hostile_site: Path) -> None:
    rows = [row for tag, row in pages(hostile_site)["gpus/index.html"].tags if tag == "tr" and row]
    assert len(rows) > 5
    assert {tuple(sorted(row)) for row in rows if "class" not in row} == {("data-id",)}
    assert not set("<>&") & set((hostile_site / "offers" / "offers.js").read_text())


def test_links_to_hostile_names_lead_to_their_pages(hostile_site: Path) -> None:
    found = {name: page for name, page in pages(hostile_site).items() if name.startswith(("providers/", "workloads/"))}
    assert found.pop("workloads/llm-decode/index.html")  # only leads on to the language models
    assert len(found) > 30
    for name, page in found.items():
        inner = [url for url in page.values("href") if "/providers/" in url or "/workloads/" in url]
        assert [url for url in inner if not (hostile_site / name).parent.joinpath(url).exists()] == [], name


def test_hostile_specifications_stay_data(hostile_site: Path) -> None:
    for path in hostile_site.rglob("*.svg"):
        tags = Page(path).tags
        assert not [tag for tag, found in tags if tag in {"script", "img", "a"} or any(key.startswith("on") for key in found)], (
            path
        )
    for spec in re.findall(r'class="gl-spec">(.*?)</script>', (hostile_site / "index.html").read_text(), re.S):
        assert not set("<>&") & set(spec)
        json.loads(spec)


@pytest.fixture(scope="module")
def tags(site: Path) -> dict[str, list[Tag]]:
    """The tags of every page that others link to or that link to others."""
    return tags_of(site, "[id], [href], [src], [data-src]")


def test_every_link_leads_somewhere(site: Path, tags: dict[str, list[Tag]]) -> None:
    ids = {name: {had["id"] for _, had in found if "id" in had} for name, found in tags.items()}
    keys = ("href", "src", "data-src")
    urls = {name: {had[key] for _, had in found for key in keys if key in had} for name, found in tags.items()}
    files = {str(path.relative_to(site)) for path in site.rglob("*")}
    assert sum(map(len, urls.values())) > 20_000
    assert [f"{name}: {url}" for name, links in urls.items() for url in links if _broken(files, name, url, ids)] == []


def _broken(files: set[str], page: str, url: str, ids: dict[str, set[str]]) -> bool:
    if re.match(r"[a-z]+:", url) or page == "404.html":
        return False
    path, _, anchor = url.partition("#")
    path = path.partition("?")[0]
    target = posixpath.normpath(posixpath.join(posixpath.dirname(page), path)) if path else page
    index = posixpath.normpath(posixpath.join(target, "index.html"))
    name = index if index in files else target
    if name not in files:
        return True
    return bool(anchor and not anchor.startswith("__") and name in ids and anchor not in ids[name])


def test_no_page_names_another_host_for_itself(tags: dict[str, list[Tag]]) -> None:
    loads = [
        f"{name}: {found}"
        for name, of_page in tags.items()
        for tag, found in of_page
        for url in (found.get("src", ""), found.get("href", "") if tag == "link" else "")
        if url.startswith(("http:", "https:", "//"))
    ]
    assert loads == []


def test_every_gpu_has_a_page(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ids = [gpu_id for (gpu_id,) in con.execute("SELECT gpu_id FROM gpu").fetchall()]
    assert [gpu_id for gpu_id in ids if not (site / "gpus" / gpu_id / "index.html").exists()] == []


def test_every_chart_has_words_table_pictures_and_file(site: Path) -> None:
    others = ("value/index.html", "speedups/index.html", "audit/index.html", "break-even/index.html", "data/index.html")
    for name in ("index.html", *others, f"gpus/{WITH_HISTORY}/index.html"):
        text = (site / name).read_text()
        charts = [html.unescape(chart) for chart in re.findall(r'data-chart="([^"]+)"', text)]
        assert charts, name
        for chart in charts:
            with (site / "data" / "charts" / f"{chart}.csv").open() as file:
                assert len(list(csv.reader(file))) > 2, chart
            assert all((site / "assets" / "charts" / f"{chart}-{mode}.svg").stat().st_size > 1000 for mode in ("light", "dark"))
        assert text.count('class="gl-direction"') == text.count('class="gl-source"') == len(charts)
        assert all(len(label) > 40 for label in re.findall(r'role="img" aria-label="([^"]*)"', text))
        assert all((site / folder / "embed" / f"{chart}.html").exists() for chart in charts for folder in ("", "zh"))


def test_every_chart_is_valid_vega_lite(site: Path) -> None:
    """The build draws without validating: here it is made up for."""
    pages = [site / "index.html", *(site / name / "index.html" for name in ("value", "speedups", "audit", "break-even", "data"))]
    texts = [text for page in pages for text in re.findall(r'class="gl-spec"[^>]*>(.*?)</script>', page.read_text(), re.S)]
    assert len(texts) > 10
    for text in texts:
        alt.Chart.from_dict(json.loads(text), validate=True)


def test_the_dark_picture_is_the_light_one_in_other_colours() -> None:
    light, dark = theme(dark=False), theme(dark=True)
    assert json.loads(recolor_dark(json.dumps(light))) == dark


def test_downloads_are_the_release(release: Path, site: Path) -> None:
    paths = [path for name in publish.DATA_NAMES for path in [release / name, *(release / name).glob("*")] if path.is_file()]
    assert len(paths) > 100
    for path in paths:
        assert (site / "data" / path.relative_to(release)).read_bytes() == path.read_bytes()
