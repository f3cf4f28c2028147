"""The gpuhunt catalog: one CSV file per provider, with prices in USD per instance-hour, and its list of TPU prices."""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

from pipeline.schema.prices import Price
from sources import Accepted, Document, Download, Get, Line, Rejected, Source, UnparsableError, part_locator
from sources.prices.parsing import BY_HOUR, INSTANCE_BY_HOUR, Item, counted_rows

SOURCE = Source(
    source_id="gpuhunt_catalog",
    title="gpuhunt catalog",
    attribution="dstack, gpuhunt (https://github.com/dstackai/gpuhunt)",
    url="https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3",
    terms_url="https://github.com/dstackai/gpuhunt",
    automated_access="allowed",
)

# without runpod, whose terms forbid collection
FETCHED = ("aws", "azure", "cloudrift", "gcp", "lambdalabs", "nebius", "oci", "verda")
# providers of the catalog; a file of another name is refused
PROVIDERS = (*FETCHED, "crusoe", "digitalocean", "hotaisle", "jarvislabs", "runpod", "seeweb", "vastai", "vultr")
VERSION = re.compile(r"[\w.-]{1,60}")
MAX_BYTES = 200_000_000
COLUMNS = ("instance_name", "location", "price", "cpu", "memory", "gpu_count", "gpu_name", "gpu_memory", "spot", "disk_size")
OPTIONAL = ("gpu_vendor", "flags")
# gpu_name lacks the form factor; for these providers the name of the machine identifies the GPU
NAMED_BY_MACHINE = ("aws", "azure", "lambdalabs", "nebius", "oci")
YES_NO = {"True": True, "true": True, "False": False, "false": False}
TPU_PRICES = "tpu_pricing.json"
TPU_PER_CHIP = ("TPU v4 pod", "TPU v5e", "TPU v5p", "TPU v6e")  # the number of chips of older devices and pods is not stated


def fetch(get: Get) -> Iterator[Download]:
    """Download the newest catalog of each provider and extract it from its archive."""
    for provider in FETCHED:
        version = get(f"{SOURCE.url}/{provider}/version", expect="").decode("ascii", "replace").strip()
        if not VERSION.fullmatch(version):
            raise UnparsableError(f"{SOURCE.url}/{provider}/version: {version[:60]!r} is not a version")
        url = f"{SOURCE.url}/{provider}/{version}/catalog.zip"
        yield Download(name=f"{provider}.csv", raw=unpacked(url, get(url, expect=""), f"{provider}.csv"), url=url)


def unpacked(url: str, raw: bytes, name: str) -> bytes:
    """Return the one file in the archive of a provider."""
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            if archive.namelist() != [name] or archive.infolist()[0].file_size > MAX_BYTES:
                raise UnparsableError(f"{url}: expected {name} alone and below {MAX_BYTES} bytes, found {archive.namelist()[:5]}")
            return archive.read(name)
    except (zipfile.BadZipFile, zlib.error) as error:
        raise UnparsableError(f"{url}: no archive ({error})") from None


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the machines of the provider that the file is named after, or TPU prices."""
    return _tpus(document) if document.name == TPU_PRICES else _machines(document)


def _machines(document: Document) -> Iterator[Accepted | Rejected]:
    provider = document.name.removesuffix(".csv")
    if provider not in PROVIDERS:
        known = ", ".join(f"{name}.csv" for name in PROVIDERS)
        raise document.error(1, f"the file is named after its provider; this source reads {TPU_PRICES}, {known}; rename it")
    for line in document.selected(COLUMNS, OPTIONAL):
        if line.number("gpu_count") == 0:
            yield line.reject("NOT_A_GPU", "a machine without GPUs")
        else:
            yield Accepted(line.locator, _machine(provider, line))


def _machine(provider: str, line: Line) -> Price:
    machine, gpu = line.text("instance_name"), line.text("gpu_name")
    by_machine = provider in NAMED_BY_MACHINE
    if line.fields["spot"] not in YES_NO:
        raise line.fail("spot", "True or False")
    return Price(
        observed_at=line.document.observed_on,
        provider=provider,
        instance_type=machine,
        raw_gpu_name=machine if by_machine else gpu,
        gpu_context="; ".join(filter(None, [gpu if by_machine else machine, line.fields["flags"]])),
        reported_memory_gb=line.number_or_none("gpu_memory"),
        region=line.text_or_none("location"),
        scope="region",
        **INSTANCE_BY_HOUR,
        billing="spot" if YES_NO[line.fields["spot"]] else "on_demand",
        vcpus=line.number_or_none("cpu"),
        host_memory_gb=line.number_or_none("memory"),
        storage_gb=line.number_or_none("disk_size"),
        price_raw=line.text("price"),
        amount=line.number("price"),
        currency="USD",
        **_gpus(line),
    )


def _gpus(line: Line) -> dict[str, Any]:
    """Return the number of chips from the name of a TPU, whose count is always 1."""
    tpu = line.fields["gpu_vendor"] == "google" or line.fields["gpu_name"].startswith("tpu-")
    return {} if tpu else {"gpu_count": line.integer("gpu_count")}


def _tpus(document: Document) -> Iterator[Accepted]:
    found = document.json()
    if not isinstance(found, dict) or not all(isinstance(regions, dict) for regions in found.values()):
        raise UnparsableError(f"{document.path}: no prices by TPU and region; its layout has changed")
    prices = [(tpu, region, fields) for tpu, regions in found.items() for region, fields in regions.items()]
    for locator, (tpu, region, fields) in counted_rows(document, prices):
        item = Item(document, locator, fields)
        for column, billing in (("On Demand (USD)", "on_demand"), ("Spot (USD)", "spot")):
            yield Accepted(part_locator(locator, billing), _tpu(item, tpu, region, (column, billing)))


def _tpu(item: Item, tpu: str, region: str, offer: tuple[str, str]) -> Price:
    column, billing = offer
    return Price(
        observed_at=item.document.observed_on,
        provider="gcp",
        raw_gpu_name=tpu,
        gpu_context=None,
        region=region,
        scope="region",
        **BY_HOUR,
        billing=billing,
        price_raw=str(item.value(column)),
        amount=item.number(column),
        currency="USD",
        price_basis="per_gpu" if tpu in TPU_PER_CHIP else "per_node",
    )
