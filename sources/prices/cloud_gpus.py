"""The Full Stack's tables of cloud GPUs and serverless GPUs, maintained by hand until April 2025.

The history was compiled from the versions of 2022 to 2025 of the table of machines. A day of it is one on which the list
was committed, not one on which a price was verified. RunPod's rows are rejected: its terms forbid comparisons of its prices.
"""

import re
from collections.abc import Iterator
from typing import Any

from pipeline.schema.prices import Price
from sources import Accepted, Document, Download, Get, Line, Rejected, Source, part_locator
from sources.prices import histories
from sources.prices.parsing import parse_number

SOURCE = Source(
    source_id="cloud_gpus",
    title="The Full Stack: cloud GPUs",
    attribution="The Full Stack, Cloud GPUs (https://fullstackdeeplearning.com/cloud-gpus/)",
    url="https://raw.githubusercontent.com/the-full-stack/website/main/docs/cloud-gpus",
    terms_url="https://github.com/the-full-stack/website",
    licence="MIT",
    republish=True,
    automated_access="allowed",
    limit_days=None,
    parser_version=4,
)

MACHINES = "cloud-gpus.csv"
SERVERLESS = "serverless-gpus.csv"
HISTORY = "neoclouds_2022_2025.csv"
HISTORY_COLUMNS = (
    "provider_label", "instance", "gpu_label", "gpu_count", "gpu_memory_total_gb", "vcpu", "memory_gb", "billing",
    "usd_per_hour_instance", "usd_per_gpu_hour", "source_per_gpu", "first_seen", "last_seen", "observed_versions", "gap_days_max",
    "first_commit", "last_commit",
)  # fmt: skip
SHARED_COLUMNS = ("GPU Type", "GPU Arch", "GPUs", "GPU RAM", "vCPUs", "RAM", "Per-GPU")
COLUMNS = {MACHINES: (*SHARED_COLUMNS, "Cloud", "On-demand", "Spot", "Name"), SERVERLESS: (*SHARED_COLUMNS, "Vendor", "Per-Hour")}
MEMORY_IN_NAME = re.compile(r"\((\d+) ?GB\)")
AMOUNT = re.compile(r"\$?(\d+(?:\.\d+)?)")


def fetch(get: Get) -> Iterator[Download]:
    for name in (MACHINES, SERVERLESS):
        yield Download(name=name, raw=get(f"{SOURCE.url}/{name}", expect="text/plain"), url=f"{SOURCE.url}/{name}")


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield prices per machine: the columns On-demand, or Per-Hour of serverless offers, and Spot; or those of the history."""
    if document.name not in (*COLUMNS, HISTORY):
        raise document.error(1, f"this source reads {MACHINES}, {SERVERLESS} and {HISTORY}; rename the file")
    if document.name == HISTORY:
        yield from map(_interval, document.csv(HISTORY_COLUMNS))
        return
    for line in document.csv(COLUMNS[document.name], filled=True):
        yield from _machine(line) if document.name == MACHINES else [_offer(line, "Per-Hour", "serverless")]


def _interval(line: Line) -> Accepted | Rejected:
    provider, machine = line.text("provider_label"), line.text_or_none("instance")
    if histories.is_forbidden(provider):
        return histories.reject_forbidden(histories.versions_locator(line), provider)
    price = Price(
        **_rental(provider, machine, line.text("gpu_label"), line.integer("gpu_count")),
        **histories.terms(line),
        **histories.interval(line, "observed_versions"),
        reported_memory_gb=_memory(line.fields["gpu_label"], line.fields["gpu_memory_total_gb"], line.integer("gpu_count")),
        vcpus=_host_figure(line, "vcpu"),
        host_memory_gb=_host_figure(line, "memory_gb"),
        price_raw=line.text("usd_per_hour_instance"),
        amount=line.number("usd_per_hour_instance"),
        remark="SOURCE_ERROR" if _is_implausible(provider, line.text("gpu_label")) else None,
    )
    return Accepted(histories.versions_locator(line), price)


def _is_implausible(provider: str, gpu_label: str) -> bool:
    """Recognize errors of a list kept by hand: GPUs at a quarter of other sellers' prices, one GPU with the price of 8 V100s."""
    return gpu_label.startswith({"Dataoorts": ("A100", "GH200", "H100"), "Lambda": ("Quadro RTX 6000",)}.get(provider, ()))


def _machine(line: Line) -> Iterator[Accepted | Rejected]:
    """Yield the prices of a machine. Without On-demand, Per-GPU has a price, but not always that of one GPU."""
    if histories.is_forbidden(line.text("Cloud")):
        yield histories.reject_forbidden(part_locator(line.locator, "on_demand"), line.text("Cloud"))
        return
    if line.fields["On-demand"]:
        yield _offer(line, "On-demand", "on_demand")
    elif line.fields["Per-GPU"] and line.integer("GPUs") == 1:
        yield _offer(line, "Per-GPU", "on_demand")
    elif line.fields["Per-GPU"]:
        reason = "only Per-GPU is filled, where the table puts the price of the machine for some clouds"
        yield line.reject("UNKNOWN_FORMAT", reason, "on_demand")
    if line.fields["Spot"]:
        yield _offer(line, "Spot", "spot")
    if not any(line.fields[name] for name in ("On-demand", "Per-GPU", "Spot")):
        yield line.reject("EMPTY", "no price", "on_demand")


def _offer(line: Line, column: str, billing: str) -> Accepted:
    if not (match := AMOUNT.fullmatch(line.fields[column])):
        raise line.fail(column, "a price")
    provider = line.text("Cloud" if "Cloud" in line.fields else "Vendor")
    price = Price(
        **_rental(provider, line.fields.get("Name") or None, line.text("GPU Type"), line.integer("GPUs")),
        observed_at=line.document.observed_on,
        reported_memory_gb=_memory(line.fields["GPU Type"], line.fields["GPU RAM"], line.integer("GPUs")),
        vcpus=_host_figure(line, "vCPUs"),
        host_memory_gb=_host_figure(line, "RAM"),
        billing=billing,
        price_raw=line.fields[column],
        amount=float(match[1]),
    )
    return Accepted(part_locator(line.locator, billing), price)


def _rental(provider: str, machine: str | None, label: str, count: int) -> dict[str, Any]:
    """Return the facts of an offer that the table and its history share."""
    context = " ".join(filter(None, (provider, machine)))  # the provider decides what some names mean
    offer = {"provider": provider, "instance_type": machine, "raw_gpu_name": label, "gpu_context": context, "gpu_count": count}
    price = {"currency": "USD", "price_unit": "hour", "price_basis": "per_instance", "includes_host": True}
    return offer | price | {"kind": "cloud_rental"}


def _memory(label: str, total: str, count: int) -> float | None:
    """Return the memory of one GPU (GB), from the name if stated: the column of the memory is not always the total."""
    if match := MEMORY_IN_NAME.search(label):
        return float(match[1])
    figure = parse_number(total.removesuffix("GB"))
    return figure / count if figure else None


def _host_figure(line: Line, name: str) -> float | None:
    """Parse a figure of the host; None for ranges and for 0, which means unknown."""
    return parse_number(line.fields[name]) or None
