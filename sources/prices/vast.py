"""Offers on the marketplace vast.ai, one row for each offer of a machine or of some of its GPUs.

Its terms (as of 1 September 2026) forbid automated collection and use in price comparisons, so `fetch` is refused
unless the user accepts them. Addresses, host names and ids of hosts and GPUs are neither read nor repeated in a reject.
"""

import datetime as dt
import re
from collections.abc import Iterator

from sources import Accepted, Document, Download, Get, Rejected, Source, UnparsableError
from sources.prices.parsing import INSTANCE_BY_HOUR, Item, gb_of_mib, json_items

SOURCE = Source(
    source_id="vast",
    title="vast.ai offers",
    attribution="vast.ai, offers of its market place",
    url="https://console.vast.ai/api/v0/bundles/",
    terms_url="https://vast.ai/terms",
    automated_access="forbidden",
    own_list_of="vast",
)

FIELDS = (
    "id", "gpu_name", "num_gpus", "gpu_ram", "dph_total", "geolocation", "verification", "is_bid",
    "cpu_cores_effective", "cpu_ram", "disk_space",
)  # fmt: skip
LIMIT = 10_000
MIB_PER_GB = 1024
_COUNTRY = re.compile(r", ([A-Z]{2})(,|$)")


def fetch(get: Get) -> Iterator[Download]:
    """Download all offers in one response; one with as many offers as the limit may be truncated and is refused."""
    body = {"rentable": {"eq": True}, "type": "on-demand", "limit": LIMIT}
    raw = get(str(SOURCE.url), expect="json", body=body)
    if sum(1 for _ in json_items(Document(str(SOURCE.url), raw, dt.date.min), "offers")) >= LIMIT:
        problem = f"vast.ai gave {LIMIT} offers, as many as were asked for; there may be more"
        raise UnparsableError(f"{problem}; raise LIMIT in sources/prices/vast.py")
    yield Download(name="bundles.json", raw=raw, url=str(SOURCE.url))


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per offer."""
    for whole in json_items(document, "offers"):
        yield _offer(Item(document, whole.locator, {name: whole.value(name) for name in FIELDS}))


def _offer(item: Item) -> Accepted | Rejected:
    count = item.integer("num_gpus")
    if count < 1:
        return item.reject("NOT_A_GPU", "an offer without a GPU")
    country = _COUNTRY.search(item.text_or_none("geolocation") or "")
    return item.offer(
        "dph_total",
        provider="vast",
        offer_id=str(item.integer("id")),
        raw_gpu_name=item.text("gpu_name"),
        reported_memory_gb=item.number("gpu_ram") / MIB_PER_GB,
        gpu_count=count,
        region=item.text_or_none("geolocation"),
        country=country[1] if country else None,
        scope="zone",
        **INSTANCE_BY_HOUR,
        billing="bid_floor" if item.value("is_bid") is True else "marketplace",
        tier=item.text_or_none("verification"),
        vcpus=item.measure("cpu_cores_effective"),
        host_memory_gb=gb_of_mib(item.measure("cpu_ram")),
        storage_gb=item.number_or_none("disk_space"),
        currency="USD",
    )
