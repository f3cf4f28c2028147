"""Oracle's public price list: accelerators per GPU-hour or per node-hour, the same in all commercial regions."""

import re
from collections.abc import Iterator
from typing import Any

from pipeline.schema.prices import Price
from sources import Accepted, Document, Rejected, Source, part_locator
from sources.prices.parsing import BY_HOUR, Item, first_refusal, json_items

SOURCE = Source(
    source_id="oci",
    title="Oracle Cloud price list",
    attribution="Oracle, Cloud price list API",
    url="https://apexapps.oracle.com/pls/apex/cetools/api/v1/products/",
    terms_url="https://www.oracle.com/legal/terms/",
    automated_access="allowed",
    own_list_of="oci",
)

BASES = {"GPU Per Hour": "per_gpu", "Node Per Hour": "per_node"}
COMMITMENT = re.compile(r"(?:(\d+) Year|(Monthly)) Commit")
PAID_AS_USED = "PAY_AS_YOU_GO"


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the price in USD of each product with an accelerator."""
    for item in json_items(document, "items"):
        if refused := _refused(item):
            yield refused
        else:
            yield from _prices(item)


def _refused(item: Item) -> Rejected | None:
    name, metric, category = item.text("displayName"), item.text("metricName"), item.text("serviceCategory")
    rules = (
        ("GPU" not in f"{name} {category}", "NOT_A_GPU", "no accelerator"),
        (
            "Cloud@Customer" in f"{name} {category}",
            "PLACEHOLDER_PRICE",
            "a fee on hardware in the customer's own rooms, which is paid for besides; not the price of a GPU",
        ),
        (metric not in BASES, "UNKNOWN_FORMAT", f"priced by {metric}, not by hours of a GPU or a node"),
    )
    return first_refusal(item.reject, rules)


def _prices(item: Item) -> Iterator[Accepted | Rejected]:
    """Yield one price per payment model. PAY_AS_YOU_GO is the only one in use, also where the name states a commitment."""
    dollars = [one for one in item.items("currencyCodeLocalizations") if one.text("currencyCode") == "USD"]
    if not dollars or not dollars[0].value("prices"):
        yield item.reject("EMPTY", "no price in USD")
        return
    seen: list[str] = []
    for price in dollars[0].items("prices"):
        model = price.text("model")
        seen.append(model)
        if seen.count(model) > 1:
            yield item.reject("DUPLICATE", "the price from a certain use on; the first is kept", f"{model} {len(seen)}")
        elif model != PAID_AS_USED:
            yield item.reject("UNKNOWN_FORMAT", f"{model} is a model of payment that is not known", model)
        else:
            yield Accepted(part_locator(item.locator, model), _price(item, price))


def _price(item: Item, price: Item) -> Price:
    name, metric = item.text("displayName"), item.text("metricName")
    return Price(
        observed_at=item.document.observed_on,
        provider="oci",
        offer_id=item.text("partNumber"),
        raw_gpu_name=name,
        gpu_context=f"{item.text('serviceCategory')}; {metric}",
        scope="global",
        **BY_HOUR,
        tier="VMware" if "VMware" in name else None,
        price_raw=str(price.value("value")),
        amount=price.number("value"),
        currency="USD",
        price_basis=BASES[metric],
        includes_host=True,
        **_commitment(name),
    )


def _commitment(name: str) -> dict[str, Any]:
    """Return billing and commitment, which only the name states."""
    if not (match := COMMITMENT.search(name)):
        return {"billing": "on_demand"}
    return {"billing": "reserved", "commitment_months": 12 * int(match[1]) if match[1] else 1}
