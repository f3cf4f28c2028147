"""Google Cloud Billing Catalog: accelerators as separate SKUs, without processor and memory of the machine."""

import datetime as dt
import json
import os
import re
from collections.abc import Iterator
from typing import Any

from pipeline.errors import BuildError
from pipeline.schema.prices import Price
from sources import Accepted, Document, Download, Get, Rejected, Source, UnparsableError, part_locator
from sources.prices.parsing import Item, counted_rows

SOURCE = Source(
    source_id="gcp_skus",
    title="Google Cloud Billing Catalog: Compute Engine accelerators",
    kind="prices",
    yields=(Price,),
    attribution="Google, Cloud Billing Catalog API",
    url="https://cloudbilling.googleapis.com/v1/services/6F81-5844-456A/skus",
    terms_url="https://cloud.google.com/terms",
    automated_access="allowed",
    own_list_of="gcp",
)

KEY = "GCP_API_KEY"
MAX_PAGES = 200
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
    if not (key := os.environ.get(KEY)):
        raise BuildError(f"gcp_skus: set {KEY} to a key of the Cloud Billing API")
    skus: list[Any] = []
    tokens = [""]
    while len(tokens) <= MAX_PAGES:
        params = {"pageSize": "5000", "currencyCode": "USD"} | ({"pageToken": tokens[-1]} if tokens[-1] else {})
        raw = get(SOURCE.url or "", expect="json", params=params, headers={"X-Goog-Api-Key": key})
        page = _page(Document(SOURCE.url or "", raw, dt.date.min))
        skus += page["skus"]
        token = page.get("nextPageToken") or ""
        if not token:
            yield Download(name="skus.json", raw=json.dumps({"skus": skus}, indent=1).encode(), url=SOURCE.url or "")
            return
        if token in tokens or not page["skus"]:
            break
        tokens.append(token)
    raise UnparsableError(f"{SOURCE.url}: the pages do not end; nothing was kept")


def _page(document: Document) -> dict[str, Any]:
    page = document.json()
    if not isinstance(page, dict) or not isinstance(page.get("skus"), list):
        raise UnparsableError(f"{document.path}: no list of skus; the response is an error or its layout has changed")
    return page


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per SKU and region."""
    page = _page(document)
    if page.get("nextPageToken"):
        raise UnparsableError(f"{document.path}: the list goes on at nextPageToken; fetch all of it")
    seen: set[str] = set()
    for locator, fields in counted_rows(document, page["skus"]):
        item = Item(document, locator, fields)
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
        kind="cloud_rental",
        price_unit="hour",
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
