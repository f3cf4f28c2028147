"""Building the static site from a finished release, in every language. What the pages say belongs in `pipeline.website.pages`."""

import calendar
import datetime as dt
import os
import shutil
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from functools import cache
from multiprocessing import util
from pathlib import Path

from pipeline import beside
from pipeline.warehouse.publish import DATA_NAMES, DATABASE
from pipeline.warehouse.sql_models import metrics
from pipeline.website import offline, search
from pipeline.website.charts.render import Studio, open_studio
from pipeline.website.charts.render import get_ready as get_studio_ready
from pipeline.website.components.database import Database
from pipeline.website.i18n.language import ENGLISH, language, languages, speaking, spoken
from pipeline.website.pages import KINDS, NEED_EXPORTS, Book, Made, write_for_programs, write_kind
from pipeline.website.rendering import compile_templates, settle

Files = dict[Path, Path]  # by their names in the site


def get_ready(templates: Path) -> None:
    """Start the processes that draw charts and write pages: beside the build, instead of when pages are wanted.

    `templates` is the folder in which they keep compiled templates for one another; what an earlier build left there goes.
    """
    if beside.begun(_warm, 0, templates):
        return
    shutil.rmtree(templates, ignore_errors=True)
    get_studio_ready()
    for number in range(beside.PAGES.size):  # each takes one: they come at once
        beside.begin(beside.PAGES, _warm, number, templates)


def _warm(number: int, templates: Path) -> None:
    """Compile templates from one end of their list or the other: whoever comes later finds them in the folder."""
    from pipeline.website import mkdocs_build  # noqa: PLC0415  # imported by those alone who write pages

    backwards = bool(number % 2)
    for one in languages():
        compile_templates(one, templates / one.code, backwards=backwards)
    mkdocs_build.compile_theme(templates / "theme", backwards=backwards)
    metrics()


def begin(release: Path, work: Path) -> None:
    """Begin the pages that need nothing of the release but the database; `build_site` of the same folders takes them."""
    for kind in KINDS:
        if kind not in NEED_EXPORTS:
            beside.begin(beside.PAGES, _write, kind, release, work)


def build_site(release: Path, work: Path) -> None:
    """Build the site of the release at `release/site`, with its data files for download in `site/data`.

    `work` is an empty folder for what pages are made of. Raises SiteError where a page or a link is wrong.
    """
    site, downloads = release / "site", _downloads(release)
    work.mkdir(parents=True, exist_ok=True)
    with offline.edition(work / offline.NAME, _as_of(release)) as pack:
        _finish_pages(site, downloads, release, work, pack)
    for name, path in downloads.items():
        _link(path, site / name)
    offline.offer(site, work / offline.NAME)


def _finish_pages(site: Path, downloads: Files, release: Path, work: Path, pack: Callable[[Files], None]) -> None:
    """Write and frame the pages, draw their charts, and pack each as soon as it is done: some while others are still at work."""
    with beside.workers(beside.PAGES) as writers, open_studio(work / "charts") as studio:
        made, heights = _written(writers, studio, release, work)
        framed = [beside.submit(writers, _framed, code, of_language, release, work) for code, of_language in made.items()]
        script = studio.bundle(work / "vega.js")
        pack(downloads)
        for each in framed:
            beside.result(each)
        unsettled = _place(made, work, site)
        whole = {name: path for name, path in _files(site).items() if path not in unsettled}
        pack(whole)
        settle(unsettled, {name: height.result() for name, height in heights.items()})
        script.result()
    for drawn in ("charts", "vega.js"):
        (work / drawn).rename(site / "assets" / drawn)
    pack({name: path for name, path in _files(site).items() if name not in whole})


def _place(made: dict[str, Made], work: Path, site: Path) -> set[Path]:
    """Move the framed pages to their site. Returns those that lack the heights of charts."""
    for code in made:
        (work / "site" / code).rename(site / language(code).folder)
    return {site / language(code).folder / page for code, of_language in made.items() for page in of_language.unsettled}


def _written(
    writers: ProcessPoolExecutor, studio: Studio, release: Path, work: Path
) -> tuple[dict[str, Made], dict[str, Future[int]]]:
    """Have all pages written, and charts drawn beside them; what was made by language, and the height of each chart in time."""
    begun = {
        beside.begun(_write, kind, release, work) or beside.submit(writers, _write, kind, release, work): kind for kind in KINDS
    }
    written: dict[str, dict[str, Made]] = {}
    drawn: dict[str, Future[int]] = {}
    for ended in as_completed(begun):
        written[begun[ended]] = by_language = beside.result(ended)
        drawn |= {name: studio.draw(name, spec) for name, spec in by_language[ENGLISH.code].specs.items()}
    made = {one.code: Made() for one in languages()}
    for name in KINDS:
        for code, found in written[name].items():
            made[code].add(found)
    return made, drawn


def _write(kind: str, release: Path, work: Path) -> dict[str, Made]:
    """Write the pages of one kind in every language: what is asked of the data is asked once."""
    from altair.utils import schemapi  # noqa: PLC0415  # imported by those alone who write pages

    made = {}
    for one in languages():
        with (
            speaking(one),
            schemapi.debug_mode(arg=False),
        ):  # a test validates what is drawn; here it would cost as much as drawing
            book = Book(_database(release), work / one.code, release)
            write_kind(kind, book)
        made[one.code] = book.made
    return made


@cache
def _database(release: Path) -> Database:
    """The data as this process keeps them to its end."""
    data = Database(release / DATABASE)
    util.Finalize(data, data.connection.close, exitpriority=0)
    return data


def _framed(code: str, made: Made, release: Path, work: Path) -> None:
    """Let MkDocs frame the pages of a language."""
    from pipeline.website import mkdocs_build  # noqa: PLC0415  # imported by those alone who write pages

    with speaking(language(code)):
        book = Book(_database(release), work / code, release, made)
        if book.leads:
            write_for_programs(book)
        # MkDocs dates the site map by it: without it a build on another day would differ
        os.environ["SOURCE_DATE_EPOCH"] = str(calendar.timegm(book.as_of.timetuple()))
        mkdocs_build.frame(book.docs, target := work / "site" / code)
        search.extend(target / "search", made.found)
        if spoken().folder:
            (target / "404.html").unlink()  # hosts show that of the root


def _as_of(release: Path) -> dt.date:
    with Database(release / DATABASE) as data:
        return data.as_of


def _files(folder: Path) -> Files:
    """Every file below the folder."""
    return {path.relative_to(folder): path for path in folder.rglob("*") if path.is_file()}


def _downloads(release: Path) -> Files:
    """The data files of the release, as the site offers them."""
    found = [path for name in DATA_NAMES for path in sorted((release / name, *(release / name).rglob("*"))) if path.is_file()]
    return {Path("data") / path.relative_to(release): path for path in found}


def _link(path: Path, target: Path) -> None:
    """A second name for the file; a copy where the file system has no links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.unlink(missing_ok=True)
    try:
        os.link(path, target)
    except OSError:
        shutil.copy2(path, target)
