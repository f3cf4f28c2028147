"""The pages: data stay inert, links lead somewhere, numbers read well, every chart has its words, table and file."""

import csv
import html
import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import duckdb
import pytest
from markupsafe import Markup

from pipeline import website
from pipeline.chart_theme import darkened, theme
from pipeline.pages import Book, card_prices, gpus, home, market, numbers, prices, quality
from pipeline.pages.database import Database, Row
from pipeline.pages.escape import escape, plain, script_json
from pipeline.pages.rendering import link
from tests.hostile import SUFFIX, hostile_release

WITH_HISTORY = "nvidia-a100-pcie-40gb"


class Page(HTMLParser):
    """What a browser would find on a page: tags with attributes, ids, links, and scripts that run."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.running: list[str] = []
        self.text: list[str] = []
        self._script: dict[str, str] | None = None
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        self._script = found if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self._script = None if tag == "script" else self._script

    def handle_data(self, data: str) -> None:
        if self._script is None:
            self.text.append(data)
        elif "json" not in self._script.get("type", ""):
            self.running.append(data)

    def values(self, *names: str) -> Iterator[str]:
        yield from (found[name] for _, found in self.tags for name in names if name in found)


def pages(site: Path) -> dict[str, Page]:
    return {str(path.relative_to(site)): Page(path) for path in sorted(site.rglob("*.html"))}


@pytest.fixture(scope="module")
def site(release: Path) -> Path:
    return release / "site"


@pytest.fixture(scope="module")
def hostile_site(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    hostile_release(release, folder / "release")
    website.build_site(folder / "release", folder / "work")
    return folder / "release" / "site"


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
    assert "window.hit" in "".join(pages(hostile_site)["index.html"].text), "the hostile text never reached the page"


def test_hostile_text_does_not_change_what_a_page_is_made_of(hostile_site: Path) -> None:
    page = pages(hostile_site)["audit/index.html"]
    rows = [found for tag, found in page.tags if tag == "tr" and "data-verdict" in found]
    assert rows
    assert {tuple(sorted(found)) for found in rows} == {("data-guide", "data-role", "data-verdict")}


def test_hostile_offers_names_and_rejects_stay_text(hostile_site: Path) -> None:
    found = pages(hostile_site)
    rows = [row for tag, row in found["prices/index.html"].tags if tag == "tr" and "data-price" in row]
    assert rows
    assert {tuple(sorted(row)) for row in rows} == {("data-billing", "data-lot", "data-memory", "data-price", "data-provider")}
    for name in ("prices/index.html", "sources/index.html", "rejects/index.html", f"gpus/{WITH_HISTORY}/index.html"):
        assert "window.hit" in "".join(found[name].text), f"the hostile text never reached {name}"


def test_hostile_specifications_stay_data(hostile_site: Path) -> None:
    for path in hostile_site.rglob("*.svg"):
        tags = Page(path).tags
        assert not [tag for tag, found in tags if tag in {"script", "img", "a"} or any(key.startswith("on") for key in found)], (
            path
        )
    for spec in re.findall(r'class="gl-spec">(.*?)</script>', (hostile_site / "index.html").read_text(), re.S):
        assert not set("<>&") & set(spec)
        json.loads(spec)


def test_every_link_leads_somewhere(site: Path) -> None:
    found = pages(site)
    ids = {name: set(page.values("id")) for name, page in found.items()}
    broken = [
        f"{name}: {url}" for name, page in found.items() for url in page.values("href", "src") if _broken(site, name, url, ids)
    ]
    assert broken == []


def _broken(site: Path, page: str, url: str, ids: dict[str, set[str]]) -> bool:
    if re.match(r"[a-z]+:", url) or page == "404.html":
        return False
    path, _, anchor = url.partition("#")
    path = path.partition("?")[0]
    target = (site / page).parent / path if path else site / page
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        return True
    name = str(target.resolve().relative_to(site.resolve()))
    return bool(anchor and not anchor.startswith("__") and name in ids and anchor not in ids[name])


def test_no_page_names_another_host_for_itself(site: Path) -> None:
    loads = [
        f"{name}: {found}"
        for name, page in pages(site).items()
        for tag, found in page.tags
        for url in (found.get("src", ""), found.get("href", "") if tag == "link" else "")
        if url.startswith(("http:", "https:", "//"))
    ]
    assert loads == []


def test_every_card_has_a_page(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ids = [gpu_id for (gpu_id,) in con.execute("SELECT gpu_id FROM gpu").fetchall()]
    assert [gpu_id for gpu_id in ids if not (site / "gpus" / gpu_id / "index.html").exists()] == []


def test_every_chart_has_words_table_pictures_and_file(site: Path) -> None:
    for name in ("index.html", "audit/index.html", "break-even/index.html", "data/index.html", f"gpus/{WITH_HISTORY}/index.html"):
        text = (site / name).read_text()
        charts = [html.unescape(chart) for chart in re.findall(r'data-chart="([^"]+)"', text)]
        assert charts, name
        for chart in charts:
            with (site / "data" / "charts" / f"{chart}.csv").open() as file:
                assert len(list(csv.reader(file))) > 2, chart
            assert all((site / "assets" / "charts" / f"{chart}-{mode}.svg").stat().st_size > 1000 for mode in ("light", "dark"))
        assert text.count('class="gl-direction"') == text.count('class="gl-source"') == len(charts)
        assert all(len(label) > 40 for label in re.findall(r'role="img" aria-label="([^"]*)"', text))


def words_of(site: Path, name: str) -> str:
    return " ".join("".join(Page(site / name).text).split())


def test_the_home_page_gives_the_answer_of_the_data(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = words_of(site, "index.html")
    found = con.execute("""
        SELECT l.usd_per_gpu_hour * r.seconds / 3600, l.provider FROM guide_run r
        JOIN guide_machine m USING (source_id, machine) JOIN price_latest l ON l.gpu_id = m.gpu_id
        WHERE r.task = 'stylegan_xl_training' AND m.gpu_count = 1 AND r.seconds IS NOT NULL AND NOT l.stale
            AND l.kind = 'cloud_rental' AND l.billing = 'on_demand' AND l.partition = 'whole' AND l.flags IS NULL
            AND coalesce(l.min_gpus, l.gpu_count, 1) = 1
        ORDER BY 1 LIMIT 1
    """).fetchall()
    assert found, "no measured card has a current price"
    ((cost, provider),) = found
    assert f"{numbers.usd(cost)} a run" in text
    assert provider in text
    assert "April 2022" in text


def test_the_prices_page_shows_every_current_offer(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    ((offers, cards),) = con.execute("""
        SELECT count(*), count(DISTINCT gpu_id) FROM price_latest
        WHERE kind = 'cloud_rental' AND NOT stale AND partition = 'whole' AND price_basis <> 'host_only'
            AND os IS DISTINCT FROM 'windows' AND usd_per_gpu_hour IS NOT NULL AND gpu_id IS NOT NULL
    """).fetchall()
    page = Page(site / "prices/index.html")
    assert f"{offers:,} current offers" in words_of(site, "prices/index.html")
    linked = {row["href"] for _, row in page.tags if re.fullmatch(r"\.\./gpus/[^/]+/index\.html", row.get("href", ""))}
    assert len(linked) == cards


def test_every_reject_is_counted_by_source_and_reason(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    text = words_of(site, "rejects/index.html")
    groups = con.execute("""
        SELECT r.reason_code, count(*) FROM reject r JOIN snapshot n USING (snapshot_id) GROUP BY n.source_id, r.reason_code
    """).fetchall()
    assert groups
    assert [code for code, n in groups if f"{code} {n:,} row{'' if n == 1 else 's'}" not in text] == []


def test_every_source_is_listed_with_its_state(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    rows = [row for tag, row in Page(site / "sources/index.html").tags if tag == "tr" and "data-state" in row]
    assert len(rows) == con.execute("SELECT count(*) FROM source").fetchall()[0][0]
    ((stale,),) = con.execute("SELECT count(*) FROM source_health WHERE stale AND problems = 0").fetchall()
    assert sum(row["data-state"] == "stale" for row in rows) == stale


def test_pages_stand_when_there_is_no_price(release: Path, tmp_path: Path) -> None:
    path = tmp_path / "gpuledger.duckdb"
    path.write_bytes((release / "gpuledger.duckdb").read_bytes())
    with duckdb.connect(str(path)) as con:
        con.execute("DELETE FROM price_latest WHERE kind = 'cloud_rental'")
        for table in ("price_daily", "price_index", "price_comparison", "gpu_label", "reject", "source_problem"):
            con.execute(f"DELETE FROM {table}")
        con.execute("DELETE FROM gpu WHERE gpu_id NOT IN (SELECT gpu_id FROM guide_machine WHERE gpu_id IS NOT NULL)")
    with Database(path) as data:
        book = Book(data, tmp_path / "docs", tmp_path)
        for page in (home, prices, gpus, quality):
            page.write(book)
    assert "No measured card has a current price" in (tmp_path / "docs" / "index.md").read_text()


def test_a_figure_in_one_billing_never_takes_an_offer_of_another(release: Path) -> None:
    with Database(release / "gpuledger.duckdb") as data:
        spot, demand = (market.cheapest_and_median(data, billing) for billing in ("spot", "on_demand"))
        known = {row["observation_id"]: row["billing"] for row in data.rows("SELECT observation_id, billing FROM price")}
        assert {known[row["observation_id"]] for row in spot.values()} == {"spot"}
        assert {known[row["observation_id"]] for row in demand.values()} == {"on_demand"}
        assert all(row["usd_min"] <= row["usd_median"] and row["n_providers"] <= row["n_offers"] for row in demand.values())
        assert all((row["lot"] or 1) == 1 for row in market.cheapest_and_median(data, lot=1).values())


@pytest.mark.parametrize(
    ("flags", "said"),
    [(None, ""), ("STALE", ""), ("JUMP,STALE,JUMP", "moved more than 40% at once"), ("<b>,CONFLICT", "sources differ")],
)
def test_flags_read_as_words(flags: str | None, said: str) -> None:
    assert market.remarks(flags) == said


def test_the_line_of_matched_offers_begins_anew_with_each_chain() -> None:
    rows: list[Row] = [
        {"usd_median": 2.0, "price_index": 1.0, "chain_from": 1},
        {"usd_median": 9.0, "price_index": 1.1, "chain_from": 1},
        {"usd_median": 4.0, "price_index": 1.0, "chain_from": 3},
        {"usd_median": 4.0, "price_index": None, "chain_from": None},
    ]
    assert [row["usd_matched"] for row in card_prices.matched(rows)] == pytest.approx([2.0, 2.2, 4.0, None])


def test_the_dark_picture_is_the_light_one_in_other_colours() -> None:
    light, dark = theme(dark=False), theme(dark=True)
    assert json.loads(darkened(json.dumps(light))) == dark


def test_downloads_are_the_release(release: Path, site: Path) -> None:
    for name in ("gpuledger.duckdb", "datapackage.json", "croissant.json", "SHA256SUMS", "parquet/gpu.parquet", "csv/gpu.csv"):
        assert (site / "data" / name).read_bytes() == (release / name).read_bytes()


@pytest.mark.parametrize("text", [SUFFIX, "a\nb", "\x1b[0m\x00", "\ud800", "<b>", "{{ x }}", "`", "--8<-- x"])
def test_escape_leaves_nothing_active(text: str) -> None:
    assert re.fullmatch(r"([A-Za-z0-9 ]|&#\d+;)*", escape(text))
    assert not set(plain(text)) & set("\"'<>&:#{}[]`\n\\")


def test_escape_passes_markup_and_empties_the_unknown() -> None:
    assert escape(Markup("<b>")) == "<b>"
    assert escape(None) == ""


@pytest.mark.parametrize("url", ["javascript:alert(1)", 'https://a.b/" onclick=x', "//evil.example", "data:text/html,x", None])
def test_only_plain_web_addresses_become_links(url: str | None) -> None:
    assert link(url, "x") == "x"


def test_json_in_a_page_has_no_end_of_script_and_no_nan() -> None:
    text = script_json({"a": "</script>&", "b": [float("nan"), float("inf")]})
    assert not set("<>&") & set(text)
    assert json.loads(text) == {"a": "</script>&", "b": [None, None]}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (0.0199111, "$0.0199"),
        (0.56, "$0.56"),
        (0.5, "$0.50"),
        (3.09, "$3.09"),
        (1499.0, "$1,499"),
        (0, "$0"),
        (2, "$2"),
    ],
)
def test_money_reads_well(value: float | None, shown: str) -> None:
    assert numbers.usd(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(None, ""), (19.5, "19.5"), (1555, "1,555"), (0.5559, "0.5559"), (float("nan"), "")]
)
def test_numbers_read_well(value: float | None, shown: str) -> None:
    assert numbers.number(value) == shown


@pytest.mark.parametrize(("part", "whole", "shown"), [(1, 1000, "1"), (999, 1000, "99"), (0, 5, "0"), (5, 5, "100")])
def test_a_share_is_never_rounded_to_all_or_nothing(part: int, whole: int, shown: str) -> None:
    assert numbers.share(part, whole).startswith(shown + "&")
