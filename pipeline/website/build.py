"""Building the static site of a release, in every language. Page content is in `pipeline.website.pages`."""

import atexit
import calendar
import multiprocessing
import os
import shutil
import signal
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from multiprocessing import connection
from pathlib import Path

from pipeline.errors import BuildError
from pipeline.files import scratch_folder
from pipeline.interrupts import hold_interrupts
from pipeline.release.publish import DATA_NAMES, DATABASE
from pipeline.website import offline
from pipeline.website.charts.render import ChartRenderer, prune_charts, write_chart_script
from pipeline.website.i18n.language import ENGLISH, current_language, language, languages, use_language
from pipeline.website.pages import KINDS, PageArtifacts, PageWriter, write_machine_readable
from pipeline.website.writing import search
from pipeline.website.writing.database import Database
from pipeline.website.writing.template_cache import cache_templates
from pipeline.website.writing.template_errors import one_line_errors

ByLanguage = dict[str, PageArtifacts]


@dataclass(frozen=True, slots=True)
class Folders:
    """The release to show, the folder of pages in progress, and the cache that is kept between builds."""

    release: Path
    scratch: Path
    cache: Path

    def charts(self, code: str) -> Path:
        """The drawn charts of a language."""
        return self.docs(code) / "assets" / "charts"

    def docs(self, code: str) -> Path:
        """The pages of a language before MkDocs adds the theme."""
        return self.scratch / "docs" / code

    def site(self, code: str) -> Path:
        """The finished pages of a language."""
        return self.scratch / "site" / code


def build_site(release: Path, site: Path, cache: Path) -> None:
    """Create the folder `site`, which is absent or empty, from the data files in `release`. It offers them in `site/data`.

    `cache` keeps drawn charts and compiled templates between builds. Raises SiteError if a page or a link is wrong.
    """
    with scratch_folder(site.with_name(f"{site.name}.pages")) as scratch:
        folders = Folders(release, scratch, cache)
        with worker_pool(cache) as pool:
            chart_script = pool.submit(write_chart_script, folders.docs(ENGLISH.code) / "assets" / "vega.js", cache)
            # not `map`, which cancels tasks after an error: Python 3.11 prints a trace if the workers then end
            kinds = [pool.submit(_write_kind, folders, kind) for kind in KINDS]
            artifacts = _merge(kind.result() for kind in kinds)
            chart_script.result()
            for themed in [pool.submit(_add_theme, folders, *one) for one in artifacts.items()]:
                themed.result()
        prune_charts(cache, set().union(*(one.cached_charts for one in artifacts.values())))
        pages = _join_languages(folders)
        _link_downloads(release, pages)
        with Database(release / DATABASE) as data:
            offline.add_archive(pages, data.as_of)
        pages.rename(site)


@contextmanager
def worker_pool(cache: Path) -> Iterator[ProcessPoolExecutor]:
    """Two worker processes, which end at once after an error or Ctrl-C. Raises BuildError if one is killed."""
    spawn = multiprocessing.get_context("spawn")  # a fork would copy the locks of DuckDB's and Dagster's threads
    try:
        with ProcessPoolExecutor(2, spawn, _start_worker, (cache,)) as pool:
            try:
                with hold_interrupts():
                    for _ in range(2):
                        pool.submit(int)  # starts a worker
                yield pool
            except BaseException:  # else the pool would first do the tasks that it has
                for worker in multiprocessing.active_children():
                    worker.kill()
                raise
    except BrokenProcessPool:
        raise BuildError("a process that builds pages was killed; free some memory and run `gpuledger build` again") from None


def _start_worker(cache: Path) -> None:
    ended, end = multiprocessing.Pipe(duplex=False)
    watcher = threading.Thread(target=_end_with_parent, args=(ended,), daemon=True)
    watcher.start()
    # in reverse order: DuckDB would print lines about leaks if the thread were still there
    atexit.register(watcher.join)
    atexit.register(end.close)
    cache_templates(cache)


def _end_with_parent(ended: connection.Connection) -> None:
    """End this worker when the build is killed; otherwise it would wait for its next task forever."""
    parent = multiprocessing.parent_process()
    if parent and parent.sentinel in connection.wait([parent.sentinel, ended]):
        os.kill(os.getpid(), signal.SIGKILL)


def _write_kind(folders: Folders, kind: str) -> ByLanguage:
    """Write the pages of one kind in every language. One task, so that each query runs once."""
    artifacts = {}
    with Database(folders.release / DATABASE) as data:
        for one in languages():
            with use_language(one), one_line_errors():
                renderer = ChartRenderer(folders.charts(one.code), folders.cache)
                writer = PageWriter(data, folders.docs(one.code), folders.release, renderer, kind=kind)
                import_module(f"pipeline.website.pages.{kind}.page").write(writer)
            artifacts[one.code] = writer.artifacts
    return artifacts


def _merge(of_kinds: Iterable[ByLanguage]) -> ByLanguage:
    """Join the artifacts of all kinds of pages."""
    merged = {one.code: PageArtifacts() for one in languages()}
    for by_language in of_kinds:
        for code, artifacts in by_language.items():
            merged[code].add(artifacts)
    return merged


def _add_theme(folders: Folders, code: str, artifacts: PageArtifacts) -> None:
    """Build the finished pages of a language with MkDocs, and the files for programs with those of the default language."""
    from pipeline.website import mkdocs_build, mkdocs_config  # noqa: PLC0415  # slow to import, and needed in workers only

    with use_language(language(code)), Database(folders.release / DATABASE) as data, one_line_errors():
        writer = PageWriter(
            data, folders.docs(code), folders.release, ChartRenderer(folders.charts(code), folders.cache), artifacts
        )
        if writer.is_default_language:
            write_machine_readable(writer)
        # MkDocs dates the site map by it; with today's date, every day would give other bytes
        os.environ["SOURCE_DATE_EPOCH"] = str(calendar.timegm(writer.as_of.timetuple()))
        dates = mkdocs_config.date_texts(writer.as_of, data.newest_price)
        mkdocs_build.build_with_mkdocs(writer.docs, target := folders.site(code), dates)
        search.add_entries(target / "search", artifacts.search_entries)
        if current_language().folder:
            (target / "404.html").unlink()  # hosts show that of the root


def _join_languages(folders: Folders) -> Path:
    """Move the other languages below the default one. Returns the folder of the whole site."""
    root = folders.site(ENGLISH.code)
    for one in languages():
        if one != ENGLISH:
            folders.site(one.code).rename(root / one.folder)
    return root


def _link_downloads(release: Path, site: Path) -> None:
    """Add the data files of the release to the site."""
    for name in DATA_NAMES:
        for path in (release / name, *(release / name).rglob("*")):
            if path.is_file():
                _link(path, site / "data" / path.relative_to(release))


def _link(path: Path, target: Path) -> None:
    """Hard-link the file, or copy it where the file system has no links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(path, target)
    except OSError:
        shutil.copy2(path, target)
