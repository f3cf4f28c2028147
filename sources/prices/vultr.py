"""Vultr's plans with GPUs: virtual machines, many with a share of one GPU, and bare metal.

A plan states its total GPU memory. The number of GPUs, or the share of one, is that memory over the memory of a whole
GPU; a plan with a GPU that is not in GPU_MEMORY_GB is rejected. Monthly costs are the cap of the hourly bill (after
672 to 730 hours) and not read.
"""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from sources import Accepted, Document, Download, Get, Rejected, Source, UnparsableError
from sources.prices.paging import Pages, fetch_pages
from sources.prices.parsing import INSTANCE_BY_HOUR, Item, gb_of_mib, json_items

API = "https://api.vultr.com/v2"
SOURCE = Source(
    source_id="vultr",
    title="Vultr plans with GPUs",
    attribution="Vultr, API of plans",
    url=f"{API}/plans?type=vcg&per_page=500",
    terms_url="https://www.vultr.com/legal/tos/",
    automated_access="allowed",
    own_list_of="vultr",
)

GPU_MEMORY_GB = {"NVIDIA_A16": 16.0, "NVIDIA_A40": 48.0, "NVIDIA_A100": 80.0, "NVIDIA_L40S": 48.0}
BILLED = {"on_demand": "hourly_cost", "spot": "hourly_cost_preemptible"}
_METAL = re.compile(r"vbm-\d+c-\d+gb-(?P<count>\d+)-(?P<gpu>[a-z0-9-]+)-gpu")


def fetch(get: Get) -> Iterator[Download]:
    """Download all pages of the plans of virtual machines with GPUs, and of bare metal."""
    for path, key, first in (("plans", "plans", {"type": "vcg"}), ("plans-metal", "plans_metal", {})):
        parameters = {**first, "per_page": "500"}
        pages = Pages(
            url=f"{API}/{path}",
            name=path,
            rows=(key,),
            total=("meta", "total"),
            first=parameters,
            following=partial(_next, parameters),
        )
        yield from fetch_pages(get, pages)


def _next(parameters: dict[str, str], response: dict[str, Any], *_: int) -> dict[str, str] | None:
    cursor = response.get("meta", {}).get("links", {}).get("next")
    return {**parameters, "cursor": cursor} if cursor else None


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the plans of virtual machines, or of bare metal, by the field of the response."""
    content = document.json()
    if isinstance(content, dict) and "plans_metal" in content:
        for item in json_items(document, "plans_metal"):
            yield from _metal(item)
    else:
        for item in json_items(document, "plans"):
            yield _virtual(item)


def _virtual(item: Item) -> Accepted | Rejected:
    if not (gpu := item.text_or_none("gpu_type")):
        return item.reject("NOT_A_GPU", "a plan without a GPU")
    if gpu not in GPU_MEMORY_GB:
        return item.reject("UNKNOWN_COUNT", f"the memory of a whole {gpu} is not known, so neither count nor share is")
    share = item.number("gpu_vram_gb") / GPU_MEMORY_GB[gpu]
    if share >= 1 and not share.is_integer():
        return item.reject("UNKNOWN_COUNT", f"{item.number('gpu_vram_gb'):g} GB is no whole number of {gpu}")
    facts = {
        "raw_gpu_name": item.text_or_none("id") or gpu,
        "gpu_context": f"{item.number('gpu_vram_gb'):g} GB of GPU memory, GPUs of {GPU_MEMORY_GB[gpu]:g} GB",
        "reported_memory_gb": GPU_MEMORY_GB[gpu],
        "gpu_count": int(share) if share >= 1 else None,
        "gpu_fraction": round(share, 4) if share < 1 else None,
        "partition": "fraction" if share < 1 else "whole",
        "tenancy": "shared",
        "vcpus": item.measure("vcpu_count"),
    }
    return _price(item, "on_demand", **facts)


def _metal(item: Item) -> Iterator[Accepted | Rejected]:
    if not (match := _METAL.fullmatch(item.text("id"))):
        unread = "gpu" in item.text("id")
        code, reason = ("UNKNOWN_GPU", "id names a GPU in an unknown way") if unread else ("NOT_A_GPU", "a plan without a GPU")
        yield item.reject(code, reason)
        return
    facts = {
        "raw_gpu_name": item.text("id"),
        "gpu_count": int(match["count"]),
        "tenancy": "bare_metal",
        "vcpus": item.measure("cpu_threads"),
    }
    offered = [billing for billing, name in BILLED.items() if item.fields.get(name) is not None]
    if not offered:
        raise UnparsableError(f"{item.document.path} {item.locator}: no hourly_cost; the layout has changed")
    for billing in offered:
        yield _price(item, billing, part=billing, **facts)


def _price(item: Item, billing: str, **facts: Any) -> Accepted:
    return item.offer(
        BILLED[billing],
        provider="vultr",
        instance_type=item.text_or_none("id"),
        **INSTANCE_BY_HOUR,
        billing=billing,
        host_memory_gb=gb_of_mib(item.measure("ram")),
        currency="USD",
        **facts,
    )
