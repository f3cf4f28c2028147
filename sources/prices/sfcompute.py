"""SF Compute's market: average, highest and lowest price per GPU-hour by day, from the data embedded in its page.

The price is the average of a day. Its extremes are single orders and not offered to others. 0 means no market.
"""

import datetime as dt
from collections.abc import Iterator
from typing import Any

from pipeline.readers import RefusedError, strict_json
from pipeline.schema.prices import Price
from sources import Accepted, Document, Source, UnparsableError
from sources.prices.parsing import GPU_BY_HOUR, Item, counted_rows, parse_html

SOURCE = Source(
    source_id="sfcompute",
    title="SF Compute market prices",
    attribution="SF Compute, market prices on its home page",
    url="https://sfcompute.com",
    automated_access="allowed",
    own_list_of="sfcompute",
)

FIELD = '"pricesByHardwareType":'
PUSH = "self.__next_f.push("


def parse(document: Document) -> Iterator[Accepted]:
    """Yield one price per GPU and day."""
    for locator, (gpu, day) in counted_rows(document, _days(document), "day"):
        yield Accepted(locator, _price(gpu, Item(document, locator, day)))


def _days(document: Document) -> Iterator[tuple[str, dict[str, Any]]]:
    for gpu, days in _market(document).items():
        if not isinstance(days, list) or not all(isinstance(day, dict) for day in days):
            raise UnparsableError(f"{document.path}: the prices of {gpu} are not a list of days; the layout has changed")
        for day in days:
            yield gpu, day


def _market(document: Document) -> dict[str, Any]:
    """Return the prices by GPU from the page's script."""
    text = "".join(_payloads(document))
    if FIELD not in text:
        raise UnparsableError(f"{document.path}: the page has no {FIELD.strip(':')}; it is an error page or has changed")
    try:
        market = strict_json.parse_json_at(text, text.index(FIELD) + len(FIELD))
    except RefusedError as refused:
        raise UnparsableError(f"{document.path}: the prices cannot be read: {refused.reason}") from None
    if not isinstance(market, dict):
        raise UnparsableError(f"{document.path}: {FIELD.strip(':')} is not an object")
    return market


def _payloads(document: Document) -> Iterator[str]:
    """Yield the texts that the page's scripts push, in order; a text may continue in the next script."""
    for script in parse_html(document).css("script"):
        text = script.text().strip()
        if not text.startswith(PUSH):
            continue
        try:
            pushed = strict_json.parse_json_at(text, len(PUSH))
        except RefusedError as refused:
            raise UnparsableError(f"{document.path}: a script of the page cannot be read: {refused.reason}") from None
        yield from (part for part in pushed if isinstance(part, str))


def _price(gpu: str, item: Item) -> Price:
    return Price(
        observed_at=_date(item),
        provider="sfcompute",
        offer_id=f"{gpu}, average of the day",
        raw_gpu_name=gpu,
        **GPU_BY_HOUR,
        billing="marketplace",
        price_raw=f"avg {item.value('avg')}",
        amount=item.number("avg"),
        currency="USD",
    )


def _date(item: Item) -> dt.date:
    try:
        return dt.datetime.fromisoformat(item.text("date").removeprefix("$D")).date()
    except ValueError:
        raise item.fail("date", "a time such as $D2026-07-15T23:59:59.000Z") from None
