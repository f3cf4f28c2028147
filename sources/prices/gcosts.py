"""Google Cloud machines with GPUs by region, published weekly by the Google Cloud Pricing Cost Calculator (gcosts).

`pricing.yml` is the published file: a row is one machine in one region. `hour` and `hour_spot` are prices of a whole
machine per hour, `month_1y` and `month_3y` prices per month of a commitment. `month` repeats `hour` and is not read.
The history was compiled from its versions of 2022 to 2026, with the hosts without GPU and the days of the versions.
A GB of its machines' memory is 2**30 bytes (https://cloud.google.com/compute/vm-instance-pricing).
"""

import datetime as dt
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from pipeline.schema.prices import ObservedDay, Price
from sources import Accepted, Document, Line, Rejected, Source
from sources.prices import histories
from sources.prices.parsing import counted_rows, gb_of_gib

SOURCE = Source(
    source_id="gcosts",
    title="Google Cloud Pricing Cost Calculator (gcosts)",
    yields=(Price, ObservedDay),
    attribution="Cyclenerd, google-cloud-pricing-cost-calculator",
    url="https://raw.githubusercontent.com/Cyclenerd/google-cloud-pricing-cost-calculator/master/pricing.yml",
    licence="Apache-2.0",
    republish=True,
    automated_access="allowed",
    parser_version=5,
    own_list_of="gcp",
)
TERMS: dict[str, dict[str, Any]] = {
    "hour": {"billing": "on_demand", "price_unit": "hour"},
    "hour_spot": {"billing": "spot", "price_unit": "hour"},
    "month_1y": {"billing": "reserved", "price_unit": "month", "commitment_months": 12},
    "month_3y": {"billing": "reserved", "price_unit": "month", "commitment_months": 36},
}
PARTS = ("cost", "cpu", "ram", "local-ssd", "type")  # of a machine in the published file; any other name is that of its GPU
HOSTS = ("n1-highcpu-2", "n1-highmem-2", "n1-standard-1", "n1-standard-8", "n1-standard-16")  # without GPUs, as in the history
SPOT_ONLY = ("a3-highgpu-1g", "a3-highgpu-2g", "a3-highgpu-4g")
NOT_SOLD = "the list computes a price, but Google sells this size as spot or flex start only"
HISTORIES = ("gcp_gpu_2022_2026.csv", "gcp_n1_host_2022_2026.csv")
DAYS = "gcp_observed_days.csv"
COLUMNS = (
    "machine_type", "region", "billing", "usd_per_hour", "covers", "gpu_label", "gpu_memory_gb", "gpu_count", "usd_per_gpu_hour",
    "vcpu", "memory_gb", "local_ssd_gb_in_file", "source_field", "source_value", "first_seen", "last_seen", "observed_days",
    "gap_days_max", "first_commit", "last_commit", "flag",
)  # fmt: skip
DAY_COLUMNS = ("date", "commit", "committed_at", "generated_by_source_at", "machine_types_with_gpu")
WRONG = {
    "commit_equals_on_demand_in_source": "the list repeats the price on demand as that of a commitment",
    "commit_implausibly_low_in_source": "the list had commitments of this machine too low",
    "source_prices_80GB_card_as_a100": "the list priced the 80 GB GPU as the 40 GB one",
    "source_ssd_error_6000": "the list included 6,000 GB of storage by mistake",
}
WITHOUT_GPUS = "the price is that of the machine without its GPUs: vCPUs, memory and storage of the region add up to it"
OTHER_COMPOSITION = ("local_ssd_not_listed_in_source", "source_ram_error_58_instead_of_85")

# Regions in which Google sells its machines with A100 and H100 GPUs. The list adds up the prices of GPUs, vCPUs and memory, which
# Google states for more regions; prices of those count in no statistic. From the zones in SkyPilot's catalog, whose repository
# states no licence (skypilot-catalog, catalogs/v8/gcp/vms.csv, commit 006059e0f18a): facts, of which no row is copied.
_A3_HIGH = (
    "asia-east1 asia-northeast1 asia-south1 asia-south2 asia-southeast1 australia-southeast1 europe-north1 europe-west1 "
    "europe-west3 europe-west4 europe-west8 europe-west9 us-central1 us-east4 us-east5 us-west1 us-west4"
)
_A3_MEGA = (
    "asia-east1 asia-northeast1 asia-southeast1 australia-southeast1 europe-north1 europe-west1 europe-west3 europe-west4 "
    "us-central1 us-east4 us-east5 us-west1 us-west4"
)
_A2_HIGH = "asia-northeast1 asia-northeast3 asia-southeast1 europe-west4 me-west1 us-central1 us-east1 us-west1 us-west3 us-west4"
_REGIONS = {
    "a2-highgpu": set(_A2_HIGH.split()),
    "a2-megagpu": {"asia-southeast1", "europe-west4", "us-central1"},
    "a2-ultragpu": {"asia-southeast1", "europe-west4", "us-central1", "us-east4", "us-east5"},
    "a3-highgpu": set(_A3_HIGH.split()),
    "a3-megagpu": set(_A3_MEGA.split()),
}


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the prices of the published file or of the history, or the days of the history."""
    if document.name in HISTORIES:
        for line in document.csv(COLUMNS):
            yield _interval(line)
    elif document.name == DAYS:
        for line in document.csv(DAY_COLUMNS):
            yield Accepted(line.locator, ObservedDay(date=line.day("date"), commit=line.text("commit")))
    else:
        yield from _current(document)


def _interval(line: Line) -> Accepted | Rejected:
    if not _is_sold(line.text("machine_type"), line.text("billing")):
        return histories.reject(line, "SOURCE_ERROR", NOT_SOLD)
    flags = line.fields["flag"].split(";") if line.fields["flag"] else []
    if wrong := [flag for flag in flags if flag in WRONG]:
        return histories.reject(line, "SOURCE_ERROR", WRONG[wrong[0]])
    if _lacks_gpus(line):
        return histories.reject(line, "SOURCE_ERROR", WITHOUT_GPUS)
    if unknown := set(flags) - set(OTHER_COMPOSITION):
        raise line.fail("flag", f"free of {', '.join(unknown)}, which this module does not know")
    price = Price(
        **_facts(line.text("machine_type"), has_gpus=bool(line.fields["gpu_label"])),
        **histories.terms(line),
        **histories.interval(line),
        region=line.text("region"),
        gpu_count=histories.count_whole_gpus(line),
        vcpus=line.number_or_none("vcpu"),
        host_memory_gb=gb_of_gib(line.number_or_none("memory_gb")),
        storage_gb=line.number_or_none("local_ssd_gb_in_file"),
        price_raw=f"{line.text('source_field')} {line.text('source_value')}",
        amount=line.number("usd_per_hour"),
        price_unit="hour",
        remark=_region_remark(line.text("machine_type"), line.text("region")) or ("COMPOSITION_CHANGE" if flags else None),
    )
    return Accepted(histories.versions_locator(line), price)


def _is_sold(machine: str, billing: str) -> bool:
    """Return False for a price that the list computes for terms on which Google does not sell the machine."""
    return machine not in SPOT_ONLY or billing == "spot"


def _lacks_gpus(line: Line) -> bool:
    """Return True for machines with A100s that the list priced without them: in a region to August 2024, and on a day in all."""
    machine, first, last = line.text("machine_type"), line.day("first_seen"), line.day("last_seen")
    if machine.startswith(("a2-highgpu", "a2-megagpu")):
        return line.text("region") == "northamerica-northeast2" and last <= dt.date(2024, 8, 15)
    return machine == "a2-ultragpu-2g" and first == last == dt.date(2023, 5, 9)


def _facts(machine: str, *, has_gpus: bool) -> dict[str, Any]:
    """Return the facts that all prices of a machine share; GPU and share of it follow from the name of a machine with GPUs."""
    offer = {"provider": "gcp", "instance_type": machine, "scope": "region", "kind": "cloud_rental", "os": "linux"}
    gpu = {"raw_gpu_name": machine, "gpu_context": "Google Cloud machine type", "price_basis": "per_instance"}
    host = {"raw_gpu_name": None, "price_basis": "host_only"}
    return offer | (gpu if has_gpus else host) | {"currency": "USD", "includes_host": True}


def _region_remark(machine: str, region: str) -> str | None:
    """Return the remark on a price of a region without such machines; None elsewhere, and for other families of machines."""
    regions = _REGIONS.get(machine.rpartition("-")[0])
    return "SOURCE_ERROR" if regions is not None and region not in regions else None


class _Listed(NamedTuple):
    """A machine in one region: number of GPUs (a share of one is below 1, 0 is none), size, and the price of each term."""

    name: str
    gpus: float
    region: str
    costs: dict[str, float]
    vcpus: float | None
    memory_gb: float | None
    storage_gb: float | None


def _current(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the prices of machines with GPUs and of hosts, up to four per region; a term with no price or 0 is not offered."""
    for locator, machine in counted_rows(document, _machines(document), "offer"):
        record = f"{machine.name} in {machine.region}: {machine.costs}"
        offered = [term for term in TERMS if machine.costs.get(term)]
        for term in offered:
            place = f"{locator}, {term}"
            if _is_sold(machine.name, TERMS[term]["billing"]):
                yield Accepted(place, _price(document, machine, term))
            else:
                yield Rejected(place, record, "SOURCE_ERROR", NOT_SOLD)
        if not offered:
            yield Rejected(locator, record, "ZERO_PRICE", "no term of the machine has a price here")


def _machines(document: Document) -> Iterator[_Listed]:
    try:
        listed = yaml.load(document.text(), Loader=yaml.CSafeLoader)["compute"]["instance"]
        for name, facts in listed.items():
            gpus = [float(facts[part]) for part in facts if part not in PARTS]
            if gpus or name in HOSTS:
                yield from _regions(name, facts, sum(gpus))
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise document.error(1, f"no compute.instance.<machine>.cost.<region> ({error}): the layout has changed") from None


def _regions(name: str, facts: dict[str, Any], gpus: float) -> Iterator[_Listed]:
    """Yield the machine in each region; `facts` are its sizes and its `cost` by region and term."""
    sizes = [float(facts[part]) if facts.get(part) else None for part in ("cpu", "ram", "local-ssd")]
    for region, costs in facts["cost"].items():
        yield _Listed(name, gpus, region, {term: float(costs[term] or 0) for term in TERMS if term in costs}, *sizes)


def _price(document: Document, machine: _Listed, term: str) -> Price:
    return Price(
        **_facts(machine.name, has_gpus=bool(machine.gpus)),
        **TERMS[term],
        observed_at=document.observed_on,
        gpu_count=int(machine.gpus) if machine.gpus >= 1 else None,
        region=machine.region,
        vcpus=machine.vcpus,
        host_memory_gb=gb_of_gib(machine.memory_gb),
        storage_gb=machine.storage_gb,
        price_raw=f"{term} {machine.costs[term]}",
        amount=machine.costs[term],
        remark=_region_remark(machine.name, machine.region),
    )
