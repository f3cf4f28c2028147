"""Building the static site from a finished release, in every language. What the pages say belongs in `pipeline.pages`."""

import calendar
import datetime as dt
import logging
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from altair.utils import schemapi

from pipeline import beside, edition, offline, search_index
from pipeline.errors import BuildError
from pipeline.language import ENGLISH, language, speaking, spoken, translations
from pipeline.pages import Book, write_for_programs, write_pages
from pipeline.pages.database import Database
from pipeline.pages.figures import VEGA_LITE
from pipeline.pages.rendering import compile_templates, settle
from pipeline.pictures import get_ready as get_studio_ready
from pipeline.pictures import open_studio
from pipeline.publish import DATA_NAMES, DATABASE

_NAME = "languages"


class SiteError(BuildError):
    """The site could not be built: says which page or link is wrong."""


@dataclass(frozen=True, slots=True)
class Written:
    """The pages of one language: their folder, what the search finds of them, and which lack the heights of charts."""

    code: str
    docs: Path
    found: list[search_index.Entry]
    unsettled: list[Path]


def get_ready() -> None:
    """Start the processes that draw charts and write further languages: beside the build, instead of when pages are wanted."""
    get_studio_ready(VEGA_LITE)
    beside.begin(_NAME, _warm)


def _warm() -> None:
    for other in translations():
        compile_templates(other)


def build_site(release: Path, work: Path) -> None:
    """Build the site of the release at `release/site`, with its data files for download in `site/data`.

    `work` is an empty folder for the Markdown. Raises SiteError where a page or a link is wrong.
    """
    docs, site = work / "docs", release / "site"
    with beside.worker(_NAME) as others, open_studio(docs, VEGA_LITE) as studio, Database(release / DATABASE) as data:
        begun = [others.submit(_translated, other.code, release, work / other.code) for other in translations()]
        book = _written(Book(data, docs, release, studio))
        write_for_programs(book)
        bundle = studio.bundle(work / "vega.js")  # beside MkDocs: it takes as long as a dozen pictures
        heights = book.heights()
        others_framed = [others.submit(_framed, one.result(), heights, work / "site", book.as_of) for one in begun]
        framed = [_framed(Written(ENGLISH.code, docs, book.found, book.unsettled), heights, site, as_of := book.as_of)]
        framed += [one.result() for one in others_framed]
        bundle.result()
    for folder in framed[1:]:
        folder.rename(site / folder.name)  # MkDocs empties the folder that it writes into
    (work / "vega.js").rename(site / "assets" / "vega.js")
    _offer_downloads(release, site / "data")
    offline.pack(site, as_of)


def _translated(code: str, release: Path, docs: Path) -> Written:
    """Write the pages of a further language; what all languages share is made with those of the first."""
    with Database(release / DATABASE) as data, speaking(language(code)):
        book = _written(Book(data, docs, release, None, apart=docs.with_name(f"{docs.name}-unused")))
        return Written(code, docs, book.found, book.unsettled)


def _written(book: Book) -> Book:
    with schemapi.debug_mode(arg=False):  # a test validates what is drawn; here it would cost as much as drawing
        write_pages(book)
    return book


def _framed(pages: Written, heights: dict[str, int], root: Path, as_of: dt.date) -> Path:
    """Let MkDocs frame the pages, in the folder of their language below `root`; returns that folder."""
    settle(pages.unsettled, heights)
    # MkDocs dates the site map by it: without it a build on another day would differ
    os.environ["SOURCE_DATE_EPOCH"] = str(calendar.timegm(as_of.timetuple()))
    with speaking(language(pages.code)):
        _frame(pages.docs, target := root / spoken().folder)
        search_index.extend(target / "search", pages.found)
        if spoken().folder:
            (target / "404.html").unlink()  # hosts show that of the root
    return target


def _frame(docs: Path, site: Path) -> None:
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # Material prints a notice on every build without it
    from mkdocs.commands.build import build  # noqa: PLC0415  # slow to import, and must come after the line above
    from mkdocs.exceptions import MkDocsException  # noqa: PLC0415

    complaints = _Complaints(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    logger.addHandler(complaints)
    logger.propagate = False
    try:
        build(edition.config(docs, site))
    except MkDocsException as error:
        raise SiteError(f"site/mkdocs.yml: {error}") from error
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
