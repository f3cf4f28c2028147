"""The configuration of MkDocs for the current language: `site/mkdocs.yml`, translated.

English pages are at the site's root, those of other languages in a folder each, with the same paths below it.
"""

import datetime as dt
from pathlib import Path
from typing import Any

from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig

from pipeline.paths import SITE
from pipeline.release.dataset import version
from pipeline.website.i18n.language import Language, current_language, gettext, languages, use_language
from pipeline.website.writing.links import repository_address, site_address
from pipeline.website.writing.numbers import day

DateTexts = dict[str, str | None]
_BETWEEN_WORDS = r"|[\u200b\u3000-\u303f\uff00-\uff0f\uff1a-\uff20]+"  # in addition to the English separators; see search.py


def load_site_config(docs: Path, site: Path, dates: DateTexts | None = None, **changes: Any) -> MkDocsConfig:
    """The configuration for building the pages in `docs` into `site`. Without `dates`, the frame shows none.

    If the variable GPULEDGER_SITE_URL has the address of the site, pages give absolute addresses to networks and search engines.
    GPULEDGER_REPOSITORY_URL replaces `repo_url`, so that a copy of the repository links to itself.
    """
    root = site_address()
    address = root and f"{root}{current_language().path}"
    changes = ({"repo_url": repository} if (repository := repository_address()) else {}) | changes
    config = load_config(str(SITE / "mkdocs.yml"), docs_dir=str(docs), site_dir=str(site), site_url=address, **changes)
    config.extra |= {
        "editions": [_language_link(other) for other in languages()],
        "up": _path_to_root(),
        "root": root,
        "not_found": [_not_found(config, one) for one in languages()],
        "dates": dates,
    }
    if current_language().folder:
        _translate(config)
    return config


def date_texts(as_of: dt.date, newest: dt.date | None) -> DateTexts:
    """The dates that the frame of every page shows: the reference date, and that of the newest price."""
    return {
        "day": day(as_of),
        "version": version(as_of),
        "price": newest.isoformat() if newest else None,
        "price_day": day(newest) if newest else None,
    }


def _not_found(config: MkDocsConfig, of: Language) -> dict[str, Any]:
    """Texts and tabs of the page for wrong addresses. Hosts have one such page for all languages."""
    with use_language(of):
        return {"lang": of.code, "folder": of.path, "words": _words(config), "tabs": [_tab(entry) for entry in config.nav or []]}


def _tab(entry: dict[str, Any] | str) -> dict[str, str]:
    """Title and first page of a tab; a page without a title has its file's name."""
    ((label, pages),) = entry.items() if isinstance(entry, dict) else ((entry, entry),)
    first: str = pages if isinstance(pages, str) else next(iter(pages[0].values()))
    return {"title": gettext(label), "url": first.replace(".md", ".html")}


def _words(config: MkDocsConfig) -> dict[str, str]:
    return {name: gettext(text) for name, text in config.extra["words"].items()}


def _language_link(other: Language) -> dict[str, str]:
    """An entry of the language menu. Its folder is relative to the root of the current language."""
    return {"name": other.name, "lang": other.code, "folder": _path_to_root() + other.path}


def _path_to_root() -> str:
    """The relative path from the root of the current language to the root of the site."""
    return "../" if current_language().folder else ""


def _translate(config: MkDocsConfig) -> None:
    config.theme["language"] = current_language().code
    config.site_description = gettext(str(config.site_description))
    config.extra["words"] = _words(config)
    config.nav = _translate_nav(config.nav)
    for scheme in config.theme["palette"]:
        scheme["toggle"]["name"] = gettext(scheme["toggle"]["name"])
    search: Any = config.plugins["material/search"]
    search.config.separator += _BETWEEN_WORDS


def _translate_nav(nav: Any) -> Any:
    if isinstance(nav, list):
        return [_translate_nav(item) for item in nav]
    return {gettext(label): _translate_nav(below) for label, below in nav.items()} if isinstance(nav, dict) else nav
