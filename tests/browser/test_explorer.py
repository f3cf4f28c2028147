"""The tables of GPUs and offers as a reader explores them: filters, order, columns, comparison, address, CSV."""

import csv
import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import duckdb
import pytest

from tests.browser.visit import Visit, serve, show_all

GPUS, OFFERS = "gpus/index.html", "offers/index.html"
COLUMN = """([table, key]) => {
    const at = [...table.tHead.rows[0].cells].findIndex(head => head.dataset.key === key);
    return [...table.tBodies[0].rows].map(row => row.cells[at].dataset.v ?? row.cells[at].textContent.trim());
}"""
HEADS = "table => [...table.tHead.rows[0].cells].filter(head => head.offsetParent !== null).map(head => head.dataset.key)"
TESTS = """([kind, text, values]) => {
    const asked = gpuledger.tables.condition(kind, text);
    return asked.fault ? asked.fault : values.filter(asked.test);
}"""
TOP = "table => table.getBoundingClientRect().top + scrollY"
NO_SIDEWAYS = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def column(page: Any, key: str) -> list[str]:
    show_all(page)
    values: list[str] = page.evaluate(COLUMN, [page.query_selector("#gpu-table"), key])
    return values


def parse_known(values: list[str]) -> list[float]:
    return [float(value.replace(",", "")) for value in values if value]


def filters(page: Any, key: str, text: str) -> None:
    page.fill(f".gl-filters input[name={key}]", text)


def exported(page: Any) -> list[dict[str, str]]:
    with page.expect_download() as download:
        page.click("[data-export]")
    with Path(download.value.path()).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def loaded(visit: Visit, path: str = OFFERS) -> Any:
    page = visit.open(path)
    page.wait_for_selector("#offer-table tbody tr[data-id]")
    return page


@pytest.fixture(scope="module")
def gpus(browser: Any, url: str) -> Iterator[Any]:
    """The list of GPUs, for tests that only call its functions."""
    visit = Visit(browser, url)
    yield visit.open(GPUS)
    visit.close()


@pytest.mark.parametrize(
    ("kind", "text", "kept"),
    [
        ("number", ">=24", [24, 48, 80.5]),
        ("number", "< 24", [8]),
        ("money", "16-48", [24, 48]),
        ("number", "16 to 48", [24, 48]),
        ("number", ">8 <=48", [24, 48]),
        ("number", "80.5", [80.5]),
        ("number", "≥1,000", []),
        ("number", "known", [8, 24, 48, 80.5]),
        ("number", "unknown", [None]),
        ("date", ">=2022", ["2022-03-22", "2024-01-08"]),
        ("date", "<2022-04", ["2020-05-14", "2022-03-22"]),
        ("date", "2020-2022", ["2020-05-14", "2022-03-22"]),
        ("date", "2022-03", ["2022-03-22"]),
        ("text", "sxm hbm", ["HBM3 SXM5"]),
        ("text", "sxm, hbm", ["HBM3 SXM5"]),
        ("text", "sxm，hbm、", ["HBM3 SXM5"]),
    ],
)
def test_a_filter_means_what_it_says(gpus: Any, kind: str, text: str, kept: list[Any]) -> None:
    values = {"date": ["2020-05-14", "2022-03-22", "2024-01-08", None], "text": ["PCIe", "HBM3 SXM5", None]}
    assert gpus.evaluate(TESTS, [kind, text, values.get(kind, [8, 24, 48, 80.5, None])]) == kept


@pytest.mark.parametrize(("kind", "text"), [("number", "many"), ("number", ">="), ("number", "48-16"), ("date", "spring")])
def test_a_filter_that_cannot_be_read_says_so(gpus: Any, kind: str, text: str) -> None:
    assert isinstance(gpus.evaluate(TESTS, [kind, text, [1]]), str)


def test_unknown_sorts_last_both_ways(visit: Visit) -> None:
    page = visit.open(GPUS)
    for key, direction in itertools.product(("fp16_tensor_tflops", "performance_index"), ("descending", "ascending")):
        page.click(f"#gpu-table th[data-key={key}] button")
        values = column(page, key)
        figures = parse_known(values)
        assert page.get_attribute(f"#gpu-table th[data-key={key}]", "aria-sort") == direction
        assert 10 < len(figures) < len(values)
        assert figures == sorted(figures, reverse=direction == "descending")
        assert values[len(figures) :] == [""] * (len(values) - len(figures))
    assert visit.faults == []


def test_filters_narrow_the_table_and_can_be_taken_away(visit: Visit) -> None:
    page = visit.open(GPUS)
    everything = len(column(page, "memory_gb"))
    filters(page, "memory_gb", "40-80")
    filters(page, "tdp_w", "<=350")
    page.select_option("select[name=vendor]", "NVIDIA")
    assert set(column(page, "vendor")) == {"NVIDIA"}
    assert all(40 <= size <= 80 for size in parse_known(column(page, "memory_gb")))
    assert all(power <= 350 for power in parse_known(column(page, "tdp_w")))
    assert "" not in column(page, "tdp_w")
    assert page.inner_text(".gl-count") == f"{len(column(page, 'tdp_w'))} of {everything}"
    page.fill("input[name=find]", "a100 pcie")
    assert all("A100" in name for name in column(page, "name"))
    page.click("text=Clear all")
    assert len(column(page, "memory_gb")) == everything
    assert "?" not in page.url
    assert visit.faults == []


def test_a_faulty_filter_is_told_and_filters_nothing(visit: Visit) -> None:
    page = visit.open(GPUS)
    everything = len(column(page, "memory_gb"))
    filters(page, "memory_gb", "lots")
    assert len(column(page, "memory_gb")) == everything
    assert 'Memory: cannot read "lots"' in page.inner_text(".gl-count")
    assert page.get_attribute("input[name=memory_gb]", "aria-invalid") == "true"
    filters(page, "memory_gb", ">=80")
    assert page.get_attribute("input[name=memory_gb]", "aria-invalid") is None
    assert len(column(page, "memory_gb")) < everything


def test_the_address_brings_the_view_back(visit: Visit, browser: Any, url: str) -> None:
    page = visit.open(GPUS)
    filters(page, "memory_gb", ">=40")
    page.fill("input[name=find]", "sxm")
    page.select_option("select[name=segment]", "datacenter")
    page.click("#gpu-table th[data-key=performance_index] button")
    page.click(".gl-picker summary")
    page.check(".gl-picker input[value=usd_per_gb_hour]")
    page.uncheck(".gl-picker input[value=tdp_w]")
    for box in page.query_selector_all("#gpu-table tbody input")[:2]:
        box.check()
    page.click("[data-compare]")
    page.check(".gl-compare-bar input")
    other = Visit(browser, url)
    other.page.goto(page.url)
    for seen in ("#gpu-table tbody", ".gl-compare table", ".gl-count", ".gl-active"):
        assert other.page.inner_text(seen) == page.inner_text(seen)
    heads = other.page.evaluate(HEADS, other.page.query_selector("#gpu-table"))
    assert "usd_per_gb_hour" in heads
    assert "tdp_w" not in heads
    assert other.page.query_selector(".gl-ignored") is None
    assert visit.faults == other.faults == []
    other.close()


def test_nonsense_in_the_address_is_left_out_field_by_field_and_told(visit: Visit) -> None:
    wrong = {
        "memory_gb": ">=lots",
        "vendor": "<script>window.hit=1</script>",
        "sort": "beauty:upwards",
        "columns": "tdp_w,beauty",
        "pick": "no-such-gpu",
        "compare": "perhaps",
        "form_of_old": "pcie",
        "utm_source": "letter",
        "h": "rtx",
    }
    page = visit.open(f"{GPUS}?" + "&".join(f"{key}={quote(value)}" for key, value in wrong.items()) + "&tdp_w=%3C100")
    told = " ".join(note.inner_text() for note in page.query_selector_all(".gl-ignored"))
    assert all(name in told for name in ("memory_gb=", "vendor=", "sort=", "columns=beauty", "pick=no-such-gpu"))
    assert "form_of_old (no such column)" in told
    assert all(power < 100 for power in parse_known(column(page, "tdp_w")))
    assert page.evaluate(HEADS, page.query_selector("#gpu-table")) == ["name", "tdp_w"]
    assert page.is_hidden(".gl-compare")
    assert page.evaluate("window.hit") is None
    assert visit.faults == []


def test_gpus_side_by_side_show_what_differs(visit: Visit) -> None:
    page = visit.open(GPUS)
    assert page.is_disabled("[data-compare]")
    page.fill("input[name=find]", "a100 pcie")
    for box in page.query_selector_all("#gpu-table tbody input"):
        box.check()
    names = column(page, "name")
    page.fill("input[name=find]", "h100")  # what is picked stays picked when it is filtered out
    page.click("[data-compare]")
    heads = [head.inner_text().split("\n")[0] for head in page.query_selector_all(".gl-compare thead th")]
    assert heads == ["GPU", *names]
    lines = page.query_selector_all(".gl-compare tbody tr")
    differing = page.query_selector_all(".gl-compare tbody tr.gl-differs")
    assert 3 < len(differing) < len(lines)
    for line in lines:
        cells = {cell.inner_text() for cell in line.query_selector_all("td")}
        assert (line.get_attribute("class") == "gl-differs") == (len(cells) > 1) or len(cells) == 1  # rounded alike
    page.check(".gl-compare-bar input")
    assert len(page.query_selector_all(".gl-compare tbody tr")) == len(differing)
    page.click(".gl-compare thead button >> nth=0")
    assert len(page.query_selector_all(".gl-compare thead th")) == (len(names) if len(names) > 2 else 0)
    assert visit.faults == []


def test_the_csv_holds_the_view_and_what_must_be_said_of_it(
    visit: Visit,
    con: duckdb.DuckDBPyConnection,
) -> None:
    page = visit.open(
        f"{GPUS}?memory_gb=%3E%3D80&columns=memory_gb,usd_per_gb_hour,launch_msrp_usd&sort=launch_msrp_usd:ascending"
    )
    rows = exported(page)
    about = ["id", "page", "as_of", "licence", "cite", "view"]
    assert list(rows[0]) == ["name", "memory_gb", "usd_per_gb_hour", "launch_msrp_usd", *about] or list(rows[0])[-6:] == about
    assert set(list(rows[0])[:-6]) == {"name", "memory_gb", "usd_per_gb_hour", "launch_msrp_usd"}
    assert [row["name"] for row in rows] == column(page, "name")
    expected = dict(con.execute("SELECT gpu_id, memory_gb FROM gpu WHERE memory_gb >= 80").fetchall())
    assert {row["id"]: float(row["memory_gb"]) for row in rows} == expected
    prices = parse_known([row["launch_msrp_usd"] for row in rows])
    assert prices == sorted(prices)
    ((as_of,),) = con.execute("SELECT as_of FROM release").fetchall()
    assert {row["as_of"] for row in rows} == {str(as_of)}
    assert {row["view"] for row in rows} == {page.url}
    assert all("CC BY-SA 4.0" in row["licence"] and f"data of {as_of}" in row["cite"] for row in rows)
    assert all(row["page"] == visit.base + f"gpus/{row['id']}/index.html" for row in rows)


def test_offers_come_a_page_at_a_time_and_all_of_them_into_the_csv(visit: Visit) -> None:
    page = loaded(visit, f"{OFFERS}?state=all")
    shown = "document.querySelectorAll('#offer-table tbody tr').length"
    assert page.evaluate(shown) == 25
    page.click("[data-more]")
    assert page.evaluate(shown) == 50
    page.click("[data-more]")
    assert page.evaluate(shown) == 100
    rows = exported(page)
    assert page.inner_text(".gl-count") == f"{len(rows)} of {len(rows)}"
    assert len({row["id"] for row in rows}) == len(rows) > 200
    assert {urlsplit(row["offer_url"]).scheme for row in rows if row["offer_url"]} == {"https"}
    assert all(row["page"].startswith(visit.base) for row in rows)
    model = page.locator("#offer-table th a[href*='prices/index.html#']").first
    name = model.inner_text()
    model.click()
    assert page.locator("#market-table tr:target th").inner_text().startswith(name)
    assert visit.faults == []


def test_every_current_offer_has_a_price_to_rent_or_to_buy(visit: Visit) -> None:
    rows = exported(loaded(visit, f"{OFFERS}?columns=usd_per_gpu_hour,usd_per_gpu"))
    assert rows
    assert all((row["usd_per_gpu_hour"] == "") != (row["usd_per_gpu"] == "") for row in rows)


def test_offers_are_filtered_by_figures_and_words(visit: Visit) -> None:
    page = loaded(visit)
    filters(page, "usd_per_gpu_hour", "<=2.5")
    filters(page, "memory_gb", ">=80")
    page.select_option("select[name=billing]", "on_demand")
    page.click("#offer-table th[data-key=usd_per_gpu_hour] button")
    rows = exported(page)
    assert rows
    assert all(float(row["usd_per_gpu_hour"]) <= 2.5 and float(row["memory_gb"]) >= 80 for row in rows)
    assert {row["billing"] for row in rows} == {"on_demand"}
    page.reload()
    page.wait_for_selector("#offer-table tbody tr[data-id]")
    assert [{**row, "view": ""} for row in exported(page)] == [{**row, "view": ""} for row in rows]
    assert visit.faults == []


def test_the_keyboard_alone_sorts_filters_picks_and_compares(visit: Visit) -> None:
    page = visit.open(GPUS)
    page.focus("input[name=find]")
    page.keyboard.type("a100")
    page.focus("#gpu-table th[data-key=memory_gb] button")
    page.keyboard.press("Enter")
    sizes = parse_known(column(page, "memory_gb"))
    assert sizes == sorted(sizes, reverse=True)
    page.focus("#gpu-table tbody tr:nth-child(1) input")
    page.keyboard.press("Space")
    page.keyboard.press("Tab")  # the link of the GPU
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.focus("[data-compare]")
    page.keyboard.press("Enter")
    assert page.is_visible(".gl-compare table")
    assert page.evaluate("document.activeElement.matches('.gl-compare')")
    page.focus(".gl-picker summary")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # all columns
    assert len(page.evaluate(HEADS, page.query_selector("#gpu-table"))) > 50
    assert visit.faults == []


def test_the_description_of_a_column_is_below_its_name(visit: Visit) -> None:
    page = visit.open(GPUS)
    page.click(".gl-picker summary")
    inside = """labels => labels.map((label) => {
      const [outer, inner] = [label, label.lastElementChild].map((element) => element.getBoundingClientRect());
      return inner.height > 0 && inner.left >= outer.left && inner.bottom <= outer.bottom + 1;
    })"""
    found = page.eval_on_selector_all(".gl-picker label", inside)
    assert len(found) > 50
    assert all(found)


def test_a_filter_that_no_row_passes_says_so(visit: Visit) -> None:
    page = visit.open(GPUS)
    none = page.locator("text=No row matches the filters.")
    assert not none.is_visible()
    page.fill("input[name=find]", "no such GPU")
    assert none.is_visible()
    page.click(".gl-active button")
    assert not none.is_visible()


@pytest.mark.parametrize("path", [GPUS, OFFERS])
def test_a_phone_never_scrolls_the_page_sideways(visit: Visit, path: str) -> None:
    visit.show_as(360)
    page = visit.open(path)
    page.wait_for_selector("tbody tr[data-id]")
    page.click(".gl-picker summary")
    page.click("[data-columns=all]")
    filters(page, "memory_gb", ">=no such size, and a long text that has to wrap somewhere")
    for box in page.query_selector_all("tbody th input")[:4]:
        box.check()
    page.click("[data-compare]")
    assert page.is_visible(".gl-compare table")
    assert page.evaluate(NO_SIDEWAYS) <= 0
    assert visit.faults == []


def test_the_tables_work_from_disk(browser: Any, release: Path) -> None:
    visit = Visit(browser, f"file://{release}/site/")
    # the search works from disk in a build of its own
    index = "var __index = {config: {lang: ['en'], separator: ' '}, docs: []}"
    visit.page.route("**/search_index.js", lambda route: route.fulfill(body=index))
    page = loaded(visit)
    filters(page, "usd_per_gpu_hour", "<1")
    rows = exported(page)
    assert rows
    assert not any(str(release) in value for row in rows for value in row.values())
    assert visit.faults == []
    visit.close()


def test_rows_that_do_not_load_are_told_with_the_way_to_the_file(visit: Visit) -> None:
    visit.page.route("**/offers.js*", lambda route: route.abort())
    page = visit.open(OFFERS)
    note = page.wait_for_selector("[role=alert]")
    assert "offers.js could not be fetched" in note.inner_text()
    assert page.get_attribute("[role=alert] a", "href").endswith("data/csv/price_latest.csv")
    assert len(page.query_selector_all("#offer-table tbody tr")) > 10


@pytest.mark.parametrize("path", [GPUS, OFFERS])
def test_without_scripts_the_table_stands(browser: Any, url: str, path: str) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(url + path)
    assert len(page.query_selector_all(".gl-explore tbody tr")) > 10
    assert page.is_hidden(".gl-explorer-tools")
    assert page.is_visible(".gl-explore thead th >> nth=-1")  # no column is out of reach
    page.context.close()


def test_the_browser_writes_figures_as_the_page_does(browser: Any, visit: Visit, url: str) -> None:
    cells = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(url + OFFERS)
    expected = {tuple(row) for row in plain.eval_on_selector_all("#offer-table tbody tr", cells)}
    plain.context.close()
    page = loaded(visit, f"{OFFERS}?billing=on_demand")
    show_all(page)
    assert len(expected) > 10
    assert expected <= {tuple(row) for row in page.eval_on_selector_all("#offer-table tbody tr", cells)}


@pytest.fixture(scope="module")
def hostile_url(hostile_site: Path) -> Iterator[str]:
    server = serve(hostile_site)
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()


@pytest.mark.full
@pytest.mark.parametrize("path", [GPUS, OFFERS])
def test_hostile_names_stay_text_in_every_part(browser: Any, hostile_url: str, path: str) -> None:
    visit = Visit(browser, hostile_url)
    page = visit.open(f"{path}?state=all")
    page.wait_for_selector("tbody tr[data-id]")
    page.click(".gl-picker summary")
    page.click("[data-columns=all]")
    for box in page.query_selector_all("tbody th input")[:3]:
        box.check()
    page.click("[data-compare]")
    rows = exported(page)
    assert any("window.hit" in value for row in rows for value in row.values())
    assert page.evaluate("window.hit") is None
    assert page.query_selector("iframe, b-hit, .gl-page svg, .gl-page [onclick], .gl-page a[href^='javascript']") is None
    assert visit.faults == []
    visit.close()


def test_a_spreadsheet_runs_nothing_from_the_csv(visit: Visit, release: Path, tmp_path: Path) -> None:
    copy = tmp_path / "site"
    shutil.copytree(release / "site" / "assets", copy / "assets")
    head = '<thead><tr><th data-key="name">GPU</th></tr></thead>'
    table = f'<table id="t" data-sortable>{head}<tbody><tr><th>=HYPERLINK(1)</th></tr></tbody></table>'
    tools = '<div class="gl-tools" data-for="t"><button data-export data-as-of="" data-licence="" data-cite="">CSV</button></div>'
    scripts = "".join(f'<script defer src="assets/{name}.js"></script>' for name in ("address", "tables"))
    (copy / "index.html").write_text(f"<!doctype html><link rel=icon href=data:,><title>t</title>{tools}{table}{scripts}")
    server = serve(copy)
    visit.page.goto(f"http://127.0.0.1:{server.server_port}/")
    assert exported(visit.page)[0]["name"] == "'=HYPERLINK(1)"
    server.shutdown()


def test_from_an_offer_to_its_stored_row_and_seller(visit: Visit) -> None:
    page = loaded(visit, f"{OFFERS}?find=h100")
    row = page.locator("#offer-table tbody tr[data-id]").first
    price = float(row.locator("td").first.inner_text().removeprefix("$"))
    assert row.locator("a[rel~=nofollow]").get_attribute("href").startswith("https://")
    row.locator('a[href^="../sources/"]').click()
    line = page.locator("#stored-row mark").first
    assert f"{price:g}" in line.inner_text()
    assert line.is_visible()
    file = page.locator("#stored-row .gl-stored-facts code")
    assert len(file.inner_text().strip()) == 64
    assert visit.faults == []


@pytest.mark.parametrize("width", [1280, 390])
def test_the_offers_do_not_move_when_their_filters_are_shown(visit: Visit, width: int) -> None:
    """The line of active filters has its place before the script fills it."""
    visit.show_as(width)
    visit.page.route("**/explorer.js*", lambda route: route.abort())
    before = visit.open(OFFERS).eval_on_selector("#offer-table", TOP)
    visit.page.unroute_all()
    assert loaded(visit).eval_on_selector("#offer-table", TOP) == pytest.approx(before, abs=5)
