"""The list of cloud-gpus.com: one row per provider, one column per GPU, prices per GPU-hour.

A column name is `cost` and the name of the GPU, with an underscore and the memory where the list separates sizes.
Providers that do not rent the GPU have a dash. The list has no date: its prices are dated with the day of the download.
"""

from collections.abc import Iterator
from typing import Any

from pipeline.schema.prices import Price
from sources import Accepted, Document, Rejected, Source, part_locator
from sources.prices.parsing import BY_HOUR, NO_OFFER, parse_money, parse_number

SOURCE = Source(
    source_id="cloud-gpus-com",
    title="cloud-gpus.com",
    attribution="cloud-gpus.com, list of GPU clouds",
    url="https://raw.githubusercontent.com/cloud-gpus/cloud-gpus.github.io/main/cloud_gpu.json",
    terms_url="https://github.com/cloud-gpus/cloud-gpus.github.io",
    automated_access="allowed",
)

COLUMN = "cost"


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the prices of each provider; a provider without prices is rejected as empty."""
    for locator, provider in document.rows(_providers(document), "provider"):
        prices = {name: text for name, text in provider.items() if name.startswith(COLUMN) and text not in NO_OFFER}
        yield from (_price(document, part_locator(locator, name), provider, name) for name in sorted(prices))
        if not prices:
            yield Rejected(locator, str(provider["name"]), "EMPTY", "the list has no price of this provider")


def _providers(document: Document) -> list[dict[str, Any]]:
    try:
        providers = document.json()["data"]
        if all(isinstance(one["name"], str) and any(key.startswith(COLUMN) for key in one) for one in providers):
            return list(providers)
    except (KeyError, TypeError):
        pass
    raise document.error(1, f"no data[] of providers with a name and columns {COLUMN}...: the layout has changed")


def _price(document: Document, locator: str, provider: dict[str, Any], column: str) -> Accepted | Rejected:
    text = provider[column]
    money = parse_money(text) if isinstance(text, str) else None
    if money is None:
        return Rejected(locator, f"{provider['name']}: {text}", "PARSE", f"{text!r} is not a price")
    name, _, memory = column.removeprefix(COLUMN).partition("_")
    row = Price(
        observed_at=document.observed_on,
        provider=provider["name"],
        raw_gpu_name=name,
        reported_memory_gb=parse_number(memory),
        gpu_count=1,
        **BY_HOUR,
        billing="on_demand",
        price_raw=text,
        amount=money.amount,
        currency=money.currency,
        price_basis="per_gpu",
        qualifier=money.qualifier,
    )
    return Accepted(locator, row)
