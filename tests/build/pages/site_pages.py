"""Reading a built site as a browser would, with the queries that it prints, and writing single pages: for the tests of pages."""

import html
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from types import ModuleType

import duckdb
from selectolax.lexbor import LexborHTMLParser, LexborNode

from pipeline.warehouse import sql_models
from pipeline.warehouse.connection import dictionaries
from pipeline.website.charts.render import ChartRenderer
from pipeline.website.pages import PageWriter
from pipeline.website.writing.database import Database, Row

WITH_HISTORY = "nvidia-a100-pcie-40gb"
Tag = tuple[str, dict[str, str]]  # name and attributes


class Page:
    """One page: tags with attributes, ids, links, and scripts that run."""

    def __init__(self, path: Path) -> None:
        self.tags: list[Tag] = []
        self.running: list[str] = []
        self.text: list[str] = []
        root = LexborHTMLParser(path.read_text()).root
        assert root, f"{path} is empty"
        for node in root.traverse(include_text=True):
            self._read(node)

    def _read(self, node: LexborNode) -> None:
        if node.tag != "-text":
            if not node.tag.startswith("-"):
                self.tags.append(_tag(node))
            return
        script = node.parent if node.parent and node.parent.tag == "script" else None
        if script is None:
            self.text.append(node.text_content or "")
        elif "json" not in (script.attributes.get("type") or ""):
            self.running.append(node.text_content or "")

    def values(self, *names: str) -> Iterator[str]:
        yield from (found[name] for _, found in self.tags for name in names if name in found)


@lru_cache(maxsize=1)  # parsing all pages takes seconds; one site of them takes 300 MB
def pages(site: Path) -> dict[str, Page]:
    """Every page of a site by its path there."""
    return {str(path.relative_to(site)): Page(path) for path in sorted(site.rglob("*.html"))}


def tags_of(site: Path, selector: str) -> dict[str, list[Tag]]:
    """The tags that match a selector of CSS on every page of a site, by the page's path there."""
    found = {}
    for path in sorted(site.rglob("*.html")):
        nodes = LexborHTMLParser(path.read_text()).css(selector)
        found[str(path.relative_to(site))] = [_tag(node) for node in nodes]
    return found


def _tag(node: LexborNode) -> Tag:
    return str(node.tag), {name: value or "" for name, value in node.attributes.items()}


def words_of(site: Path, name: str) -> str:
    return text_of(site / name)


def text_of(path: Path) -> str:
    """The text of one page, its white space made even."""
    return " ".join("".join(Page(path).text).split())


def body_rows(text: str, table: str) -> list[str]:
    """The text of each row of a table's body."""
    body = text.split(f'id="{table}"', 1)[1].split("</tbody>", 1)[0].split("<tbody>", 1)[1]
    return [html.unescape(re.sub(r"<[^>]+>", " ", row)) for row in body.split("</tr>")[:-1]]


def printed_sql(text: str, after: str) -> str:
    """The first query that a page prints after a place."""
    found = re.search(r'gl-sql".*?<code>(.*?)</code>', html.unescape(text).split(after, 1)[1], re.S)
    assert found
    return found[1]


def query_rows(con: duckdb.DuckDBPyConnection, sql: str) -> list[Row]:
    """The rows that a query gives."""
    return dictionaries(con.execute(sql))


def provider_names(con: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """The name that pages print of each provider that the table of providers holds."""
    return dict(con.execute("SELECT provider_id, name FROM provider").fetchall())


def write_pages(path: Path, *pages: ModuleType) -> Path:
    """The folder of the pages that the modules write from a database."""
    docs = path.parent / "docs"
    with Database(path) as data:
        for page in pages:
            page.write(book(data, docs, path.parent, page.__name__.split(".")[-2]))
    return docs


def book(data: Database, docs: Path, release: Path, kind: str) -> PageWriter:
    """A writer of single pages of a kind, with pictures of their charts below `docs`."""
    return PageWriter(data, docs, release, ChartRenderer(docs / "assets" / "charts", docs.with_name("cache")), kind=kind)


def recompute(con: duckdb.DuckDBPyConnection, *changed: str, unpublished: bool = False) -> None:
    """Compute the metrics that read changed tables again. With `unpublished` those between published tables, too.

    A metric that reads another unpublished table stays as it is.
    """
    present = {name for (name,) in con.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    stale = set(changed)
    for name, metric in sql_models.metrics().items():
        is_wanted = name not in stale and (unpublished or name in present)
        if is_wanted and present.issuperset(metric.reads) and stale.intersection(metric.reads):
            if name in present:
                con.execute(f"DELETE FROM {name}")
                con.execute(f"INSERT INTO {name} BY NAME {metric.file.body}")
            else:
                con.execute(f"CREATE TABLE {name} AS {metric.file.body}")
            present.add(name)
            stale.add(name)
