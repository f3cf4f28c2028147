"""The SQL page in a real browser: it asks the published file, keeps the reader's query, and opens nothing else."""

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipeline.website.pages.sql.page import EXAMPLES
from pipeline.website.writing import npm_packages
from tests.browser import axe
from tests.browser.visit import Visit, serve
from tests.tools import missing

PAGE = "sql/index.html"
ANSWERS = list(EXAMPLES.values())
IDLE = "() => document.querySelector('.sq-run').textContent === 'Run'"
CELLS = "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))"
REFUSED = {
    "FROM 'https://example.com/x.csv'": "file system operations are disabled",
    "FROM read_csv('https://example.com/x.csv')": "file system operations are disabled",
    "FROM 'x.parquet'": "does not exist",
    "SET enable_external_access = true": "the configuration has been locked",
    "SET custom_extension_repository = 'https://example.com'": "the configuration has been locked",
    "RESET lock_configuration": "the configuration has been locked",
    "ATTACH 'https://example.com/x.duckdb'": "file system operations are disabled",
    "LOAD httpfs": "Loading external extensions is disabled",
    "COPY gpu TO 'x.csv'": "file system operations are disabled",
    "EXPORT DATABASE 'x'": "file system operations are disabled",
    "IMPORT DATABASE 'x'": "file system operations are disabled",
    "DETACH gpuledger": "Cannot detach database",
    "DELETE FROM gpu": "read-only mode",
    "CREATE TABLE mine (a INT)": "read-only mode",
}


@pytest.fixture(scope="module", autouse=True)
def _engine() -> None:
    if npm_packages.engine() is None:
        missing("the SQL page has no engine: run `make site`")


class SqlConsole(Visit):
    """The SQL page as its reader uses it."""

    def ask(self, sql: str) -> None:
        self.page.fill("#sq-text", sql)
        self.page.keyboard.press("Control+Enter")
        self.page.wait_for_function(IDLE)

    @property
    def rows(self) -> list[list[str]]:
        found: list[list[str]] = self.page.eval_on_selector_all(".sq-result:not([hidden]) tbody tr", CELLS)
        return found

    @property
    def fault(self) -> str:
        return str(self.page.inner_text(".sq-fault:not([hidden]) pre"))


@pytest.fixture
def console(browser: Any, url: str) -> Iterator[SqlConsole]:
    opened = SqlConsole(browser, url)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def running(browser: Any, url: str) -> Iterator[SqlConsole]:
    """A page whose engine runs already."""
    opened = SqlConsole(browser, url)
    opened.open(PAGE)
    opened.ask("SELECT 1")
    yield opened
    assert opened.faults == []
    opened.close()


def test_a_link_brings_a_query_and_runs_nothing_until_asked(console: SqlConsole) -> None:
    loaded: list[str] = []
    console.page.on("request", lambda request: loaded.append(request.url))
    page = console.open(f"{PAGE}?sql=SELECT+41+%2B+1+AS+answer")
    assert page.input_value("#sq-text") == "SELECT 41 + 1 AS answer"
    assert console.rows == []
    page.wait_for_timeout(300)
    assert [address for address in loaded if "duckdb" in address] == []
    page.click(".sq-run")
    page.wait_for_function(IDLE)
    assert console.rows == [["42"]]
    assert "sql=SELECT+41" in page.url
    assert console.faults == []


def test_the_first_question_stands_answered_before_anything_is_loaded(
    console: SqlConsole, con: duckdb.DuckDBPyConnection
) -> None:
    console.open(PAGE)
    _same(console.rows, con.execute(ANSWERS[0]).fetchall())


@pytest.mark.parametrize("number", range(len(ANSWERS)))
def test_a_question_is_answered_as_by_any_other_duckdb(running: SqlConsole, con: duckdb.DuckDBPyConnection, number: int) -> None:
    running.page.click(f".sq-questions li:nth-child({number + 1}) a")
    running.page.wait_for_function(IDLE)
    assert running.page.input_value("#sq-text") == ANSWERS[number]
    _same(running.rows, con.execute(ANSWERS[number]).fetchall())


def _same(shown: list[list[str]], expected: list[tuple[Any, ...]]) -> None:
    assert expected
    assert len(shown) == len(expected)
    for texts, values in zip(shown, expected, strict=True):
        for text, value in zip(texts, values, strict=True):
            if isinstance(value, float):
                assert float(text) == pytest.approx(value)
            else:
                assert text == ("" if value is None else str(value).lower() if isinstance(value, bool) else str(value))


def test_every_table_can_be_read(running: SqlConsole, con: duckdb.DuckDBPyConnection) -> None:
    names = [name for (name,) in con.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]
    for some in (names[at : at + 40] for at in range(0, len(names), 40)):
        running.ask(
            " UNION ALL ".join(f"SELECT '{name}', count(*), sum(length({name}::VARCHAR)) > 0 FROM {name}" for name in some)
        )
        counts = [(name, str(con.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0])) for name in some]
        assert [tuple(row[:2]) for row in running.rows] == counts


@pytest.mark.parametrize(
    ("sql", "text"),
    [
        ("DATE '1969-12-31'", "1969-12-31"),
        ("DATE 'infinity'", "infinity"),
        ("TIMESTAMP '2026-01-02 03:04:05'", "2026-01-02 03:04:05"),
        ("TIMESTAMP '1960-01-02 03:04:05.678901'", "1960-01-02 03:04:05.678901"),
        ("TIME '03:04:05.000001'", "03:04:05.000001"),
        ("9007199254740993", "9007199254740993"),
        ("-12345678901234567890::HUGEINT", "-12345678901234567890"),
        ("-0.05::DECIMAL(10, 2)", "-0.05"),
        ("0.1::FLOAT", "0.1"),
        ("1e300", "1e+300"),
        ("NULL::DOUBLE", ""),
        ("'<b>x</b>'", "<b>x</b>"),
        ("[DATE '2020-01-01', NULL]", "[2020-01-01, NULL]"),
        ("{'day': DATE '2020-01-01', 'n': [1, 2]}", "{day: 2020-01-01, n: [1, 2]}"),
        ("MAP {'a': 1.50}", "{a=1.50}"),
        ("'ab'::BLOB", "\\x6162"),
    ],
)
def test_a_value_is_written_as_its_type_says(running: SqlConsole, sql: str, text: str) -> None:
    running.ask(f"SELECT {sql} AS value")
    assert running.rows == [[text]]


@pytest.mark.parametrize(("sql", "kind"), [("INTERVAL 3 DAY", "INTERVAL"), ("['a'::ENUM('a')]", "ENUM")])
def test_a_type_that_cannot_be_read_is_refused_rather_than_shown_wrong(running: SqlConsole, sql: str, kind: str) -> None:
    running.ask(f"SELECT {sql} AS value")
    assert kind in running.fault
    assert "Cast the column to VARCHAR" in running.fault


def test_csv_holds_every_row_and_tells_unknown_from_empty(running: SqlConsole) -> None:
    running.ask("SELECT i, NULL AS unknown, '' AS empty, 'a,\"b\"\nc' AS odd, i / 2 AS half FROM range(1500) r(i) ORDER BY i")
    assert len(running.rows) == 1000
    assert "1,500 rows" in running.page.inner_text(".sq-status")
    with running.page.expect_download() as download:
        running.page.click("[data-csv]")
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text.startswith('i,unknown,empty,odd,half\n0,,"","a,""b""\nc",0\n')
    assert len(list(csv.reader(io.StringIO(text)))) == 1501


def test_csv_has_no_formula_and_leaves_numbers(running: SqlConsole) -> None:
    running.ask("SELECT '=1+1' AS a, '@x' AS b, '-5' AS c, -5 AS d, '-x' AS e")
    with running.page.expect_download() as download:
        running.page.click("[data-csv]")
    assert Path(download.value.path()).read_text(encoding="utf-8") == "a,b,c,d,e\n'=1+1,'@x,-5,-5,'-x\n"


def test_a_result_without_end_is_cut_and_says_so(running: SqlConsole) -> None:
    running.ask("SELECT i FROM range(100000000000) r(i)")
    assert "The first 50,000 rows" in running.page.inner_text(".sq-status")
    running.ask("SELECT 'next' AS value")
    assert running.rows == [["next"]]


def test_a_query_that_takes_too_long_can_be_stopped(console: SqlConsole) -> None:
    page = console.open(PAGE)
    page.fill("#sq-text", "SELECT count(*) FROM range(100000000000) a, range(1000) b WHERE a.range % 7 = b.range % 11")
    page.click(".sq-run")
    page.wait_for_function("() => document.querySelector('.sq-status').textContent === 'Running'")
    page.click(".sq-run")
    page.wait_for_function(IDLE)
    assert console.fault == "Stopped."
    console.ask("SELECT 'again' AS value")
    assert console.rows == [["again"]]
    assert console.faults == []


@pytest.mark.parametrize("sql", ["SELEC 1", "FROM no_such_table", "SELECT no_such_column FROM gpu"])
def test_an_error_shows_the_message_of_the_engine_and_keeps_the_query(running: SqlConsole, sql: str) -> None:
    running.ask(sql)
    assert "Error: " in running.fault
    assert "LINE 1: " in running.fault
    assert running.page.input_value("#sq-text") == sql
    assert running.page.is_disabled("[data-csv]")
    assert running.page.is_hidden(".sq-result")


@pytest.mark.parametrize("sql", REFUSED)
def test_the_engine_opens_and_changes_nothing(running: SqlConsole, sql: str) -> None:
    running.ask(sql)
    assert REFUSED[sql] in running.fault
    assert running.faults == []


def test_no_statement_changes_what_the_next_one_sees(running: SqlConsole) -> None:
    for sql in ("INSTALL httpfs", "USE memory", "ATTACH ':memory:' AS other", "BEGIN"):
        running.ask(sql)
    running.ask("SELECT count(*) > 100 AS value FROM gpu")
    assert running.rows == [["true"]]
    assert running.faults == []


def test_the_policy_of_the_page_holds_for_its_workers(console: SqlConsole, tmp_path: Path) -> None:
    other = serve(tmp_path)
    page = console.open(PAGE)
    told = page.evaluate(
        """(address) => new Promise((resolve) => {
            const told = '.then(() => postMessage("sent"), (error) => postMessage(error.message))';
            const code = `fetch("${address}", { mode: "no-cors" })${told}`;
            new Worker(URL.createObjectURL(new Blob([code]))).onmessage = (message) => resolve(message.data);
        })""",
        f"http://127.0.0.1:{other.server_port}/",
    )
    other.shutdown()
    assert told == "Failed to fetch"


def test_a_link_is_copied_and_leads_back(browser: Any, url: str) -> None:
    visit = Visit(browser, url)
    visit.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = visit.open(PAGE)
    page.fill("#sq-text", "SELECT 'ü & 100%' AS \"a+b\"")
    page.click("[data-copy]")
    page.wait_for_function("() => document.querySelector('.sq-status').textContent === 'Link copied.'")
    page.goto(page.evaluate("navigator.clipboard.readText()"))
    assert page.input_value("#sq-text") == "SELECT 'ü & 100%' AS \"a+b\""
    page.fill("#sq-text", "x" * 6001)
    page.click("[data-copy]")
    assert "Too long for a link: 6,001 of 6,000" in page.inner_text(".sq-status")
    page.goto(f"{url}{PAGE}?sql={'x' * 6001}")
    assert "too long" in page.inner_text(".gl-ignored")
    assert page.input_value("#sq-text") == ANSWERS[0]
    assert visit.faults == []
    visit.close()


@pytest.mark.parametrize(
    "name",
    [
        "duckdb.wasm.gz",
        *(pytest.param(name, marks=pytest.mark.full) for name in ("gpuledger.duckdb.gz", "duckdb.js", "duckdb.worker.js")),
    ],
)
def test_what_does_not_load_is_named_with_the_download_and_can_be_tried_again(console: SqlConsole, name: str) -> None:
    page = console.open(PAGE)
    page.route(f"**/{name}?*", lambda route: route.fulfill(status=503))
    console.ask("SELECT 1 AS value")
    assert name.removesuffix(".gz") in console.fault
    assert page.get_attribute(".sq-fault a", "href") == "../data/gpuledger.duckdb"
    assert page.is_visible(".sq-fault a")
    assert page.input_value("#sq-text") == "SELECT 1 AS value"
    page.unroute(f"**/{name}?*")
    console.ask("SELECT 1 AS value")
    assert console.rows == [["1"]]


@pytest.mark.full
def test_a_host_that_sends_the_files_unpacked_will_do(console: SqlConsole, release: Path) -> None:
    page = console.open(PAGE)
    page.route("**/gpuledger.duckdb.gz?*", lambda route: route.fulfill(body=(release / "gpuledger.duckdb").read_bytes()))
    console.ask("SELECT count(*) > 100 AS value FROM gpu")
    assert console.rows == [["true"]]
    assert console.faults == []


def test_from_disk_the_page_says_how_to_serve_it(browser: Any, release: Path) -> None:
    visit = Visit(browser, f"file://{release}/")
    page = visit.open(f"site/{PAGE}")
    assert "python -m http.server" in page.inner_text("[data-obstacle=disk]")
    assert page.is_disabled(".sq-run")
    assert page.is_hidden("[data-obstacle=script]")
    visit.close()


def test_an_old_browser_is_told_what_it_lacks(console: SqlConsole) -> None:
    console.page.add_init_script("delete window.DecompressionStream")
    page = console.open(PAGE)
    assert "lacks DecompressionStream" in page.inner_text("[data-obstacle=old]")
    assert page.is_disabled(".sq-run")
    assert console.faults == []


def test_without_scripts_the_page_says_so_and_shows_its_answer(browser: Any, url: str) -> None:
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(url + PAGE)
    assert page.is_visible("[data-obstacle=script]")
    assert page.is_visible(".sq-result tbody tr")
    page.context.close()


@pytest.mark.parametrize("dark", [pytest.param(False, marks=pytest.mark.full), True])
def test_everyone_can_use_it(browser: Any, url: str, dark: bool) -> None:
    console = SqlConsole(browser, url, dark=dark)
    console.open(PAGE).click(".sq-tables summary >> nth=0")
    console.ask("FROM gpu LIMIT 5")
    assert axe.violations(console.page) == []
    console.ask("FROM no_such_table")
    assert axe.violations(console.page) == []
    assert console.faults == []
    console.close()
