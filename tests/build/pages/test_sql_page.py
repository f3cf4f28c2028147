"""The SQL page as it is written, with and without its engine, and what is taken from npm for it."""

import json
import re
from pathlib import Path

import duckdb
import pytest

from pipeline.paths import SITE
from pipeline.website.pages.sql import page as sql_page
from pipeline.website.pages.sql.page import EXAMPLES
from pipeline.website.writing import npm_packages
from pipeline.website.writing.database import Database
from pipeline.website.writing.npm_packages import Engine
from tests.build.pages.site_pages import Page
from tests.build.pages.site_pages import book as new_book

CONTENT_POLICY = "Content-Security-Policy"


@pytest.mark.parametrize("question", EXAMPLES)
def test_every_question_has_an_answer(con: duckdb.DuckDBPyConnection, question: str) -> None:
    assert con.execute(EXAMPLES[question]).fetchall()


def test_the_page_offers_ten_questions_every_table_and_every_function(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    page = Page(site / "sql" / "index.html")
    offered = list(page.values("data-sql"))
    assert list(EXAMPLES.values()) == offered[:10]
    tables = [name for (name,) in con.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall()]
    assert [f"FROM {name} LIMIT 100" for name in tables] == offered[10:]
    text = " ".join(page.text)
    functions = con.execute(
        "SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal AND database_name = 'ledger'"
    )
    assert [name for (name,) in functions.fetchall() if f"{name}(" not in text] == []


def test_only_the_sql_page_may_compile(site: Path) -> None:
    policies = {path: dict(re.findall(r"([\w-]+) ([^;]*)", _policy(path))) for path in site.rglob("index.html")}
    wasm = {path.parent.name for path, policy in policies.items() if "wasm-unsafe-eval" in policy["script-src"]}
    blobs = {path.parent.name for path, policy in policies.items() if "blob:" in policy["connect-src"]}
    assert wasm == blobs == {"sql"}
    assert all("'unsafe-eval'" not in policy["script-src"] for policy in policies.values())


def _policy(path: Path) -> str:
    (policy,) = re.findall(f'<meta http-equiv="{CONTENT_POLICY}" content="([^"]*)"', path.read_text())
    return str(policy)


def _written(release: Path, docs: Path) -> str:
    with Database(release / "gpuledger.duckdb") as data:
        sql_page.write(new_book(data, docs, release, "sql"))
    return (docs / "sql" / "index.md").read_text(encoding="utf-8")


def test_a_copy_without_engine_says_so_and_keeps_its_questions(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(npm_packages, "engine", lambda: None)
    text = _written(release, tmp_path)
    assert "This copy of the site was built without the query engine" in text
    assert "gpuledger.duckdb" in text
    assert "data-mark" not in text
    assert text.count("data-sql") >= 10
    assert not (tmp_path / "assets").exists()


def test_a_copy_with_engine_carries_its_files_and_states_their_size(
    release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ready = tmp_path / "ready"
    ready.mkdir()
    for name in (npm_packages.CLIENT, npm_packages.WORKER, npm_packages.WASM, npm_packages.LICENCES):
        (ready / name).write_text(name)
    monkeypatch.setattr(npm_packages, "READY", ready)
    monkeypatch.setattr(npm_packages, "engine", lambda: Engine("1.2.3", 7_000_000))
    text = _written(release, tmp_path)
    folder = tmp_path / "assets" / "duckdb"
    packed = (folder / sql_page.PACKED).stat().st_size
    assert f"{(7_000_000 + packed) / 1e6:.1f}" in text.replace("&#46;", ".")
    assert sorted(path.name for path in folder.iterdir()) == sorted([*(path.name for path in ready.iterdir()), sql_page.PACKED])
    first = (folder / sql_page.PACKED).read_bytes()
    assert _written(release, tmp_path) == text
    assert (folder / sql_page.PACKED).read_bytes() == first


def test_the_lock_file_holds_a_hash_for_each_package_and_no_host() -> None:
    lock = json.loads((SITE / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    assert [name for name, package in packages.items() if "integrity" not in package or "resolved" in package] == []
