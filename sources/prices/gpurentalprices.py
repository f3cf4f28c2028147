"""gpurentalprices.com: rental prices per GPU of many providers, as a daily list and as a history of intervals."""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any

from pipeline.schema.prices import Price
from sources import Accepted, Document, Rejected, Source, UnparsableError
from sources.prices.parsing import Item, json_items

SOURCE = Source(
    source_id="gpurentalprices",
    title="GPU rental prices",
    kind="prices",
    yields=(Price,),
    attribution="gpurentalprices.com (https://gpurentalprices.com), CC BY 4.0",
    url="https://gpurentalprices.com/api/latest.json",
    terms_url="https://creativecommons.org/licenses/by/4.0/",
    licence="CC BY 4.0",
    automated_access="allowed",
    daily_from=dt.date(2026, 8, 21),  # history.csv covers the days before
    daily_url="https://raw.githubusercontent.com/adriannutiu/gpu-rental-prices/main/data/snapshots/{day}.json",
)

HISTORY = "history.csv"
_DATED = re.compile(r"\d{4}-\d\d-\d\d\.json")
COLUMNS = (
    "provider", "gpu", "memory_gb", "kind", "min_gpus", "usd_per_gpu_hour", "first_seen", "last_seen", "days_listed",
    "days_carried_forward", "page",
)  # fmt: skip
# some kinds are a class of service rather than a billing
KINDS: dict[str, dict[str, Any]] = {
    "on-demand": {"billing": "on_demand"},
    "spot": {"billing": "spot"},
    "serverless": {"billing": "serverless"},
    "community": {"billing": "marketplace", "tier": "community"},
    "secure": {"billing": "on_demand", "tier": "secure"},
}


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the prices of the history file, or of the list of one day."""
    if document.name != HISTORY and document.name.endswith(".csv"):
        raise document.error(1, f"this source reads {HISTORY} and lists of a day as JSON; rename the file")
    return _history(document) if document.name == HISTORY else _day(document)


def _history(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per row, valid from the first to the last day on which it was seen."""
    for line in document.csv(COLUMNS):
        kind = line.text("kind")
        if kind not in KINDS:
            yield line.reject("UNKNOWN_FORMAT", f"{kind} is a kind that is not known")
        elif (amount := line.number("usd_per_gpu_hour")) == 0:
            yield line.reject("ZERO_PRICE", "priced at 0")
        else:
            first, last = line.day("first_seen"), line.day("last_seen")
            if last < first:
                raise line.fail("last_seen", "a day after first_seen")
            yield Accepted(
                line.locator,
                _price(
                    kind,
                    observed_at=last,
                    effective_from=first,
                    effective_to=last,
                    provider=line.text("provider"),
                    raw_gpu_name=line.text("gpu"),
                    reported_memory_gb=line.number_or_none("memory_gb"),
                    min_gpus=line.integer("min_gpus") if line.fields["min_gpus"] else None,
                    price_raw=line.text("usd_per_gpu_hour"),
                    amount=amount,
                ),
            )
    if not document.rows_read:
        raise document.error(1, "no row follows the header; the table is empty or cut off")


def _day(document: Document) -> Iterator[Accepted | Rejected]:
    if _DATED.fullmatch(document.name):
        _check_date(document)
    for item in json_items(document, "offers"):
        if item.text("kind") not in KINDS:
            yield item.reject("UNKNOWN_FORMAT", f"{item.text('kind')} is a kind that is not known")
        elif item.number("usd_hr") == 0:
            yield item.reject("ZERO_PRICE", "priced at 0")
        else:
            yield Accepted(item.locator, _offer(item))


def _check_date(document: Document) -> None:
    """Refuse a file whose list is of another date than its name."""
    content = document.json()
    date = content.get("date") if isinstance(content, dict) else None
    if document.name != f"{date}.json":
        raise UnparsableError(f"{document.path}: the list is of {date}, not of the date in the file's name")


def _offer(item: Item) -> Price:
    return _price(
        item.text("kind"),
        observed_at=_seen(item),
        provider=item.text("provider"),
        raw_gpu_name=item.text("gpu"),
        reported_memory_gb=item.number_or_none("vram_gb"),
        min_gpus=item.integer("min_gpus") if item.fields.get("min_gpus") is not None else None,
        price_raw=str(item.value("usd_hr")),
        amount=item.number("usd_hr"),
    )


def _seen(item: Item) -> dt.date:
    """Return the date on which the provider's page was read; where that fails, the list repeats an offer of an earlier day."""
    try:
        fetched = dt.datetime.fromisoformat(item.text("fetched_at")).date()
    except ValueError:
        raise item.fail("fetched_at", "a time such as 2026-07-05T23:04:21Z") from None
    return min(fetched, item.document.observed_on)


def _price(kind: str, **facts: Any) -> Price:
    return Price(
        kind="cloud_rental",
        gpu_context=None,
        currency="USD",
        price_unit="hour",
        price_basis="per_gpu",
        **KINDS[kind],
        **facts,
    )
