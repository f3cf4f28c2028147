"""CoreWeave's price page: instance prices by region, and a price per GPU for inference.

The page repeats each offer for narrow screens, with wrong labels; the copy is rejected as a duplicate.
A cell that asks the reader to contact sales has no amount and is rejected as a placeholder.
"""

from collections.abc import Iterator
from typing import NamedTuple

from selectolax.lexbor import LexborNode

from sources import Accepted, Document, Rejected, Source, UnparsableError
from sources.prices.parsing import (
    BY_HOUR,
    NO_OFFER,
    Cells,
    cell_text,
    counted_rows,
    parse_count,
    parse_html,
    parse_number,
    require_columns,
)

SOURCE = Source(
    source_id="coreweave",
    title="CoreWeave GPU prices",
    attribution="CoreWeave, price page",
    url="https://www.coreweave.com/pricing",
    automated_access="allowed",
    own_list_of="coreweave",
)

FACTS = ("GPU Model", "GPU Count", "VRAM", "vCPUs", "System RAM", "Local Storage")
PRICES = {
    "On-Demand Price": ("on_demand", "per_instance", None),
    "Spot Price": ("spot", "per_instance", None),
    "Inference Single GPU Price": ("on_demand", "per_gpu", "inference"),
}


class Offer(NamedTuple):
    """A row of the page: its region, the columns of its table and its node; `copy` marks the row for narrow screens."""

    region: str
    columns: list[str]
    node: LexborNode
    copy: bool


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield up to three prices per row."""
    for locator, offer in counted_rows(document, _offers(document), "row"):
        if offer.copy:
            reason = "the row before it again, as the page prints it for narrow screens"
            yield Rejected(locator, cell_text(offer.node), "DUPLICATE", reason)
        else:
            yield from _prices(document, locator, offer)


def _offers(document: Document) -> Iterator[Offer]:
    region: str = ""
    body = parse_html(document).body
    for node in body.traverse() if body else ():
        classes = (node.attributes.get("class") or "").split()
        if node.tag == "h5":
            region = cell_text(node).partition("REGION:")[2].strip()
        elif "gpu-pricing" in classes:
            yield from _table(document, region, node)


def _table(document: Document, region: str, table: LexborNode) -> Iterator[Offer]:
    columns = [cell_text(node).partition("(")[0].strip() for node in table.css(".table-header-text")]
    require_columns(document, columns, (*FACTS, *PRICES))
    for grid in table.css(".table-row-v2 .table-grid"):
        yield Offer(region, columns, grid, copy=False)
        for narrow in grid.css(".table-cell-column"):
            yield Offer(region, columns, narrow, copy=True)


def _prices(document: Document, locator: str, offer: Offer) -> Iterator[Accepted | Rejected]:
    texts = [cell_text(node) for node in offer.node.css(".table-v2-cell")]
    if len(texts) != len(offer.columns):
        problem = f"{len(texts)} cells under {len(offer.columns)} columns; the layout has changed"
        raise UnparsableError(f"{document.path} {locator}: {problem}")
    row = Cells(document, locator, dict(zip(offer.columns, texts, strict=True)))
    names = [name for name in PRICES if row.texts[name].lower() not in NO_OFFER]
    if not names:
        yield row.reject("EMPTY", "no price is listed")
    for name in names:
        yield _price(row, name, offer)


def _price(row: Cells, name: str, offer: Offer) -> Accepted | Rejected:
    texts = row.texts
    billing, basis, tier = PRICES[name]
    whole = basis == "per_instance"
    gpus = parse_count(texts["GPU Count"]) if whole else 1
    product = offer.node.css_first("[data-product]")
    storage = parse_number(texts["Local Storage"])
    price = row.offer(
        texts[name],
        tier or billing,
        provider="coreweave",
        offer_id=texts["GPU Model"],
        raw_gpu_name=texts["GPU Model"],
        gpu_context=product.attributes["data-product"] if product else None,
        reported_memory_gb=parse_number(texts["VRAM"]),
        gpu_count=gpus,
        region=offer.region or None,
        scope="region" if offer.region else "global",
        **BY_HOUR,
        billing=billing,
        tier=tier,
        vcpus=parse_number(texts["vCPUs"]) if whole else None,
        host_memory_gb=parse_number(texts["System RAM"]) if whole else None,
        storage_gb=storage * 1000 if storage is not None and whole else None,
        price_basis=basis,
        includes_host=True,
    )
    if gpus is None and isinstance(price, Accepted):
        return row.reject("UNKNOWN_COUNT", f"{texts['GPU Count']!r} is no number of GPUs", tier or billing)
    return price
