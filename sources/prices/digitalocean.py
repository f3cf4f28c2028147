"""DigitalOcean's sizes with GPUs, from its API, which requires a token. `vram` is the memory of all GPUs together."""

import re
from collections.abc import Iterator
from typing import Any

from sources import Accepted, Document, Download, Get, Rejected, Source
from sources.prices.paging import Pages, fetch_pages, read_token
from sources.prices.parsing import INSTANCE_BY_HOUR, Item, gb_of_mib, json_items

SOURCE = Source(
    source_id="digitalocean",
    title="DigitalOcean sizes with GPUs",
    attribution="DigitalOcean, API of sizes",
    url="https://api.digitalocean.com/v2/sizes",
    terms_url="https://www.digitalocean.com/legal/terms-of-service-agreement",
    automated_access="allowed",
    own_list_of="digitalocean",
)

GIB_PER = {"gib": 1.0, "gb": 1.0, "mib": 1 / 1024, "tib": 1024.0}
_PAGE = re.compile(r"[?&]page=(\d+)")


def fetch(get: Get) -> Iterator[Download]:
    """Download all pages of the sizes, with the token from the environment."""
    key = read_token("DIGITALOCEAN_TOKEN", "create one with the scope sizes:read in its control panel")
    pages = Pages(
        url=str(SOURCE.url),
        name="sizes",
        rows=("sizes",),
        total=("meta", "total"),
        first={"per_page": "200"},
        following=_next,
        headers={"Authorization": f"Bearer {key}"},
    )
    yield from fetch_pages(get, pages)


def _next(answer: dict[str, Any], *_: int) -> dict[str, str] | None:
    following = answer.get("links", {}).get("pages", {}).get("next") or ""
    match = _PAGE.search(following)
    return {"per_page": "200", "page": match[1]} if match else None


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per size. `price_monthly` is the cap of the hourly bill and not read."""
    for item in json_items(document, "sizes"):
        yield _size(item)


def _size(item: Item) -> Accepted | Rejected:
    item.number("price_hourly")  # of a size without a GPU too: else the layout has changed
    if not item.fields.get("gpu_info"):
        return item.reject("NOT_A_GPU", "a size without a GPU")
    gpus = item.item("gpu_info")
    count = gpus.integer("count")
    if count < 1:
        return item.reject("UNKNOWN_COUNT", f"gpu_info.count is {count}")
    return item.offer(
        "price_hourly",
        provider="digitalocean",
        instance_type=item.text("slug"),
        raw_gpu_name=gpus.text("model"),
        gpu_context=item.text_or_none("description"),
        reported_memory_gb=_memory(gpus) / count,
        gpu_count=count,
        **INSTANCE_BY_HOUR,
        billing="on_demand",
        vcpus=item.measure("vcpus"),
        host_memory_gb=gb_of_mib(item.measure("memory")),
        storage_gb=item.number_or_none("disk"),
        currency="USD",
    )


def _memory(gpus: Item) -> float:
    """Return the memory of all GPUs of the size together (GiB)."""
    memory = gpus.item("vram")
    if (unit := memory.text("unit").lower()) not in GIB_PER:
        raise memory.fail("unit", f"one of {', '.join(GIB_PER)}")
    return memory.number("amount") * GIB_PER[unit]
