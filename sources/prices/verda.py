"""Verda (formerly DataCrunch): instance types from its API, with prices as texts and the memory of all GPUs together.

The API requires a login by OAuth, which is not implemented: `fetch` reads an access token from the environment.
"""

from collections.abc import Iterator

from sources import Accepted, Document, Download, Get, Rejected, Source
from sources.prices.paging import read_token
from sources.prices.parsing import INSTANCE_BY_HOUR, Item, json_items

SOURCE = Source(
    source_id="verda",
    title="Verda instance types",
    attribution="Verda (formerly DataCrunch), API of instance types",
    url="https://api.verda.com/v1/instance-types",
    automated_access="allowed",
    own_list_of="verda",
)

BILLED = {"on_demand": "price_per_hour", "spot": "spot_price"}


def fetch(get: Get) -> Iterator[Download]:
    """Download the instance types, with the access token from the environment."""
    key = read_token("VERDA_ACCESS_TOKEN", "its OAuth endpoint issues one for a client id and secret")
    raw = get(str(SOURCE.url), expect="json", headers={"Authorization": f"Bearer {key}"})
    yield Download(name="instance-types.json", raw=raw, url=str(SOURCE.url))


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield an on-demand and a spot price per instance type."""
    for item in json_items(document):
        yield from _instance(item)


def _instance(item: Item) -> Iterator[Accepted | Rejected]:
    count = item.item("gpu").integer("number_of_gpus")
    if count == 0:
        yield item.reject("NOT_A_GPU", "an instance type without a GPU")
        return
    item.value("price_per_hour")
    offered = [billing for billing, name in BILLED.items() if item.number_or_none(name) is not None]
    if not offered:
        yield item.reject("EMPTY", "no price is listed")
    for billing in offered:
        yield _price(item, billing, count)


def _price(item: Item, billing: str, count: int) -> Accepted:
    return item.offer(
        BILLED[billing],
        part=billing,
        provider="verda",
        offer_id=item.text("name"),
        instance_type=item.text_or_none("instance_type"),
        raw_gpu_name=item.text("name"),
        gpu_context=" ".join(
            filter(None, ("verda", item.text_or_none("instance_type"), item.item("gpu").text_or_none("description")))
        ),
        reported_memory_gb=item.item("gpu_memory").number("size_in_gigabytes") / count,
        gpu_count=count,
        **INSTANCE_BY_HOUR,
        billing=billing,
        vcpus=item.measure_in("cpu", "number_of_cores"),
        host_memory_gb=item.measure_in("memory", "size_in_gigabytes"),
        currency=item.text("currency").upper(),
    )
