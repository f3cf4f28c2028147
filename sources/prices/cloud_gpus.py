"""The Full Stack's tables of cloud GPUs and serverless GPUs, maintained until April 2025."""

import re
from collections.abc import Iterator
from typing import Any

from pipeline.schema.prices import Price
from sources import Accepted, Document, Download, Get, Rejected, Source
from sources.document import Line
from sources.prices.parsing import parse_number, part_locator

SOURCE = Source(
    source_id="cloud_gpus",
    title="The Full Stack: cloud GPUs",
    kind="prices",
    yields=(Price,),
    attribution="The Full Stack, Cloud GPUs (https://fullstackdeeplearning.com/cloud-gpus/)",
    url="https://raw.githubusercontent.com/the-full-stack/website/main/docs/cloud-gpus",
    terms_url="https://github.com/the-full-stack/website",
    licence="MIT",
    automated_access="allowed",
    stale_after_days=None,
)

MACHINES = "cloud-gpus.csv"
SERVERLESS = "serverless-gpus.csv"
SHARED_COLUMNS = ("GPU Type", "GPU Arch", "GPUs", "GPU RAM", "vCPUs", "RAM", "Per-GPU")
COLUMNS = {
    MACHINES: (*SHARED_COLUMNS, "Cloud", "On-demand", "Spot", "Name"),
    SERVERLESS: (*SHARED_COLUMNS, "Vendor", "Per-Hour"),
}
MEMORY_IN_NAME = re.compile(r"\((\d+) ?GB\)")
AMOUNT = re.compile(r"\$?(\d+(?:\.\d+)?)")


def fetch(get: Get) -> Iterator[Download]:
    for name in (MACHINES, SERVERLESS):
        yield Download(name=name, raw=get(f"{SOURCE.url}/{name}", expect="text/plain"), url=f"{SOURCE.url}/{name}")


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield prices per machine: the columns On-demand, or Per-Hour of serverless offers, and Spot."""
    if document.name not in COLUMNS:
        raise document.error(1, f"this source reads {MACHINES} and {SERVERLESS}; rename the file")
    for line in document.csv(COLUMNS[document.name]):
        yield from _machine(line) if document.name == MACHINES else _offer(line, "Per-Hour", "serverless")
    if not document.rows_read:
        raise document.error(1, "no row follows the header; the table is empty or cut off")


def _machine(line: Line) -> Iterator[Accepted | Rejected]:
    """Yield the prices of a machine. Without On-demand, Per-GPU has a price, but not always that of one GPU."""
    if line.fields["On-demand"]:
        yield from _offer(line, "On-demand", "on_demand")
    elif line.fields["Per-GPU"] and line.integer("GPUs") == 1:
        yield from _offer(line, "Per-GPU", "on_demand")
    elif line.fields["Per-GPU"]:
        reason = "only Per-GPU is filled, where the table puts the price of the machine for some clouds"
        yield _reject(line, "UNKNOWN_FORMAT", reason, "on_demand")
    if line.fields["Spot"]:
        yield from _offer(line, "Spot", "spot")
    if not any(line.fields[name] for name in ("On-demand", "Per-GPU", "Spot")):
        yield _reject(line, "EMPTY", "no price", "on_demand")


def _reject(line: Line, code: str, reason: str, part: str) -> Rejected:
    return Rejected(part_locator(line.locator, part), ",".join(line.fields.values()), code, reason)


def _offer(line: Line, column: str, billing: str) -> Iterator[Accepted | Rejected]:
    if not (match := AMOUNT.fullmatch(line.fields[column])):
        raise line.fail(column, "a price")
    if float(match[1]) == 0:
        yield _reject(line, "ZERO_PRICE", "priced at 0", billing)
        return
    terms: dict[str, Any] = {"billing": billing, "price_raw": line.fields[column], "amount": float(match[1])}
    yield Accepted(part_locator(line.locator, billing), _price(line, terms))


def _price(line: Line, terms: dict[str, Any]) -> Price:
    name = line.fields.get("Name") or None
    return Price(
        observed_at=line.document.observed_on,
        provider=line.text("Cloud" if "Cloud" in line.fields else "Vendor"),
        instance_type=name,
        raw_gpu_name=line.text("GPU Type"),
        gpu_context=name,
        reported_memory_gb=_memory(line),
        gpu_count=line.integer("GPUs"),
        kind="cloud_rental",
        vcpus=_host_figure(line, "vCPUs"),
        host_memory_gb=_host_figure(line, "RAM"),
        currency="USD",
        price_unit="hour",
        price_basis="per_instance",
        includes_host=True,
        **terms,
    )


def _memory(line: Line) -> float | None:
    """Return the memory of one GPU (GB), from the name if stated: the column GPU RAM is not always the total."""
    if match := MEMORY_IN_NAME.search(line.fields["GPU Type"]):
        return float(match[1])
    total = parse_number(line.fields["GPU RAM"].removesuffix("GB"))
    return total / line.integer("GPUs") if total else None


def _host_figure(line: Line, name: str) -> float | None:
    """Parse a figure of the host; None for ranges and for 0, which means unknown."""
    return parse_number(line.fields[name]) or None
