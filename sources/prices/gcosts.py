"""Google Cloud machines with GPUs by region, published weekly by the Google Cloud Pricing Cost Calculator (gcosts).

A row is one machine in one region. `hour` and `hour_spot` are prices of a whole machine per hour, `month_1y` and
`month_3y` prices per month of a commitment. `month` repeats `hour` and is not read.
"""

from collections.abc import Iterator
from typing import Any

import yaml

from pipeline.schema.prices import Price
from sources import Accepted, Document, Rejected, Source

SOURCE = Source(
    source_id="gcosts",
    title="Google Cloud Pricing Cost Calculator (gcosts)",
    kind="prices",
    yields=(Price,),
    attribution="Cyclenerd, google-cloud-pricing-cost-calculator",
    url="https://raw.githubusercontent.com/Cyclenerd/google-cloud-pricing-cost-calculator/master/pricing.yml",
    licence="Apache-2.0",
    automated_access="allowed",
)
TERMS: dict[str, dict[str, Any]] = {
    "hour": {"billing": "on_demand", "price_unit": "hour"},
    "hour_spot": {"billing": "spot", "price_unit": "hour"},
    "month_1y": {"billing": "reserved", "price_unit": "month", "commitment_months": 12},
    "month_3y": {"billing": "reserved", "price_unit": "month", "commitment_months": 36},
}
CARDS = ("a100", "h100", "l4", "t4", "p100", "v100", "p4", "b200", "h200")


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the prices of every machine with GPUs, up to four terms per region; a term with no price or 0 is not offered."""
    for locator, (machine, count, region, costs) in document.rows(_offers(document), "offer"):
        if not count:
            yield Rejected(locator, f"{machine} in {region}", "NOT_A_GPU", f"no card of {', '.join(CARDS)} in the machine")
            continue
        prices = [_price(document, machine, count, region, term, costs[term]) for term in TERMS if costs.get(term)]
        for term, price in prices:
            yield Accepted(f"{locator}, {term}", price)
        if not prices:
            yield Rejected(locator, f"{machine} in {region}: {costs}", "ZERO_PRICE", "no term of the machine has a price here")


def _offers(document: Document) -> Iterator[tuple[str, int, str, dict[str, Any]]]:
    try:
        machines = yaml.safe_load(document.text())["compute"]["instance"]
        for machine, facts in machines.items():
            counts = [facts[card] for card in CARDS if card in facts]
            for region, costs in facts["cost"].items():
                yield (
                    machine,
                    int(counts[0]) if counts else 0,
                    region,
                    {term: float(costs[term] or 0) for term in TERMS if term in costs},
                )
    except (yaml.YAMLError, KeyError, TypeError, AttributeError, ValueError) as error:
        raise document.error(1, f"no compute.instance.<machine>.cost.<region> ({error}): the layout has changed") from None


def _price(document: Document, machine: str, count: int, region: str, term: str, amount: float) -> tuple[str, Price]:
    return term, Price(
        observed_at=document.observed_on,
        provider="gcp",
        instance_type=machine,
        raw_gpu_name=machine,
        gpu_context="Google Cloud machine type",
        gpu_count=count,
        region=region,
        scope="region",
        kind="cloud_rental",
        os="linux",
        price_raw=f"{term} {amount}",
        amount=amount,
        currency="USD",
        price_basis="per_instance",
        includes_host=True,
        **TERMS[term],
    )
