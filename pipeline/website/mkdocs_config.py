"""The configuration of MkDocs for the language being written: `site/mkdocs.yml` with its words in that language.

The first language stands at the root of the site, each other one in a folder of its own, with the same pages at the same
addresses below it.
"""

import os
from pathlib import Path
from typing import Any

from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from pipeline.paths import SITE
from pipeline.website.i18n.language import Language, current_language, gettext, languages

_BETWEEN_WORDS = r"|[\u200b\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]+"  # beside those of English: see search_index


def config(docs: Path, site: Path, **changes: Any) -> MkDocsConfig:
    """What MkDocs builds the pages in `docs` by, into `site`.

    Where the variable GPULEDGER_SITE_URL says where the site will stand, pages tell networks and search engines whole addresses.
    """
    root = os.environ.get("GPULEDGER_SITE_URL", "")
    address = f"{root}{current_language().folder}/" if root and current_language().folder else root
    made = load_config(str(SITE / "mkdocs.yml"), docs_dir=str(docs), site_dir=str(site), site_url=address, **changes)
    made.extra |= {"editions": [_link(other) for other in languages()], "up": _up(), "root": root}
    if current_language().folder:
        _translate(made)
    return made


def _link(other: Language) -> dict[str, str]:
    """An edition as the menu of languages shows it; its folder is seen from the root of the edition being written."""
    return {"name": other.name, "lang": other.code, "folder": f"{_up()}{other.folder}/" if other.folder else _up()}


def _up() -> str:
    """The way from the root of the edition being written to the root of the site."""
    return "../" if current_language().folder else ""


def _translate(made: MkDocsConfig) -> None:
    made.theme["language"] = current_language().code
    made.site_description = gettext(str(made.site_description))
    made.nav = _said(made.nav)
    for scheme in made.theme["palette"]:
        scheme["toggle"]["name"] = gettext(scheme["toggle"]["name"])
    search: Any = made.plugins["material/search"]
    search.config.separator += _BETWEEN_WORDS


def _said(nav: Any) -> Any:
    if isinstance(nav, list):
        return [_said(item) for item in nav]
    return {gettext(label): _said(below) for label, below in nav.items()} if isinstance(nav, dict) else nav
