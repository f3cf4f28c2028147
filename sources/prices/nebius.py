"""Nebius GPU prices: the documentation in Markdown and the price page, whose tables are nested divs.

Both print prices per GPU-hour. A column may announce a price for a later date: it becomes a row with
`effective_from`, and the current price ends the day before.
"""

import datetime as dt
import re
from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from sources import Accepted, Document, Download, Get, Rejected, Source, UnparsableError
from sources.prices.parsing import GPU_BY_HOUR, Cells, PageRow, cell_text, counted_rows, parse_html, parse_number

SOURCE = Source(
    source_id="nebius",
    title="Nebius GPU prices",
    attribution="Nebius, documentation and price page",
    url="https://docs.nebius.com/compute/resources/pricing.md",
    automated_access="allowed",
    own_list_of="nebius",
)

_PRICED = re.compile(r"GPU[ -]hour", re.IGNORECASE)
_EFFECTIVE = re.compile(r"effective (?:from )?(?P<day>[A-Z][a-z]+ \d{1,2}, \d{4})", re.IGNORECASE)
_RULE = re.compile(r"[|:\- ]+")


def fetch(get: Get) -> Iterator[Download]:
    """Download the documentation's Markdown; the price page can be read from a stored file."""
    url = str(SOURCE.url)
    yield Download(name="pricing.md", raw=get(url, expect="text"), url=url)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per row and price column."""
    lines = _html(document) if document.raw.lstrip().startswith(b"<") else _markdown(document)
    for locator, line in counted_rows(document, lines, "row"):
        if len(line.cells) != len(line.columns):
            problem = f"{len(line.cells)} cells under {len(line.columns)} columns; the layout has changed"
            raise UnparsableError(f"{document.path} {locator}: {problem}")
        yield from _prices(document, locator, line)


def _markdown(document: Document) -> Iterator[PageRow]:
    section: str = ""
    columns: list[str] = []
    for text in document.text().splitlines():
        cells = [part.strip().replace("\\*", "*") for part in text.strip().strip("|").split("|")]
        if text.startswith("#"):
            section, columns = text.strip("# "), []
        elif not text.lstrip().startswith("|"):
            columns = []
        elif not columns:
            columns = cells
        elif not _RULE.fullmatch(text) and any(map(_PRICED.search, columns)):
            yield PageRow(section, columns, cells)


def _html(document: Document) -> Iterator[PageRow]:
    """Yield the rows of the page's tables. A row is the smallest block with several paragraphs; a header begins with `Item`."""
    section: str = ""
    columns: list[str] = []
    for block in _blocks(document):
        if isinstance(block, str):
            section, columns = block, []
        elif block[0] == "Item":
            columns = block
        elif any(map(_PRICED.search, columns)) and (len(block) == len(columns) or "NVIDIA" in block[0]):
            yield PageRow(section, columns, block)


def _blocks(document: Document) -> Iterator[str | list[str]]:
    """Yield headings as a text and rows as a list of texts, in the order of the page."""
    body = parse_html(document).body
    texts: dict[int, list[str]] = {}
    headings: set[int] = set()
    for node in body.traverse() if body else ():
        if node.tag == "h2":
            headings.add(node.mem_id)
        if node.tag in ("h2", "p"):
            texts.setdefault(_row(node).mem_id if node.tag == "p" else node.mem_id, []).append(cell_text(node))
    yield from (parts[0] if block in headings else parts for block, parts in texts.items())


def _row(node: LexborNode) -> LexborNode:
    """Return the nearest block that contains more than this paragraph."""
    while node.parent and len(node.css("p")) < 2:
        node = node.parent
    return node


def _prices(document: Document, locator: str, line: PageRow) -> Iterator[Accepted | Rejected]:
    row = Cells(document, locator, dict(zip(line.columns, line.cells, strict=True)))
    begins = {name: _begin(document, name) for name in line.columns if _PRICED.search(name)}
    first = min((day for day in begins.values() if day), default=None)
    for name, day in begins.items():
        spot = "spot" in name.lower() or "preemptible" in f"{line.section} {name}".lower()
        part = ("spot" if spot else "on_demand") + (f" from {day}" if day else "")
        yield row.offer(
            row.texts[name],
            part,
            effective_from=day,
            effective_to=first - dt.timedelta(days=1) if first and not day else None,
            provider="nebius",
            offer_id=line.cells[0],
            raw_gpu_name=line.cells[0],
            **GPU_BY_HOUR,
            billing="spot" if spot else "on_demand",
            vcpus=parse_number(row.texts.get("vCPUs", "")),
            host_memory_gb=parse_number(row.texts.get("RAM, GB", "")),
        )


def _begin(document: Document, column: str) -> dt.date | None:
    if not (match := _EFFECTIVE.search(column)):
        return None
    try:
        return dt.datetime.strptime(match["day"], "%B %d, %Y").replace(tzinfo=dt.UTC).date()
    except ValueError:
        raise UnparsableError(f"{document.path}: no date in the column {column!r}") from None
