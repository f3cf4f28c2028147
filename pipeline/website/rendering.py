"""Writing pages: the Jinja2 environment in which nothing is printed unescaped, and links between pages.

A page is one Markdown file that holds one block of HTML. What stands on which page belongs in the modules beside this one.
"""

import datetime as dt
import hashlib
import html
import json
import re
import shutil
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from pipeline.warehouse.dataset import LICENCE, citation
from pipeline.website import search
from pipeline.website.charts.render import ChartRenderer
from pipeline.website.components import numbers
from pipeline.website.components.database import Database
from pipeline.website.components.escape import code, escape, finite, plain, script_json, ticked
from pipeline.website.components.terms import explained
from pipeline.website.i18n.language import ENGLISH, Language, current_language, gettext, gettext_figures, languages
from pipeline.website.i18n.template_messages import Sentences

TEMPLATES = Path(__file__).parent
_SAFE_PATH = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*(/[a-z0-9]+(-[a-z0-9]+)*)*")
_APART = re.compile(r"[\s._-]+")
_LONGEST_SLUG = 60
_GLOSSARY = "pages/glossary/page.md.j2"  # it has the terms itself
_BETWEEN_CELLS = re.compile(r"(?<=</t[dh]>)\n+(?=<t[dh])")  # narrow screens show cells inline: a space would part them
_CHART = re.compile(r'data-chart="([^"]+)"')
_SAFE_LINK = re.compile(r"https?://[A-Za-z0-9.-]+(:\d+)?(/[^\s\"'<>`\\]*)?")


@dataclass(slots=True)
class PageArtifacts:
    """By-products of writing pages: search entries, the metadata of each chart, and the cached charts that were used."""

    found: list[search.Entry] = field(default_factory=list)
    charts: dict[str, dict[str, Any]] = field(default_factory=dict)
    cached_charts: set[str] = field(default_factory=set)

    def add(self, other: "PageArtifacts") -> None:
        """Add what was made by another."""
        self.found += other.found
        self.charts |= other.charts
        self.cached_charts |= other.cached_charts


@dataclass(slots=True)
class PageWriter:
    """What every page may use: the data, the folders of the Markdown and of the release; and what was made so far."""

    data: Database
    docs: Path
    release: Path
    renderer: ChartRenderer
    artifacts: PageArtifacts = field(default_factory=PageArtifacts)

    @property
    def is_default_language(self) -> bool:
        """Whether what all languages use (charts, tables, the engine of the SQL page) is made with the pages of this one."""
        return not current_language().folder

    @property
    def as_of(self) -> dt.date:
        return self.data.as_of

    def write_page(self, path: str, template: str, title: str, description: str, **context: Any) -> None:
        """Write the page `path` (as in `gpus/nvidia-t4`, empty for the home page) from a template."""
        if path and not _SAFE_PATH.fullmatch(path):
            raise ValueError(f"page path {path!r}: want lower-case words joined by hyphens; look at the gpu_id")
        root = "../" * len(path.split("/")) if path else ""
        known: dict[str, Any] = {"root": Markup(root), "title": plain(gettext(title)), "description": plain(gettext(description))}  # noqa: S704
        target = self.docs / path / "index.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        known |= {"as_of": self.as_of, "citation": citation(self.as_of)}
        page = environment(current_language()).get_template(template).render(**known, **context)
        page = _BETWEEN_CELLS.sub("", page)
        address = f"{path}/index.html".lstrip("/")
        target.write_text(page if template == _GLOSSARY else explained(page, root), encoding="utf-8")
        index = search.whole if "/" in path else search.sections
        self.artifacts.found += index(address, page)
        for name in _CHART.findall(page) if self.is_default_language else ():
            self.artifacts.charts[html.unescape(name)].setdefault("page", address)

    def write_json(self, path: str, document: dict[str, Any]) -> None:
        """Write a file for programs at this address below the site's root."""
        self.write_text(path, json.dumps(finite(document), indent=1, default=str) + "\n")

    def write_text(self, path: str, text: str) -> None:
        """Write a file that all languages use at this address below the site's root."""
        target = self.docs / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def cache_templates(cache: Path) -> None:
    """Keep compiled templates in `cache` between builds.

    Jinja2 compiles a template again when its source changes; a folder is named by the hash of what else the result depends on:
    the catalog of the language, and the Python code of the website.
    """
    environments = {cache / "templates" / f"{one.code}-{_code_hash(one)}": environment(one) for one in languages()}
    for folder, compiling in environments.items():
        folder.mkdir(parents=True, exist_ok=True)
        compiling.bytecode_cache = jinja2.FileSystemBytecodeCache(str(folder))
    for outdated in set((cache / "templates").iterdir()) - environments.keys():
        shutil.rmtree(outdated, ignore_errors=True)


def _code_hash(language: Language) -> str:
    """Hash of the catalog and of the Python code."""
    digest = hashlib.sha256(repr(sorted(language.messages.items())).encode())
    for path in sorted(TEMPLATES.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def render_fragment(template: str, **context: Any) -> Markup:
    """A piece of a page that other templates may print as it is."""
    return Markup(environment(current_language()).get_template(template).render(**context))  # noqa: S704


def is_web_address(url: str | None) -> bool:
    """Whether a link may lead there."""
    return bool(url and _SAFE_LINK.fullmatch(url))


def as_path(name: str) -> Markup:
    """The name as a part of an address. Raises ValueError where it is none."""
    if not _SAFE_PATH.fullmatch(name):
        raise ValueError(f"{name!r}: want lower-case words joined by hyphens; look at the gpu_id")
    return Markup(name)  # noqa: S704


def card_path(gpu_id: str) -> str:
    """The address of a card's page below the site's root."""
    return f"gpus/{as_path(gpu_id)}/index.html"


def slug(name: str) -> str:
    """Any name, in small letters, as one part of an address; a digest tells apart names with other signs, and long ones."""
    lower = name.strip().lower()
    joined = _APART.sub("-", lower)
    if len(joined) <= _LONGEST_SLUG and _SAFE_PATH.fullmatch(joined) and "/" not in joined:
        return joined
    letters = "-".join(re.findall("[a-z0-9]+", lower))[: _LONGEST_SLUG // 2]
    return f"{letters}-{hashlib.sha256(lower.encode()).hexdigest()[:8]}".replace("--", "-").lstrip("-")


def provider_path(provider: str) -> str:
    """The address of a provider's page below the site's root."""
    return f"providers/{slug(provider)}/index.html"


def workload_path(workload: str) -> str:
    """The address of a workload's page below the site's root."""
    return f"workloads/{slug(workload)}/index.html"


def link(url: str | None, text: object) -> Markup:
    """The text as a link where the address is a plain web address, else the text alone."""
    if is_web_address(url):
        return _anchor(escape(url), text, ' rel="noopener nofollow"')
    return escape(text)


def _anchor(address: str, text: object, more: str = "") -> Markup:
    """The text as a link to what is an address already; `Markup.format` takes ten times as long, and links are thousands."""
    return Markup(f'<a href="{address}"{more}>{escape(text)}</a>')  # noqa: S704


def shared(root: Markup) -> Markup:
    """The way to what all languages share, from a page with this way to the root of its own language."""
    return Markup("../") + root if current_language().folder else root


def gpu_link(root: str, gpu_id: str | None, text: object) -> Markup:
    """The text as a link to the card's page where the card is known."""
    if gpu_id and _SAFE_PATH.fullmatch(gpu_id):
        return _anchor(f"{root}{card_path(gpu_id)}", text)
    return escape(text)


def provider_link(root: str, provider: str) -> Markup:
    """The provider's name as a link to its page."""
    return _anchor(f"{root}{provider_path(provider)}", provider)


def workload_link(root: str, workload: str, text: object) -> Markup:
    """The text as a link to the workload's page."""
    return _anchor(f"{root}{workload_path(workload)}", text)


def _printed(value: object) -> Markup:
    """What stands for a value: a figure without a filter is one for scripts."""
    return escape(numbers.bare(value) if isinstance(value, float) else value)


class _Environment(jinja2.Environment):
    def getattr(self, obj: Any, attribute: str) -> Any:
        """What `row.items` means in a template: a row's column comes before a method of dictionaries."""
        return obj[attribute] if isinstance(obj, dict) and attribute in obj else super().getattr(obj, attribute)


@cache
def environment(language: Language = ENGLISH) -> jinja2.Environment:
    """Where templates of this language are compiled, in which nothing is printed unescaped."""
    made = _Environment(
        extensions=[Sentences],
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        finalize=_printed,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "num": numbers.number,
        "usd": numbers.usd,
        "ratio": numbers.ratio,
        "percent": numbers.percent,
        "day": numbers.day,
        "duration": numbers.duration,
        "size": numbers.size,
        "json": script_json,
        "code": code,
        "ticked": ticked,
        "link": link,
        "path": as_path,
        "shared": shared,
    }
    made.globals |= {"share": numbers.share, "licence": f"{LICENCE['title']}, {LICENCE['path']}"}
    made.globals |= {"gpu_link": gpu_link, "provider_link": provider_link, "workload_link": workload_link}
    made.globals |= {"gettext": gettext, "gettext_figures": gettext_figures, "current_language": current_language}
    made.extend(messages=language.messages)
    return made
