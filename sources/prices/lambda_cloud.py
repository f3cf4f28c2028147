"""Lambda's on-demand GPUs: its API of instance types, and its price page.

The API lists prices of whole instances. Its regions are those with free capacity and do not limit the price.
The page lists prices per GPU on tabs for 8, 4, 2 and 1 GPUs, and its rows do not state the tab. The number of GPUs
is therefore unknown there, and the processor threads distinguish the offers.
"""

import re
from collections.abc import Iterator

from pipeline.schema.prices import Price
from sources import Accepted, Document, Rejected, Source, UnparsableError
from sources.prices.parsing import (
    GPU_BY_HOUR,
    INSTANCE_BY_HOUR,
    Cells,
    Item,
    cell_text,
    counted_rows,
    gb_of_gib,
    parse_html,
    parse_number,
    require_columns,
)

SOURCE = Source(
    source_id="lambda",
    title="Lambda on-demand GPU prices",
    attribution="Lambda, price page and API of instance types",
    url="https://lambda.ai/pricing",
    automated_access="allowed",
    own_list_of="lambda",
)

COLUMNS = ("Plan", "VRAM/GPU", "vCPUs", "PRICE/GPU/HR")
_MEMORY = re.compile(r"\((\d+) GB\b")


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the offers of the API's JSON or of the page."""
    return _api(document) if document.raw.lstrip().startswith(b"{") else _page(document)


def _api(document: Document) -> Iterator[Accepted | Rejected]:
    data = document.json().get("data")
    if not isinstance(data, dict):
        raise UnparsableError(f"{document.path}: no field 'data'; the response is an error or its layout has changed")
    for locator, fields in counted_rows(document, data.values(), "instance"):
        yield _instance(Item(document, locator, fields).item("instance_type"), locator)


def _instance(item: Item, locator: str) -> Accepted | Rejected:
    specs, cents = item.item("specs"), item.number("price_cents_per_hour")
    item = Item(item.document, locator, item.fields)
    if specs.integer("gpus") == 0:
        return item.reject("NOT_A_GPU", "an instance without a GPU")
    label = item.text("gpu_description")
    memory = _MEMORY.search(label)
    row = Price(
        observed_at=item.document.observed_on,
        provider="lambda",
        instance_type=item.text("name"),
        raw_gpu_name=label,
        reported_memory_gb=float(memory[1]) if memory else None,
        gpu_count=specs.integer("gpus"),
        **INSTANCE_BY_HOUR,
        billing="on_demand",
        vcpus=specs.measure("vcpus"),
        host_memory_gb=gb_of_gib(specs.measure("memory_gib")),
        storage_gb=specs.measure("storage_gib"),
        price_raw=f"{item.fields['price_cents_per_hour']} cents per hour",
        amount=cents / 100,
        currency="USD",
    )
    return Accepted(locator, row)


def _page(document: Document) -> Iterator[Accepted | Rejected]:
    for locator, node in counted_rows(document, parse_html(document).css("tr[data-plan]"), "row"):
        labelled = {str(part.attributes["data-label"]): cell_text(part) for part in node.css("[data-label]")}
        row = Cells(document, locator, {label.rstrip("*"): text for label, text in labelled.items()})  # without footnote marks
        require_columns(document, row.texts, COLUMNS)
        yield _offer(row)


def _offer(row: Cells) -> Accepted | Rejected:
    plan, memory, vcpus, price = (row.texts[name] for name in COLUMNS)
    threads = parse_number(vcpus)
    return row.offer(
        price,
        provider="lambda",
        offer_id=f"{plan}, {vcpus} vCPUs" if threads else plan,
        raw_gpu_name=plan,
        reported_memory_gb=parse_number(memory.removesuffix("GB").strip()),
        **GPU_BY_HOUR,
        billing="on_demand",
        vcpus=threads,
    )
