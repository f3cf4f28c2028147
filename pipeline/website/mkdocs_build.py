"""Framing pages: MkDocs puts the finished pages of a language into the theme.

Imported by those alone who write pages: MkDocs is slow to import. What the frame looks like belongs in `site/overrides`, what
MkDocs is told in `site/mkdocs.yml` and `pipeline.website.mkdocs_config`.
"""

import logging
import os
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import jinja2
from jinja2 import meta
from mkdocs.commands.build import build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException

from pipeline.errors import BuildError
from pipeline.paths import SITE
from pipeline.website import mkdocs_config

_OF_EVERY_SITE = ("main.html", "404.html", "sitemap.xml")


class SiteError(BuildError):
    """The site could not be built: says which page or link is wrong."""


def compile_theme(kept: Path, *, backwards: bool) -> None:
    """Compile what pages are framed by, ahead of them, or take what another process keeps in the folder."""
    kept.mkdir(parents=True, exist_ok=True)
    theme = _theme()
    theme.bytecode_cache = jinja2.FileSystemBytecodeCache(str(kept))
    for name in sorted(_included(theme, _OF_EVERY_SITE), reverse=backwards):
        theme.get_template(name)


def frame(docs: Path, site: Path) -> None:
    """Build the site of the pages below `docs`. Raises SiteError where MkDocs finds a page or a link wrong."""
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # Material prints a notice on every build without it
    complaints = _Complaints(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    logger.addHandler(complaints)
    logger.propagate = False
    try:
        build(_with_kept_theme(mkdocs_config.config(docs, site)))
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


@cache
def _theme() -> jinja2.Environment:
    """What the templates of the theme are compiled in, for every language."""
    return mkdocs_config.config(docs=SITE / "docs", site=SITE / "framed").theme.get_env()


def _with_kept_theme(config: MkDocsConfig) -> MkDocsConfig:
    """The configuration with templates that are compiled; what they hold of its language they hold for it alone."""
    kept = _theme().overlay()
    config.theme.get_env = lambda: kept  # type: ignore[method-assign]  # it would compile them anew
    return config


def _included(theme: jinja2.Environment, names: tuple[str, ...]) -> set[str]:
    """The templates with all that they include, extend or import by name."""
    found, todo = set[str](), list(names)
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo += _named(theme, name)
    return found


def _named(theme: jinja2.Environment, name: str) -> Iterator[str]:
    source = theme.loader.get_source(theme, name)[0] if theme.loader else ""
    yield from filter(None, meta.find_referenced_templates(theme.parse(source)))
