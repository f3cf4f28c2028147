"""SkyPilot's catalogs: one CSV file per cloud with machines, GPUs and prices in USD per instance-hour.

Columns and their order differ by cloud. Google's file lists machines without their GPUs, and the GPUs separately.
"""

import ast
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from pipeline.schema.prices import Price
from sources import Accepted, Document, Download, Get, Line, Rejected, Source, UnparsableError, part_locator
from sources.prices.parsing import BY_HOUR, gb_of_gib

SOURCE = Source(
    source_id="skypilot_catalog",
    title="SkyPilot catalogs",
    attribution="SkyPilot catalog (https://github.com/skypilot-org/skypilot-catalog)",
    url="https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs",
    terms_url="https://github.com/skypilot-org/skypilot-catalog",
    automated_access="allowed",
)

VERSION = "v8"
# without providers whose terms forbid collection
FETCHED = ("aws", "azure", "cudo", "gcp", "hyperbolic", "lambda", "mithril", "nebius", "oci", "primeintellect", "seeweb")
FILE = re.compile(r"v\d+_(\w+)_vms\.csv")
COLUMNS = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region")
OPTIONAL = ("SpotPrice", "vCPUs", "MemoryGiB", "GpuInfo", "AvailabilityZone", "UpstreamCloudId")
# clouds whose machine names identify the GPU; AcceleratorName lacks form factors and suffixes
NAMED_BY_MACHINE = ("aws", "azure", "lambda", "mithril", "nebius", "oci", "vast")
MEMORY_OF_ONE_GPU = ("aws", "gcp", "lambda", "mithril", "nebius", "oci")
MEMORY_OF_ALL_GPUS = ("primeintellect", "vast")
GOOGLE_GPU_MACHINE = re.compile(r"(a2|a3|a4x?|g2|g4)-")
GOOGLE_PLACEHOLDER = 700.0  # for TPUs without a price in a zone
BILLINGS = {"mithril": ("bid_floor", "bid_floor"), "vast": ("marketplace", "spot")}
MIB_PER_GIB = 1024


def fetch(get: Get) -> Iterator[Download]:
    for cloud in FETCHED:
        url = f"{SOURCE.url}/{VERSION}/{cloud}/vms.csv"
        yield Download(name=f"{VERSION}_{cloud}_vms.csv", raw=get(url, expect="text/plain"), url=url)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield a row's price and its spot price; a spot price of 0 means none."""
    if not (match := FILE.fullmatch(document.name)):
        raise UnparsableError(f"{document.path}: no file of machines; its name must be like {VERSION}_lambda_vms.csv")
    for line in document.selected(COLUMNS, OPTIONAL):
        row = Row(match[1], line)
        if refused := row.refused():
            yield refused
        else:
            yield from row.offers()


class Row(NamedTuple):
    """One row of the file of `cloud`."""

    cloud: str
    line: Line

    def cell(self, name: str) -> str:
        return self.line.fields[name].strip()

    def refused(self) -> Rejected | None:
        gpus = self.line.number_or_none("AcceleratorCount")
        if not self.cell("AcceleratorName") and not self.host_only:
            return self.line.reject("NOT_A_GPU", "a machine without GPUs")
        if gpus and gpus > 1 and not gpus.is_integer():
            return self.line.reject("UNKNOWN_COUNT", f"{gpus} GPUs")
        return None

    @property
    def host_only(self) -> bool:
        """True for Google's machines with GPUs, whose prices exclude the GPUs."""
        machine = self.cell("InstanceType")
        named = bool(self.cell("AcceleratorName")) or bool(GOOGLE_GPU_MACHINE.match(machine))
        return self.cloud == "gcp" and machine != "" and named

    def offers(self) -> Iterator[Accepted | Rejected]:
        regular, spot = BILLINGS.get(self.cloud, ("on_demand", "spot"))
        found = list(self.offer("Price", regular))
        if self.cell("SpotPrice") and (spot != regular or self.cell("SpotPrice") != self.cell("Price")):
            found += self.offer("SpotPrice", spot)
        yield from found or [self.line.reject("EMPTY", "neither a price nor a spot price")]

    def offer(self, column: str, billing: str) -> Iterator[Accepted | Rejected]:
        part = billing if column == "Price" else "spot"
        text = self.cell(column)
        if text.lower() == "nan":
            yield self.line.reject("NOT_FINITE", f"{column} is no number", part)
        elif not text or (column == "SpotPrice" and self.line.number(column) == 0):
            return
        elif self.is_tpu and self.line.number(column) == GOOGLE_PLACEHOLDER:
            yield self.line.reject("PLACEHOLDER_PRICE", "700 stands for a TPU without a price, whatever its size", part)
        else:
            yield Accepted(part_locator(self.line.locator, part), self.price(column, billing))

    @property
    def is_tpu(self) -> bool:
        return self.cell("AcceleratorName").startswith("tpu-")

    def price(self, column: str, billing: str) -> Price:
        machine, gpu, zone = self.cell("InstanceType"), self.cell("AcceleratorName"), self.cell("AvailabilityZone")
        by_machine = bool(machine) and (self.cloud in NAMED_BY_MACHINE or not gpu)
        context = [gpu if by_machine else machine, self.cell("UpstreamCloudId")]
        return Price(
            observed_at=self.line.document.observed_on,
            provider=self.cloud,
            instance_type=machine or None,
            raw_gpu_name=machine if by_machine else gpu,
            gpu_context="; ".join(filter(None, context)) or None,
            reported_memory_gb=self.memory(),
            region=zone or self.line.text_or_none("Region"),
            country=self.country(),
            scope="zone" if zone else "region",
            **BY_HOUR,
            billing=billing,
            vcpus=self.line.number_or_none("vCPUs"),
            host_memory_gb=gb_of_gib(self.line.number_or_none("MemoryGiB")),
            price_raw=self.cell(column),
            amount=self.line.number(column),
            currency="USD",
            price_basis="host_only" if self.host_only else "per_instance",
            includes_host=bool(machine),
            **self.gpus(),
        )

    def gpus(self) -> dict[str, Any]:
        """Return the number of chips from the name of a TPU; its AcceleratorCount is always 1."""
        gpus = self.line.number_or_none("AcceleratorCount")
        if not gpus or self.is_tpu:
            return {}
        return {"gpu_count": int(gpus)} if gpus >= 1 else {"gpu_fraction": gpus, "partition": "fraction"}

    def memory(self) -> float | None:
        """Return the memory of one GPU from GpuInfo, where the counting of this cloud's file is known."""
        size, gpus = _size_mib(self.cell("GpuInfo")), self.line.number_or_none("AcceleratorCount")
        if not size or not gpus or gpus < 1:
            return None
        if self.cloud in MEMORY_OF_ALL_GPUS:
            size /= gpus
        elif self.cloud not in MEMORY_OF_ONE_GPU and gpus > 1:
            return None
        return round(size / MIB_PER_GIB, 1)

    def country(self) -> str | None:
        """Return the country from the region, where a file states it: `Texas, US, NA`, or `US` alone."""
        parts = self.cell("Region").split(", ")
        code = parts[1] if len(parts) == 3 else parts[0]
        return code if re.fullmatch(r"[A-Z]{2}", code) else None


@lru_cache(maxsize=10_000)  # few distinct texts in many rows
def _size_mib(text: str) -> float | None:
    """Parse the memory in GpuInfo: a Python or JSON literal in most files, a bare name in others."""
    if len(text) > 1000:
        return None
    try:
        (gpu,) = ast.literal_eval(text)["Gpus"]
        return float(gpu["MemoryInfo"]["SizeInMiB"])
    except (ValueError, SyntaxError, TypeError, KeyError, MemoryError, RecursionError):
        return None
