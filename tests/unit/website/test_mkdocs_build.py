"""The settings of MkDocs: each language has its own, and the address of a repository adds links to it."""

import datetime as dt
import re
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from mkdocs.commands.build import build

from pipeline.paths import ROOT, SITE
from pipeline.website import mkdocs_build, mkdocs_config
from pipeline.website.i18n.language import language, use_language


def search_settings(code: str, folder: Path) -> dict[str, Any]:
    with use_language(language(code)):
        config = mkdocs_config.load_site_config(SITE / "docs", folder / "site")
        search: Any = config.plugins["material/search"]
        search.on_config(config)
        return dict(search.config)


def test_a_language_built_after_another_keeps_its_own_settings(tmp_path: Path) -> None:
    first, other, again = (search_settings(code, tmp_path) for code in ("en", "zh", "en"))
    assert first == again
    assert first != other


def test_blank_lines_of_the_theme_are_removed_and_code_keeps_its_own() -> None:
    page = "<ul>\n  \n\n  <li>one</li>\n\n</ul>\n<pre>SELECT\n\n1</pre>\n\n<script>a\n\nb</script>"
    assert mkdocs_build.remove_blank_lines(page) == (
        "<ul>\n  <li>one</li>\n</ul>\n<pre>SELECT\n\n1</pre>\n<script>a\n\nb</script>"
    )


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A folder with a heading as each page of the navigation."""
    folder = tmp_path / "docs"
    for name in re.findall(r": (\S+\.md)$", (SITE / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("# Heading\n", encoding="utf-8")
    return folder


def footer(docs: Path, site: Path, code: str = "en", **settings: Any) -> str:
    """The footer of the page of prices, built with these settings."""
    dates = mkdocs_config.date_texts(dt.date(2026, 10, 3), None)
    with use_language(language(code)):
        build(mkdocs_config.load_site_config(docs, site, dates, **settings))
    page = (site / "prices" / "index.html").read_text(encoding="utf-8")
    assert "gl-old" not in page  # no price, no age
    return page[page.index('<footer class="gl-footer">') : page.index("</footer>")]


def test_a_repository_adds_links_that_report_an_error_with_page_and_version(
    docs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPULEDGER_REPOSITORY_URL", "https://example.org/us/gpuledger")
    text = footer(docs, tmp_path / "site")
    (address,) = re.findall(r'class="gl-report" href="([^"]+)"', text)
    parts = urlsplit(unescape(address))
    query = parse_qs(parts.query)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == "https://example.org/us/gpuledger/issues/new"
    assert query["title"] == ["Error on prices/index.html"]
    assert query["body"][0].startswith("prices/index.html (2026.10.3)\n")
    assert 'href="https://example.org/us/gpuledger"' in text


@pytest.mark.parametrize(("code", "data"), [("en", "Data of 3 October 2026"), ("zh", "数据日期")])
def test_without_a_repository_no_link_needs_one(docs: Path, tmp_path: Path, code: str, data: str) -> None:
    text = footer(docs, tmp_path / "site", code)
    assert "issues/new" not in text
    assert "http" not in text
    assert data in text


def test_the_citation_file_names_the_repository_of_the_site() -> None:
    config = yaml.safe_load((SITE / "mkdocs.yml").read_text(encoding="utf-8"))
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert cited.get("repository-code", "") == config["repo_url"]
