"""RunPod's GPU types per GPU-hour (GraphQL), and its table of serverless prices per second (MDX).

Its terms (as of 24 March 2026) ban automated access, so `fetch` is refused unless the user accepts them. A price of 0
means not offered; 0.5 and 1 are placeholders of the host for a missing price.
"""

import re
from collections.abc import Iterator
from typing import Any

from sources import Accepted, Document, Download, Get, Rejected, Source
from sources.prices.parsing import GPU_BY_HOUR, Cells, Item, counted_rows, json_items, parse_number, require_columns

SOURCE = Source(
    source_id="runpod",
    title="RunPod GPU types and serverless prices",
    attribution="RunPod, GPU types and documentation",
    url="https://api.runpod.io/graphql",
    terms_url="https://www.runpod.io/legal/terms-of-service",
    automated_access="forbidden",
    own_list_of="runpod",
)


FIELDS: dict[str, dict[str, Any]] = {
    "securePrice": {"billing": "on_demand", "tier": "secure"},
    "communityPrice": {"billing": "marketplace", "tier": "community"},
    "oneMonthPrice": {"billing": "reserved", "tier": "secure", "commitment_months": 1},
    "threeMonthPrice": {"billing": "reserved", "tier": "secure", "commitment_months": 3},
    "sixMonthPrice": {"billing": "reserved", "tier": "secure", "commitment_months": 6},
}
PLACEHOLDERS = (0.5, 1.0)
QUERY = f"query {{ gpuTypes {{ id displayName memoryInGb {' '.join(FIELDS)} }} }}"
GPUS, MEMORY, COST = "GPU type(s)", "Memory", "Cost per second"


def fetch(get: Get) -> Iterator[Download]:
    """Download all GPU types; the response is one page."""
    raw = get(str(SOURCE.url), expect="json", body={"query": QUERY})
    yield Download(name="gpuTypes.json", raw=raw, url=str(SOURCE.url))


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield prices of pods from JSON, or of serverless workers from the table of the documentation."""
    return _pods(document) if document.raw.lstrip().startswith(b"{") else _serverless(document)


def _pods(document: Document) -> Iterator[Accepted | Rejected]:
    for item in json_items(document, "data", "gpuTypes"):
        if item.text("id") == "unknown":
            yield item.reject("UNKNOWN_GPU", "the host names no GPU")
            continue
        item.value("securePrice"), item.value("communityPrice")
        listed = [name for name in FIELDS if item.number_or_none(name) is not None]
        if not listed:
            yield item.reject("EMPTY", "no price is listed")
        for name in listed:
            yield _pod(item, name)


def _pod(item: Item, name: str) -> Accepted | Rejected:
    if (amount := item.number(name)) in PLACEHOLDERS:
        return item.reject("PLACEHOLDER_PRICE", f"{name} is {amount:g}, which the host fills in where it has no price", name)
    gpu = item.text("id")
    return item.offer(
        name,
        part=name,
        provider="runpod",
        offer_id=gpu,
        raw_gpu_name=gpu,
        gpu_context=item.text("displayName"),
        reported_memory_gb=item.number("memoryInGb") or None,
        gpu_count=1,
        partition="mig" if " MIG " in gpu else "whole",
        **GPU_BY_HOUR,
        **FIELDS[name],
        currency="USD",
    )


def _serverless(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per row of the table; a row may name several GPUs, in the source's words."""
    lines = [line.strip() for line in document.text().splitlines() if line.lstrip().startswith("|")]
    table = [[part.strip().strip("*") for part in line.strip("|").split("|")] for line in lines]
    columns = table[0] if table else []
    require_columns(document, columns, (GPUS, MEMORY, COST))
    body = [cells for cells in table[1:] if not all(re.fullmatch(r":?-+:?", cell) for cell in cells)]
    for locator, cells in counted_rows(document, body, "row"):
        yield _worker(Cells(document, locator, dict(zip(columns, cells, strict=True))))


def _worker(row: Cells) -> Accepted | Rejected:
    gpus = row.texts[GPUS]
    return row.offer(
        row.texts[COST],
        provider="runpod",
        offer_id=gpus,
        raw_gpu_name=gpus,
        reported_memory_gb=parse_number(row.texts[MEMORY].removesuffix("GB").strip()),
        gpu_count=1,
        kind="cloud_rental",
        billing="serverless",
        price_unit="second",
        price_basis="per_gpu",
        includes_host=True,
    )
