"""Writing pages: the Jinja2 environment, which escapes every printed value, and the writer that pages share.

A page is one Markdown file with one block of HTML. Page content is in `pipeline.website.pages`.
"""

import datetime as dt
import html
import json
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from pipeline.release.dataset import LICENCE, citation
from pipeline.website.charts.render import ChartRenderer
from pipeline.website.i18n.language import (
    ENGLISH,
    Language,
    current_language,
    gettext,
    gettext_figures,
    gettext_sentences,
    mark_english,
)
from pipeline.website.i18n.sentences import gettext_rule
from pipeline.website.i18n.template_messages import TranslateTemplates
from pipeline.website.writing import labels, links, numbers, search
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.escape import code, code_spans, escape, json_safe, plain, script_json
from pipeline.website.writing.links import link, path_segment, shared_root
from pipeline.website.writing.terms import add_term_links

TEMPLATES = Path(__file__).parents[1]
_GLOSSARY = "glossary"  # the kind of page that explains the terms itself
_SEARCH_BOOST = {"pairs": 0.5, "dictionary": 0.1}  # by first folder: pages of GPUs are found first
# both begin with what is kept, since a pattern that begins with a lookbehind is tried at every character of a page
_BETWEEN_CELLS = re.compile(r"(</t[dh]>)\n+(?=<t[dh])")  # narrow screens show cells inline, where a line break would be a space
_AFTER_FULL_WIDTH = re.compile(r"([。！？；，：）])(?: (?=\S)|\n(?=[\u4e00-\u9fff]))")  # such marks have their own space
# a comma that a template writes between two values, of which the second may begin an element
_BEFORE_CHINESE = re.compile(r",\s(?=(?:<[^<>]*>)?(?:\d{4} 年|[\u4e00-\u9fff]))")
_FUNCTIONS = (  # that every template can call, by their names
    *(current_language, gettext, gettext_figures, gettext_rule, gettext_sentences),
    *(labels.capitalized, labels.counted_unit, labels.data_text, labels.month, labels.plural, labels.short_gpu),
    *(labels.short_source, labels.unit_beside, labels.words, labels.workload_name),
    *(links.gpu_link, links.offer_link, links.provider_link, links.provider_name, links.slug, links.source_path),
    *(links.stored_row_link, links.table_path, links.workload_link),
    *(numbers.share, numbers.short),
)
_SOURCES = """
    SELECT s.*, h.last_snapshot_at, h.published_at, h.age_days, h.stale, h."rows", h.rejects
    FROM source s LEFT JOIN source_health h USING (source_id) ORDER BY s.kind, s.source_id
"""
_CHART = re.compile(r'data-chart="([^"]+)"')


@dataclass(slots=True)
class PageArtifacts:
    """By-products of writing pages: search entries, the metadata of each chart, and the cached charts that were used."""

    search_entries: list[search.Entry] = field(default_factory=list)
    charts: dict[str, dict[str, Any]] = field(default_factory=dict)
    cached_charts: set[str] = field(default_factory=set)

    def add(self, other: "PageArtifacts") -> None:
        """Add the artifacts of other pages."""
        self.search_entries += other.search_entries
        self.charts |= other.charts
        self.cached_charts |= other.cached_charts


@dataclass(slots=True)
class PageWriter:
    """Writes pages of one language: holds the data, the folder of the Markdown, the release and the chart renderer.

    `kind` is the folder in `pipeline/website/pages` that has their templates.
    """

    data: Database
    docs: Path
    release: Path
    renderer: ChartRenderer
    artifacts: PageArtifacts = field(default_factory=PageArtifacts)
    embeds: dict[str, dict[str, Any]] = field(default_factory=dict)
    kind: str = ""

    @property
    def is_default_language(self) -> bool:
        """True for the language that is written with the files that all languages share: data of charts, the SQL engine."""
        return not current_language().folder

    @property
    def as_of(self) -> dt.date:
        return self.data.as_of

    @property
    def sources(self) -> dict[str, Row]:
        """Every source by its id, with its age and row counts, and its title in the current language."""
        return {row["source_id"]: row | {"title": gettext(row["title"])} for row in self.data.rows(_SOURCES)}

    def write_page(self, path: str, title: str, description: str, template: str = "page.md.j2", /, **context: Any) -> None:
        """Write the page `path` (as in `gpus/nvidia-t4`, empty for the home page) from a template of its kind."""
        root = "../" * len(path_segment(path).split("/")) if path else ""
        head = {"title": plain(gettext(title)), "description": plain(gettext(description)), "root": Markup(root)}  # noqa: S704
        target = self.docs / path / "index.md"
        target.parent.mkdir(parents=True, exist_ok=True)
        shared = {"as_of": self.as_of, "citation": citation(self.as_of), "counts": self.data.counts}
        shared |= {"sellers": self.data.sellers, "sources": self.sources}
        source = environment(current_language()).get_template(f"pages/{self.kind}/{template}")
        page = punctuate(source.render(shared | context | head))
        address = f"{path}/index.html".lstrip("/")
        target.write_text(page if self.kind == _GLOSSARY else add_term_links(page, root), encoding="utf-8")
        index = search.index_page if "/" in path else search.index_sections
        boost = {"boost": _SEARCH_BOOST.get(path.partition("/")[0], 1)}
        self.artifacts.search_entries += [entry | boost for entry in index(address, page)]
        self._write_embeds({html.unescape(name) for name in _CHART.findall(page)}, address)

    def _write_embeds(self, names: set[str], address: str) -> None:
        """Write the page of each chart that other sites embed, with a link to the first page that shows the chart."""
        for name in sorted(names & self.embeds.keys()):
            if self.is_default_language:
                self.artifacts.charts[name]["page"] = address
            page = render_fragment("components/embed.html.j2", name=name, page=Markup(address), **self.embeds.pop(name))  # noqa: S704
            self.write_text(f"embed/{name}.html", page)

    def write_json(self, path: str, document: dict[str, Any]) -> None:
        """Write a JSON file at this path below the site's root."""
        self.write_text(path, json.dumps(json_safe(document), indent=1, default=str) + "\n")

    def write_text(self, path: str, text: str) -> None:
        """Write a file at this path below the root of the language's site."""
        target = self.docs / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")


def punctuate(page: str) -> str:
    """Return the page without breaks between cells and spaces after full-width marks; in Chinese with full-width commas."""
    if current_language().is_chinese:
        page = _BEFORE_CHINESE.sub("，", page)
    return _AFTER_FULL_WIDTH.sub(r"\1", _BETWEEN_CELLS.sub(r"\1", page))


def render_fragment(template: str, **context: Any) -> Markup:
    """Render part of a page, as markup that other templates print without escaping."""
    return Markup(environment(current_language()).get_template(template).render(**context))  # noqa: S704


def _print_value(value: object) -> Markup:
    """Escape a value; floats without a filter are printed with full precision, for scripts."""
    return escape(numbers.bare(value) if isinstance(value, float) else value)


class _Environment(jinja2.Environment):
    def getattr(self, obj: Any, attribute: str) -> Any:
        """Resolve `row.items` to the column `items` of a row before the method of the dictionary."""
        return obj[attribute] if isinstance(obj, dict) and attribute in obj else super().getattr(obj, attribute)


@cache
def environment(language: Language = ENGLISH) -> jinja2.Environment:
    """The environment of the templates in this language. It escapes every printed value."""
    jinja = _Environment(
        extensions=[TranslateTemplates],
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        finalize=_print_value,
        auto_reload=False,  # else each use of a template asks the disk whether it changed
        trim_blocks=True,
        lstrip_blocks=True,
    )
    jinja.filters |= {
        "num": numbers.number,
        "usd": numbers.usd,
        "thousand": numbers.thousand,
        "ratio": numbers.ratio,
        "percent": numbers.percent,
        "day": numbers.day,
        "duration": numbers.duration,
        "size": numbers.size,
        "json": script_json,
        "code": code,
        "ticked": code_spans,
        "link": link,
        "english": mark_english,
        "path": path_segment,
        "shared": shared_root,
    }
    jinja.globals |= {one.__name__: one for one in _FUNCTIONS}
    jinja.globals["licence"] = f"{LICENCE['title']}, {LICENCE['path']}"
    jinja.extend(messages=language.messages)
    return jinja
