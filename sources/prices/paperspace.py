"""Paperspace's plans and GPU rates, in the form of a public API Commons `plans` file (YAML).

The price page itself was not available. The file states that some rates require a commitment of several years, but not
which ones. Every rate of such a plan therefore has the qualifier `from`.
"""

import re
from collections.abc import Iterator
from typing import Any

import yaml

from pipeline.schema.prices import Price
from sources import Accepted, Document, Rejected, Source, UnparsableError
from sources.prices.parsing import GPU_BY_HOUR, Item, counted_rows

SOURCE = Source(
    source_id="paperspace",
    title="Paperspace plans and GPU rates",
    attribution="Paperspace (DigitalOcean), price page, as the API Evangelist transcribed it",
    url="https://www.paperspace.com/pricing",
    terms_url="https://www.digitalocean.com/legal/terms-of-service-agreement",
    own_list_of="paperspace",
)

CURRENCY = "USD"
_RATE = re.compile(r"(?P<gpu>.+) \(per hour\)")


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the rates of GPUs, and the monthly prices of subscriptions that give access to them."""
    for locator, (plan, entry) in counted_rows(document, _entries(document), "entry"):
        yield _entry(plan, Item(document, locator, {"plan": plan.text("id"), **entry}))


def _entries(document: Document) -> Iterator[tuple[Item, dict[str, Any]]]:
    plans = _plans(document)
    for number, plan in enumerate(plans):
        entries = plan.get("entries") if isinstance(plan, dict) else None
        if not isinstance(entries, list):
            raise UnparsableError(f"{document.path}: plan {number} has no list `entries`; the layout has changed")
        yield from ((Item(document, f"plan {number}", plan), entry) for entry in entries)


def _plans(document: Document) -> list[Any]:
    try:
        content = yaml.safe_load(document.text())
    except yaml.YAMLError as error:
        raise UnparsableError(f"{document.path}: broken YAML ({error})") from None
    if not isinstance(content, dict) or not isinstance(content.get("plans"), list):
        raise UnparsableError(f"{document.path}: no list `plans`; this is another file or its layout has changed")
    if "updated" not in content:
        raise UnparsableError(f"{document.path}: no date `updated`, which ends the file; it is cut off")
    return list(content["plans"])


def _entry(plan: Item, item: Item) -> Accepted | Rejected:
    price = item.value("price")
    if isinstance(price, str) and price.lower() == "call":
        return item.reject("PLACEHOLDER_PRICE", f"the source prints {price!r} in the place of a price")
    match item.text("timeFrame"):
        case "month":
            return Accepted(item.locator, _subscription(plan, item))
        case "usage" if rate := _RATE.fullmatch(item.text("label")):
            return Accepted(item.locator, _rental(plan, item, rate["gpu"]))
    return item.reject("PARSE", f"{item.text('label')!r} is neither a rate per hour nor a monthly plan")


def _subscription(plan: Item, item: Item) -> Price:
    return Price(
        observed_at=item.document.observed_on,
        provider="paperspace",
        offer_id=plan.text("name"),
        raw_gpu_name=None,
        country=item.text_or_none("geo"),
        kind="subscription",
        price_raw=str(item.fields["price"]),
        amount=item.number("price"),
        currency=CURRENCY,
        price_unit="month",
        price_basis="per_instance",
    )


def _rental(plan: Item, item: Item, gpu: str) -> Price:
    needs_commitment = "commitment" in (plan.text_or_none("description") or "").lower()
    return Price(
        observed_at=item.document.observed_on,
        provider="paperspace",
        offer_id=item.text("label"),
        raw_gpu_name=gpu,
        gpu_count=item.integer("unit"),
        country=item.text_or_none("geo"),
        **GPU_BY_HOUR,
        billing="on_demand",
        price_raw=str(item.fields["price"]),
        amount=item.number("price"),
        currency=CURRENCY,
        qualifier="from" if needs_commitment else "exact",
    )
