"""Azure Retail Prices API: machines with accelerators, by region, term and operating system."""

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from pipeline.schema.prices import Price
from sources import Accepted, Document, Download, Get, Rejected, Source, UnparsableError, part_locator
from sources.prices.paging import Pages, fetch_joined
from sources.prices.parsing import Item, first_refusal, json_items

SOURCE = Source(
    source_id="azure_retail",
    title="Azure Retail Prices",
    attribution="Microsoft, Azure Retail Prices API",
    url="https://prices.azure.com/api/retail/prices",
    terms_url="https://learn.microsoft.com/en-us/rest/api/cost-management/retail-prices/azure-retail-prices",
    automated_access="allowed",
    own_list_of="azure",
)

QUERY = {
    "api-version": "2023-01-01-preview",
    "$filter": "serviceName eq 'Virtual Machines' and contains(armSkuName, 'Standard_N')",
}
PAGE_ROWS = 100  # pages hold 100 or 1,000 items
MACHINE = re.compile(r"Standard_N[A-Z]+\d")  # the N series: NC, NCC, ND, NG, NP, NV
TERM = re.compile(r"(\d+) Years?")


def fetch(get: Get) -> Iterator[Download]:
    """Download every page of the list as one document; an incomplete list is an error."""
    yield from fetch_joined(get, Pages(url=str(SOURCE.url), name="retail_prices", rows=("Items",), first=QUERY, following=_next))


def _next(page: dict[str, Any], _: int, n_rows: int) -> dict[str, str] | None:
    """Return the parameters of the next page; a full page without a link is continued, since the host sometimes omits it."""
    if link := page.get("NextPageLink"):
        own, following = urlsplit(str(SOURCE.url)), urlsplit(str(link))
        if (following.hostname, following.path) != (own.hostname, own.path) or not following.query:
            raise UnparsableError(f"{link}: the list goes on at another address; nothing was kept")
        return dict(parse_qsl(following.query))
    return QUERY | {"$skip": str(n_rows)} if page["Items"] and len(page["Items"]) % PAGE_ROWS == 0 else None


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per item, and one more per savings plan of the item."""
    for item in json_items(document, "Items", goes_on_at="NextPageLink"):
        yield from _offers(item)


def _offers(item: Item) -> Iterator[Accepted | Rejected]:
    if refused := _refused(item):
        yield refused
        return
    yield Accepted(item.locator, _price(item, **_terms(item)))
    for plan in item.fields.get("savingsPlan") or ():
        yield _savings_plan(item, Item(item.document, f"{item.locator} savingsPlan", plan))


def _refused(item: Item) -> Rejected | None:
    kind, product, unit = item.text("type"), item.text("productName"), item.text("unitOfMeasure")
    machine = MACHINE.match(item.text_or_none("armSkuName") or "")
    rules = (
        (not machine or "Dedicated Host" in product, "NOT_A_GPU", "no machine of the N series, the one with accelerators"),
        (item.text("skuName").endswith(" Low Priority"), "RETIRED", "Low Priority is a former kind of spot machine"),
        ("CloudServices" in product.replace(" ", ""), "WINDOWS", "Cloud Services include Windows without saying so"),
        (kind not in ("Consumption", "Reservation"), "DUPLICATE", f"{kind}: the open price is listed besides"),
        (unit != "1 Hour", "UNKNOWN_FORMAT", f"priced per {unit}"),
        (item.number("tierMinimumUnits") > 0, "DUPLICATE", "the price from a certain use on; the first is listed besides"),
    )
    return first_refusal(item.reject, rules)


def _price(item: Item, **terms: Any) -> Price:
    """Return a price with the fields that all items have, and these terms."""
    machine, product = item.text("armSkuName"), item.text("productName")
    return Price(
        observed_at=item.document.observed_on,
        effective_from=item.day_or_none("effectiveStartDate"),
        effective_to=item.day_or_none("effectiveEndDate"),
        provider="azure",
        offer_id=item.text_or_none("skuId"),
        instance_type=machine,
        raw_gpu_name=machine,
        gpu_context=product,
        region=item.text("armRegionName"),
        scope="region",
        kind="cloud_rental",
        os="windows" if product.endswith("Windows") else "linux",
        tier="promo" if machine.endswith("_Promo") else None,
        currency=item.text("currencyCode"),
        price_basis="per_instance",
        includes_host=True,
        **terms,
    )


def _terms(item: Item) -> dict[str, Any]:
    """Return amount and billing. The price of a reservation is the total of its term, whatever unitOfMeasure states."""
    paid = {"price_raw": str(item.value("retailPrice")), "amount": item.number("retailPrice")}
    if item.text("type") == "Reservation":
        months = _months(item, "reservationTerm")
        return paid | {"billing": "reserved", "commitment_months": months, "price_unit": "term_total"}
    spot = item.text("skuName").endswith(" Spot")
    return paid | {"billing": "spot" if spot else "on_demand", "price_unit": "hour"}


def _savings_plan(item: Item, plan: Item) -> Accepted:
    """Return the price per hour of a savings plan, which only the preview version of the API lists."""
    part = f"savings plan {plan.text('term')}"
    paid = {"price_raw": str(plan.value("retailPrice")), "amount": plan.number("retailPrice"), "price_unit": "hour"}
    terms = {"billing": "savings_plan", "commitment_months": _months(plan, "term")}
    return Accepted(part_locator(item.locator, part), _price(item, **paid, **terms))


def _months(item: Item, name: str) -> int:
    if not (match := TERM.fullmatch(item.text(name))):
        raise item.fail(name, "a term such as '3 Years'")
    return 12 * int(match[1])
