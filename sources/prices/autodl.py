"""AutoDL's machines for rent, from its API, which requires a token. Prices are in thousandths of a yuan per GPU-hour.

The layout follows a response that a public client documents; neither a whole response nor the price page was available.
The price may include a member's discount: where the list price differs, both are rows, and the discounted one has the
tier `member`.
"""

from collections.abc import Iterator

from sources import Accepted, Document, Download, Get, Rejected, Source, UnparsableError
from sources.prices.paging import Pages, fetch_pages, read_token
from sources.prices.parsing import GPU_BY_HOUR, Item, json_items

SOURCE = Source(
    source_id="autodl",
    title="AutoDL machines for rent",
    attribution="AutoDL, API of machines",
    url="https://api.autodl.com/api/v1/user/machine/list",
    automated_access="allowed",
    own_list_of="autodl",
)

MILLI = 1000
BYTES_PER_GB = 10**9


def fetch(get: Get) -> Iterator[Download]:
    """Download all pages of the machines billed by the hour, with the token from the environment."""
    first = {"charge_type": "payg", "page_size": 100, "page_index": 1}
    pages = Pages(
        url=str(SOURCE.url),
        name="machines",
        rows=("data", "list"),
        first=first,
        following=lambda answer, number, _: (
            {**first, "page_index": number + 1} if number < int(answer["data"].get("max_page", 1)) else None
        ),
        headers={"Authorization": read_token("AUTODL_TOKEN", "its console makes one under the account's settings")},
        post=True,
    )
    yield from fetch_pages(get, pages)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the price of each machine, and its list price where that differs."""
    answer = document.json()
    if isinstance(answer, dict) and answer.get("code") not in ("Success", "OK"):
        raise UnparsableError(f"{document.path}: the host answered {answer.get('code')!r}: {answer.get('msg')!r}")
    for item in json_items(document, "data", "list"):
        yield from _machine(item)


def _machine(item: Item) -> Iterator[Accepted | Rejected]:
    paid, listed = item.number("payg_price"), item.number_or_none("origin_pay_price") or None
    if item.fields.get("payg") is False:
        yield item.reject("RETIRED", "not for rent by the hour")
    elif listed in (None, paid):
        yield _price(item, "payg_price")
    else:
        yield _price(item, "payg_price", part="member", tier="member")
        yield _price(item, "origin_pay_price", part="list")


def _price(item: Item, name: str, **facts: str) -> Accepted:
    """Return the price of one GPU; processor threads and memory are its share too."""
    memory = item.measure("mem_per_gpu")
    return item.offer(
        name,
        provider="autodl",
        offer_id=item.text_or_none("machine_id"),
        raw_gpu_name=item.text("gpu_name"),
        region=item.text("region_name"),
        country="CN",
        scope="zone",
        **GPU_BY_HOUR,
        billing="on_demand",
        vcpus=item.measure("cpu_per_gpu"),
        host_memory_gb=memory / BYTES_PER_GB if memory else None,
        amount=item.number(name) / MILLI,
        currency="CNY",
        **facts,
    )
