"""gpurentalprices.com: rental prices per GPU of many providers, as a daily list.

The daily lists of July to October 2026 are stored as one table. Rows of RunPod and Vast are rejected: the terms of these
providers forbid comparisons of their prices. Google's rows pay for the GPU alone, without the machine around it.
"""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any

from pipeline.schema.prices import Price
from sources import Accepted, Document, Line, Rejected, Source, UnparsableError, part_locator
from sources.prices import histories
from sources.prices.parsing import Item, json_items

SOURCE = Source(
    source_id="gpurentalprices",
    title="GPU rental prices",
    attribution="gpurentalprices.com (https://gpurentalprices.com), CC BY 4.0",
    url="https://gpurentalprices.com/api/latest.json",
    terms_url="https://creativecommons.org/licenses/by/4.0/",
    licence="CC BY 4.0",
    republish=True,
    automated_access="allowed",
    parser_version=4,
    daily_from=dt.date(2026, 8, 22),  # the table covers the days before
    daily_url="https://raw.githubusercontent.com/adriannutiu/gpu-rental-prices/main/data/snapshots/{day}.json",
)

TABLE = re.compile(r"rental_.*\.csv")
_DATED = re.compile(r"\d{4}-\d\d-\d\d\.json")
COLUMNS = (
    "date", "provider", "gpu_label", "vram_gb", "kind", "usd_per_gpu_hour", "unit", "min_gpus", "availability", "instance",
    "region", "commitment_type", "commitment_months", "commitment_payment", "source_url", "fetched_at", "provider_stale",
    "commit", "transcribed",
)  # fmt: skip
# some kinds are a class of service rather than a billing
KINDS: dict[str, dict[str, Any]] = {
    "on-demand": {"billing": "on_demand"},
    "spot": {"billing": "spot"},
    "serverless": {"billing": "serverless"},
    "community": {"billing": "marketplace", "tier": "community"},
    "secure": {"billing": "on_demand", "tier": "secure"},
    "marketplace": {"billing": "marketplace"},
    "reserved": {"billing": "reserved"},
}
IN_STOCK = {"in-stock": True, "out-of-stock": False}
_DIVISOR = re.compile(r"normalized over (\d+) hours")  # of a month or year of a commitment, in the words on its payment
_SIZE = re.compile(r"gpu-[a-z0-9]+x(\d+)-\d+gb|NVIDIA \w+ (\d+)x")  # DigitalOcean's sizes: GPU x count - total GPU memory
_TITLE = re.compile(r"\d+x NVIDIA ")  # begins what a seller calls its offer, which is no name of a machine
GPU_ONLY = ("gcp", "daytona")
MISREAD_DAY = ("together", "on-demand", dt.date(2026, 10, 1))
MISREAD = "the list has the spot price as the price on demand on this day"


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the prices of the table of many days, or of the list of one day."""
    if TABLE.fullmatch(document.name):
        yield from map(_row, document.csv(COLUMNS, filled=True))
    elif document.name.endswith(".csv"):
        raise document.error(1, "this source reads rental_*.csv and lists of a day as JSON; rename the file")
    else:
        yield from _day(document)


def _row(line: Line) -> Accepted | Rejected:
    place, kind, provider = part_locator(line.locator, line.text("commit")), line.text("kind"), line.text("provider")
    if histories.is_forbidden(provider):
        return histories.reject_forbidden(place, provider)
    seen = _seen(line, line.day("date"))
    if problem := _problem(provider, kind, seen):
        return line.reject(*problem, line.text("commit"))
    price = Price(
        **_offer(provider, kind, line.text_or_none("instance"), line.text_or_none("region")),
        observed_at=seen,
        raw_gpu_name=line.text("gpu_label"),
        reported_memory_gb=line.number_or_none("vram_gb"),
        min_gpus=line.integer_or_none("min_gpus"),
        commitment_months=line.integer_or_none("commitment_months"),
        qualifier="from" if line.fields["commitment_type"] == "quote" else "exact",
        in_stock=IN_STOCK.get(line.fields["availability"]),
        price_raw=line.text("usd_per_gpu_hour"),
        **_amount(line.number("usd_per_gpu_hour"), line.fields["commitment_payment"]),
    )
    return Accepted(place, price)


def _day(document: Document) -> Iterator[Accepted | Rejected]:
    if _DATED.fullmatch(document.name):
        _check_date(document)
    for item in json_items(document, "offers"):
        seen = _seen(item, document.observed_on)
        if histories.is_forbidden(provider := item.text("provider")):
            yield histories.reject_forbidden(item.locator, provider)
            continue
        problem = _problem(provider, item.text("kind"), seen)
        yield item.reject(*problem) if problem else Accepted(item.locator, _item(item, seen))


def _problem(provider: str, kind: str, date: dt.date) -> tuple[str, str] | None:
    """Return reason code and reason of a row that is rejected."""
    if kind not in KINDS:
        return "UNKNOWN_FORMAT", f"{kind} is a kind that is not known"
    return ("SOURCE_ERROR", MISREAD) if (provider, kind, date) == MISREAD_DAY else None


def _check_date(document: Document) -> None:
    """Refuse a file whose list is of another date than its name."""
    content = document.json()
    date = content.get("date") if isinstance(content, dict) else None
    if document.name != f"{date}.json":
        raise UnparsableError(f"{document.path}: the list is of {date}, not of the date in the file's name")


def _item(item: Item, seen: dt.date) -> Price:
    commitment = item.item("commitment") if item.fields.get("commitment") else None
    months = commitment.number_or_none("months") if commitment else None
    return Price(
        **_offer(item.text("provider"), item.text("kind"), item.text_or_none("instance"), item.text_or_none("region")),
        observed_at=seen,
        raw_gpu_name=item.text("gpu"),
        reported_memory_gb=item.number_or_none("vram_gb"),
        min_gpus=item.integer("min_gpus") if item.fields.get("min_gpus") is not None else None,
        commitment_months=int(months) if months else None,
        qualifier="from" if commitment and not months else "exact",
        in_stock=IN_STOCK.get(item.text_or_none("availability") or ""),
        price_raw=str(item.value("usd_hr")),
        **_amount(item.number("usd_hr"), commitment.text_or_none("payment") if commitment else None),
    )


def _amount(usd: float, payment: str | None) -> dict[str, Any]:
    """Return the price per hour, or per month where the list divided it by hours of a shorter month than other prices have."""
    divisor = _DIVISOR.search(payment or "")
    if divisor and divisor[1] == "720":
        return {"amount": round(usd * 720, 6), "price_unit": "month"}
    return {"amount": usd, "price_unit": "hour"}


def _seen(offer: Line | Item, listed_on: dt.date) -> dt.date:
    """Return the date on which the provider's page was read; where that fails, the list repeats an offer of an earlier day."""
    try:
        return min(dt.datetime.fromisoformat(offer.text("fetched_at")).date(), listed_on)
    except ValueError:
        raise offer.fail("fetched_at", "a time such as 2026-07-05T23:04:21Z") from None


def _offer(provider: str, kind: str, machine: str | None, region: str | None) -> dict[str, Any]:
    """Return the facts of an offer that the table and the daily lists share."""
    price = {"currency": "USD", "price_basis": "per_gpu"}
    context = " ".join(filter(None, (provider, machine)))  # the provider decides what some names mean
    named = None if machine and _TITLE.match(machine) else machine
    size = _SIZE.fullmatch(machine or "") if provider == "digitalocean" else None
    count = int(size[1] or size[2]) if size else None
    offer = {"provider": provider, "instance_type": named, "gpu_context": context, "gpu_count": count, "region": region}
    scope = {"kind": "cloud_rental", "scope": "region" if region else "global"}
    return offer | price | scope | KINDS[kind] | {"includes_host": False if provider in GPU_ONLY else None}
