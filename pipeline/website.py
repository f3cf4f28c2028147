"""Building the static site from a finished release. What the pages say belongs in `pipeline.pages`."""

import calendar
import logging
import os
import shutil
from pathlib import Path

from pipeline import offline, search_index
from pipeline.errors import BuildError
from pipeline.pages import Book, write_pages
from pipeline.pages.database import Database
from pipeline.pages.figures import VEGA_LITE
from pipeline.paths import SITE
from pipeline.pictures import open_studio
from pipeline.publish import DATA_NAMES


class SiteError(BuildError):
    """The site could not be built: says which page or link is wrong."""


def build_site(release: Path, work: Path) -> None:
    """Build the site of the release at `release/site`, with its data files for download in `site/data`.

    `work` is an empty folder for the Markdown. Raises SiteError where a page or a link is wrong.
    """
    docs, site = work / "docs", release / "site"
    shutil.copytree(SITE / "docs", docs, dirs_exist_ok=True)
    with open_studio(docs, VEGA_LITE) as studio, Database(release / "gpuledger.duckdb") as data:
        write_pages(book := Book(data, docs, release, studio))
        book.settle()
        bundle = studio.bundle(work / "vega.js")  # beside MkDocs: it takes as long as a dozen pictures
        # MkDocs dates the site map by it: without it a build on another day would differ
        os.environ["SOURCE_DATE_EPOCH"] = str(calendar.timegm(book.as_of.timetuple()))
        _render("mkdocs.yml", docs, site, book.found)
        bundle.result()
        as_of = book.as_of
    shutil.move(work / "vega.js", site / "assets" / "vega.js")
    _offer_downloads(release, site / "data")
    if offline.prepare(docs):
        _render(offline.CONFIG, docs, work / "offline", book.found)
        offline.pack(site, work / "offline", as_of)


def _render(config: str, docs: Path, site: Path, found: list[search_index.Entry]) -> None:
    _frame(config, docs, site)
    search_index.extend(site / "search", found)


def _frame(config: str, docs: Path, site: Path) -> None:
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # Material prints a notice on every build without it
    from mkdocs.commands.build import build  # noqa: PLC0415  # slow to import, and must come after the line above
    from mkdocs.config import load_config  # noqa: PLC0415
    from mkdocs.exceptions import MkDocsException  # noqa: PLC0415

    complaints = _Complaints(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    logger.addHandler(complaints)
    logger.propagate = False
    try:
        build(load_config(config_file=str(SITE / config), docs_dir=str(docs), site_dir=str(site)))
    except MkDocsException as error:
        raise SiteError(f"site/{config}: {error}") from error
    finally:
        logger.removeHandler(complaints)
        logger.propagate = True
    if complaints.lines:
        raise SiteError("; ".join(complaints.lines[:5]))


class _Complaints(logging.Handler):
    """Keeps what MkDocs warns of: a broken link is an error here."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())


def _offer_downloads(release: Path, target: Path) -> None:
    for found in (release / name for name in DATA_NAMES):
        for path in sorted(found.iterdir()) if found.is_dir() else [found]:
            if path.is_file():
                _link(path, target / path.relative_to(release))


def _link(path: Path, target: Path) -> None:
    """A second name for the file; a copy where the file system has no links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(path, target)
    except OSError:
        shutil.copy2(path, target)
