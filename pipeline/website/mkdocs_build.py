"""Building the finished pages of a language with MkDocs and the theme.

Slow to import, because MkDocs is. The theme's overrides are in `site/overrides`, the settings in `site/mkdocs.yml` and
`pipeline.website.mkdocs_config`.
"""

import logging
import os
import re
import sys
from logging.handlers import BufferingHandler
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.exceptions import MkDocsException

from pipeline.errors import BuildError
from pipeline.website import mkdocs_config

_AS_WRITTEN = re.compile(r"(<(?:pre|script|textarea)\b.*?</(?:pre|script|textarea)>)", re.DOTALL)
_BLANK_LINES = re.compile(r"\n\s*\n")


class SiteError(BuildError):
    """A page or a link of the site is wrong; the message names it."""


def build_with_mkdocs(docs: Path, site: Path, dates: mkdocs_config.DateTexts) -> None:
    """Build the site of the pages below `docs`. Raises SiteError if MkDocs finds a page or a link wrong."""
    os.environ["NO_MKDOCS_2_WARNING"] = "1"  # Material prints a notice on every build without it
    warnings = BufferingHandler(sys.maxsize)  # a broken link is a warning of MkDocs, and an error here
    warnings.setLevel(logging.WARNING)
    logger = logging.getLogger("mkdocs")
    logger.addHandler(warnings)
    logger.propagate = False
    try:
        build(mkdocs_config.load_site_config(docs, site, dates))
    except MkDocsException as error:
        raise SiteError(f"site/mkdocs.yml: {error}") from error
    finally:
        logger.removeHandler(warnings)
        logger.propagate = True
    if warnings.buffer:
        raise SiteError("; ".join(record.getMessage() for record in warnings.buffer[:5]))
    for path in site.rglob("*.html"):
        path.write_text(remove_blank_lines(path.read_text(encoding="utf-8")), encoding="utf-8")


def remove_blank_lines(page: str) -> str:
    """Return the HTML without the theme's blank lines, 3% of the bytes of a page; code and scripts stay as written."""
    return "".join(part if number % 2 else _BLANK_LINES.sub("\n", part) for number, part in enumerate(_AS_WRITTEN.split(page)))
