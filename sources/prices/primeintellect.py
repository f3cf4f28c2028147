"""Prime Intellect's offers of other providers' GPUs, from its availability API, which requires a key.

The layout follows public notes on the API; no real response was available. `onDemand` is read as the price of the
whole offer of `gpuCount` GPUs, because disks are added to it once.
"""

from collections.abc import Iterator

from sources import Accepted, Document, Download, Get, Rejected, Source
from sources.prices.paging import Pages, fetch_pages, read_token
from sources.prices.parsing import INSTANCE_BY_HOUR, Item, json_items

SOURCE = Source(
    source_id="primeintellect",
    title="Prime Intellect offers",
    attribution="Prime Intellect, availability API",
    url="https://api.primeintellect.ai/api/v1/availability/gpus",
    automated_access="allowed",
    own_list_of="primeintellect",
)

PAGE_SIZE = 100


def fetch(get: Get) -> Iterator[Download]:
    """Download all pages of the offers, with the key from the environment."""
    key = read_token("PRIME_API_KEY", "create one with the permission Availability: Read in its settings")
    pages = Pages(
        url=str(SOURCE.url),
        name="availability",
        rows=("items",),
        total=("totalCount",),
        first={"page": "1", "page_size": str(PAGE_SIZE)},
        following=lambda answer, number, n_rows: (
            {"page": str(number + 1), "page_size": str(PAGE_SIZE)}
            if len(answer["items"]) == PAGE_SIZE and n_rows < int(answer["totalCount"])
            else None
        ),
        headers={"Authorization": f"Bearer {key}"},
    )
    yield from fetch_pages(get, pages)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per offer."""
    for item in json_items(document, "items"):
        yield _offer(item)


def _offer(item: Item) -> Accepted | Rejected:
    prices = item.item("prices")
    if prices.number_or_none("onDemand") is None:
        return item.reject("EMPTY", "no price is listed")
    if item.integer("gpuCount") < 1:
        return item.reject("NOT_A_GPU", "an offer without a GPU")
    place = item.text_or_none("dataCenter") or item.text_or_none("region")
    return Item(item.document, item.locator, prices.fields).offer(
        "onDemand",
        provider="primeintellect",
        offer_id=_offer_id(item),
        raw_gpu_name=item.text("gpuType"),
        gpu_context=item.text_or_none("socket"),
        reported_memory_gb=item.measure("gpuMemory"),
        gpu_count=item.integer("gpuCount"),
        region=place,
        country=item.text_or_none("country"),
        scope="region" if place else "global",
        **INSTANCE_BY_HOUR,
        billing="spot" if item.fields.get("isSpot") is True else "on_demand",
        tier=item.text_or_none("security"),
        vcpus=item.measure_in("vcpu", "defaultCount"),
        host_memory_gb=item.measure_in("memory", "defaultCount"),
        currency=prices.text("currency"),
    )


def _offer_id(item: Item) -> str | None:
    """Return the provider of the offer and its own id: several providers offer the same GPU."""
    parts = [text for name in ("provider", "cloudId") if (text := item.text_or_none(name))]
    return " / ".join(parts) or None
