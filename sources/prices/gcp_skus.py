"""Google Cloud Billing Catalog: accelerators as separate SKUs, without processor and memory of the machine."""

import re
from collections.abc import Iterator
from typing import Any

from pipeline.schema.prices import Price
from sources import Accepted, Document, Download, Get, Rejected, Source, part_locator
from sources.prices.paging import Pages, fetch_joined, read_token
from sources.prices.parsing import BY_HOUR, Item, json_items

SOURCE = Source(
    source_id="gcp_skus",
    title="Google Cloud Billing Catalog: Compute Engine accelerators",
    attribution="Google, Cloud Billing Catalog API",
    url="https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus",
    terms_url="https://cloud.google.com/terms",
    automated_access="allowed",
    own_list_of="gcp",
)

QUERY = {"pageSize": "5000", "currencyCode": "USD"}
BILLINGS: dict[str, dict[str, Any]] = {
    "OnDemand": {"billing": "on_demand"},
    "Preemptible": {"billing": "spot"},
    "Commit1Yr": {"billing": "reserved", "commitment_months": 12},
    "Commit3Yr": {"billing": "reserved", "commitment_months": 36},
}
# "Commitment v1: Nvidia L4 GPU running in Iowa for 1 Year", "A4 Nvidia B200 (1 gpu slice) running in Americas"
GPU = re.compile(r"\bNvidia .+?(?= GPU\b| \(1 gpu slice\)| attached | running | in )", re.IGNORECASE)
HOST = re.compile(r"\b[AG]\d\w* (Predefined )?Instance (Core|Ram)\b")


def fetch(get: Get) -> Iterator[Download]:
    """Download all pages as one document. The key is sent in a header, because addresses are stored."""
    pages = Pages(
        url=str(SOURCE.url),
        name="skus",
        rows=("skus",),
        first=QUERY,
        following=lambda page, *_: QUERY | {"pageToken": token} if (token := page.get("nextPageToken")) else None,
        headers={"X-Goog-Api-Key": read_token("GCP_API_KEY", "create a key of the Cloud Billing API in its console")},
    )
    yield from fetch_joined(get, pages)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per SKU and region."""
    seen: set[str] = set()
    for item in json_items(document, "skus", goes_on_at="nextPageToken"):
        sku = item.text_or_none("skuId")
        yield from [item.reject("DUPLICATE", "the same SKU stands before")] if sku in seen else _offers(item)
        seen |= {sku} if sku else set()


def _offers(item: Item) -> Iterator[Accepted | Rejected]:
    if refused := _refused(item):
        yield refused
        return
    offer = _offer(item)
    if isinstance(offer, Rejected):
        yield offer
        return
    for region in item.texts("serviceRegions") if "serviceRegions" in item.fields else [""]:
        everywhere = region == "global"
        place = {"region": None if everywhere else region or None, "scope": "global" if everywhere else "region"}
        yield Accepted(part_locator(item.locator, region), _price(item, **offer, **place))


def _refused(item: Item) -> Rejected | None:
    category, description = item.item("category"), item.text("description")
    if category.text("resourceGroup") == "GPU":
        usage = category.text("usageType")
        return None if usage in BILLINGS else item.reject("UNKNOWN_FORMAT", f"{usage} is a kind of use that is not known")
    if HOST.search(description):
        return item.reject("HOST_ONLY", "processor or memory of a machine with accelerators, without them")
    return item.reject("NOT_A_GPU", "no accelerator")


def _offer(item: Item) -> dict[str, Any] | Rejected:
    """Return the price in force on the date of the list; a SKU may also list former and announced prices."""
    dated = [(info.day_or_none("effectiveTime"), info) for info in item.items("pricingInfo")]
    valid = [(since, info) for since, info in dated if since is None or since <= item.document.observed_on]
    if not valid:
        return item.reject("RANGE", "no figure is in force yet")
    since, info = valid[-1]
    expression = info.item("pricingExpression")
    rates = expression.items("tieredRates")
    if expression.text("usageUnit") != "h" or len(rates) != 1:
        return item.reject("UNKNOWN_FORMAT", f"priced per {expression.text('usageUnit')} in {len(rates)} tiers, not per hour")
    price = rates[0].item("unitPrice")
    units, nanos = price.integer("units"), price.integer("nanos")
    return {
        "amount": units + nanos / 1e9,
        "price_raw": f"{units} units + {nanos} nanos",
        "currency": price.fields.get("currencyCode") or "USD",
        "effective_from": since,
    }


def _price(item: Item, **offer: Any) -> Price:
    description = item.text("description")
    gpu = GPU.search(description)
    return Price(
        observed_at=item.document.observed_on,
        provider="gcp",
        offer_id=item.text_or_none("skuId"),
        raw_gpu_name=gpu[0] if gpu else description,
        gpu_context=description,
        **BY_HOUR,
        price_basis="per_gpu",
        includes_host=False,
        **_billing(item.item("category").text("usageType"), description),
        **offer,
    )


def _billing(usage: str, description: str) -> dict[str, Any]:
    """Return billing and tier, from the description where newer families list spot and DWS machines as OnDemand."""
    if "Spot Preemptible" in description:
        return {"billing": "spot"}
    if "DWS" in description:
        return {"billing": "reserved", "tier": "DWS"}
    return BILLINGS[usage]
