"""The site does not depend on one generator: ProperDocs, which continues MkDocs 1, builds the same pages from the same source."""

import os
import re
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import yaml

from pipeline.paths import ROOT, SITE
from pipeline.website.charts.render import ChartRenderer
from pipeline.website.writing.database import Database
from pipeline.website.writing.page_writer import PageWriter

KINDS = ("documents", "glossary", "sql", "uploads")  # written by hand, made from data, with a script's engine, with tables
BUILD = """
import datetime as dt, sys
from pathlib import Path
if sys.argv[1] == "properdocs":
    import properdocs.replacement
from pipeline.website import mkdocs_build, mkdocs_config
dates = mkdocs_config.date_texts(dt.date(2026, 10, 3), dt.date(2026, 10, 2))
mkdocs_build.build_with_mkdocs(Path(sys.argv[2]), Path(sys.argv[3]), dates)
print(sys.modules["mkdocs"].__name__)
"""


@pytest.fixture(scope="module")
def docs(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source of some kinds of pages, and a heading for each other page of the navigation."""
    folder = tmp_path_factory.mktemp("docs")
    with Database(release / "gpuledger.duckdb") as data:
        writer = PageWriter(data, folder, release, ChartRenderer(folder / "assets" / "charts", folder.parent))
        for writer.kind in KINDS:
            import_module(f"pipeline.website.pages.{writer.kind}.page").write(writer)
    for path in re.findall(r": (\S+\.md)$", (SITE / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE):
        if not (page := folder / path).exists():
            page.parent.mkdir(parents=True, exist_ok=True)
            page.write_text("# Heading\n", encoding="utf-8")
    return folder


def build(generator: str, docs: Path, site: Path) -> str:
    """Build the site in a process of its own, since ProperDocs takes the place of MkDocs there. Returns the generator's name."""
    command = [sys.executable, "-c", BUILD, generator, str(docs), str(site)]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def pages(site: Path) -> dict[str, str]:
    """The pages by path, without the name of the generator and the time."""
    texts = {path.relative_to(site).as_posix(): path.read_text(encoding="utf-8") for path in site.rglob("*.html")}
    return {path: re.sub(r'<meta name="generator"[^>]*>', "", text) for path, text in texts.items()}


def test_properdocs_builds_the_same_pages(docs: Path, tmp_path: Path) -> None:
    pytest.importorskip("properdocs")
    assert build("mkdocs", docs, tmp_path / "mkdocs") == "mkdocs"
    assert build("properdocs", docs, tmp_path / "properdocs") == "properdocs"
    ours, theirs = pages(tmp_path / "mkdocs"), pages(tmp_path / "properdocs")
    assert len(ours) > len(KINDS)
    assert ours == theirs


def test_zensical_builds_the_pages(docs: Path, tmp_path: Path) -> None:
    """Zensical continues Material. It reads no settings from Python, so dates, languages and translations are missing there."""
    pytest.importorskip("zensical")
    shutil.copytree(docs, tmp_path / "docs")
    shutil.copytree(SITE / "overrides", tmp_path / "overrides")
    shutil.copy(SITE / "mkdocs.yml", tmp_path)
    command = [sys.executable, "-c", "from zensical.main import cli; cli()", "build"]
    result = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "site" / "glossary" / "index.html").read_text(encoding="utf-8")
    source = (docs / "glossary" / "index.md").read_text(encoding="utf-8")
    assert source.split("---\n")[-1].strip() in page  # finished HTML passes unchanged
    for part in ('class="gl-footer"', 'class="gl-section"', 'href="#content" class="md-skip"', "md-tabs__item--active"):
        assert part in page
    assert (tmp_path / "site" / "404.html").exists()


def test_the_configuration_has_nothing_that_one_generator_alone_knows() -> None:
    config = yaml.safe_load((SITE / "mkdocs.yml").read_text(encoding="utf-8"))
    assert list(config["plugins"]) == ["search"]
    assert "hooks" not in config
    for path in (SITE / "overrides").rglob("*.html"):
        assert not re.search(r"\.(setdefault|update|append|pop|extend)\(", path.read_text(encoding="utf-8")), path
