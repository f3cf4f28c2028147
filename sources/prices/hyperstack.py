"""Hyperstack's price page: blocks of rows with on-demand prices per GPU, and lowest prices of reservations.

The page does not state the term of a reservation, so it is unknown. Processor and memory are printed as the maximum
per GPU, which is not a property of the offer.
"""

from collections.abc import Iterator

from selectolax.lexbor import LexborNode

from sources import Accepted, Document, Rejected, Source, UnparsableError
from sources.prices.parsing import GPU_BY_HOUR, Cells, PageRow, cell_text, counted_rows, parse_html, parse_number

SOURCE = Source(
    source_id="hyperstack",
    title="Hyperstack GPU prices",
    attribution="Hyperstack, GPU price page",
    url="https://www.hyperstack.cloud/gpu-pricing",
    automated_access="allowed",
    own_list_of="hyperstack",
)

ROW, HEAD = "page-price_card_row_item", "page-price_card_head"
ON_DEMAND = ("GPU Model", "VRAM", "CPU", "RAM", "Price")
PRICED = ("pric", "hour", "starting from")


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per row."""
    for locator, offer in counted_rows(document, _offers(document), "row"):
        yield _price(document, locator, offer)


def _offers(document: Document) -> Iterator[PageRow]:
    section: str = ""
    titles: list[str] = []
    body = parse_html(document).body
    for node in body.traverse() if body else ():
        classes = (node.attributes.get("class") or "").split()
        if node.tag in ("h2", "h3"):
            section, titles = cell_text(node), []
        elif HEAD in classes:
            titles = _cells(node, f".{HEAD}_item")
        elif ROW in classes:
            yield PageRow(section, titles, _cells(node, f".{ROW}_col"))


def _cells(node: LexborNode, selector: str) -> list[str]:
    return [cell_text(part) for part in node.css(selector)]


def _price(document: Document, locator: str, offer: PageRow) -> Accepted | Rejected:
    titles = offer.columns or list(ON_DEMAND)
    column = next((n for n, title in enumerate(titles) if any(word in title.lower() for word in PRICED)), None)
    if column is None or len(titles) != len(offer.cells):
        raise UnparsableError(
            f"{document.path} {locator}: {len(offer.cells)} cells under the columns {', '.join(titles)}; "
            "expected a column of prices; the layout has changed"
        )
    row = Cells(document, locator, dict(zip(titles, offer.cells, strict=True)))
    name, price = offer.cells[0], offer.cells[column]
    return row.offer(
        price,
        provider="hyperstack",
        offer_id=name,
        raw_gpu_name=name,
        reported_memory_gb=_memory(titles, offer.cells),
        **GPU_BY_HOUR,
        billing=_billing(offer.section),
        **({"qualifier": "from"} if "starting from" in titles[column].lower() else {}),
    )


def _memory(titles: list[str], cells: list[str]) -> float | None:
    return next((parse_number(text) for title, text in zip(titles, cells, strict=True) if title.startswith("VRAM")), None)


def _billing(section: str) -> str:
    words = section.lower()
    if "reserv" in words:
        return "reserved"
    return "spot" if "spot" in words else "on_demand"
