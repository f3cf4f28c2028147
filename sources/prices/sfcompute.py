"""SF Compute's market: average, highest and lowest price per GPU-hour by day, in the data that its page carries.

The average of a day is the price; the extremes of a day are single orders and no price that others get. Zero means
that there was no market.
"""

import datetime as dt
import json
from collections.abc import Iterator
from typing import Any

from pipeline.schema.prices import Price
from sources import Accepted, Document, Rejected, Source, UnparsableError
from sources.prices.reading import Item, page, rows

SOURCE = Source(
    source_id="sfcompute",
    title="SF Compute market prices",
    kind="prices",
    yields=(Price,),
    attribution="SF Compute, market prices on its home page",
    url="https://sfcompute.com",
    automated_access="allowed",
)

FIELD = '"pricesByHardwareType":'
PUSH = "self.__next_f.push("


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """One price for each kind of card and day."""
    for locator, (card, day) in rows(document, _days(document), "day"):
        yield _price(document, card, Item(document, locator, day))


def _days(document: Document) -> Iterator[tuple[str, dict[str, Any]]]:
    for card, days in _market(document).items():
        if not isinstance(days, list) or not all(isinstance(day, dict) for day in days):
            raise UnparsableError(f"{document.path}: the prices of {card} are no list of days; the form has changed")
        for day in days:
            yield card, day


def _market(document: Document) -> dict[str, Any]:
    """The object of prices by card, from the page's script that holds it."""
    text = "".join(_payloads(document))
    if FIELD not in text:
        raise UnparsableError(f"{document.path}: the page carries no {FIELD.strip(':')}; it is an error page or has changed")
    try:
        found, _ = json.JSONDecoder().raw_decode(text, text.index(FIELD) + len(FIELD))
    except ValueError as error:
        raise UnparsableError(f"{document.path}: the prices are cut off ({error})") from None
    if not isinstance(found, dict):
        raise UnparsableError(f"{document.path}: {FIELD.strip(':')} is no object")
    return found


def _payloads(document: Document) -> Iterator[str]:
    """Texts that the page's scripts push, in order; a text may go on in the next script."""
    for script in page(document).css("script"):
        text = script.text().strip()
        if not text.startswith(PUSH):
            continue
        try:
            pushed, _ = json.JSONDecoder().raw_decode(text, len(PUSH))
        except ValueError as error:
            raise UnparsableError(f"{document.path}: a script of the page is cut off ({error})") from None
        yield from (part for part in pushed if isinstance(part, str))


def _price(document: Document, card: str, item: Item) -> Accepted | Rejected:
    if item.number("avg") == 0:
        return item.reject("ZERO_PRICE", f"no market for {card} on this day")
    row = Price(
        observed_at=_date(item),
        provider="sfcompute",
        offer_id=f"{card}, average of the day",
        raw_gpu_name=card,
        kind="cloud_rental",
        billing="marketplace",
        price_raw=f"avg {item.fields['avg']}",
        amount=item.number("avg"),
        currency="USD",
        price_unit="hour",
        price_basis="per_gpu",
        includes_host=True,
    )
    return Accepted(item.locator, row)


def _date(item: Item) -> dt.date:
    try:
        return dt.datetime.fromisoformat(item.text("date").removeprefix("$D")).date()
    except ValueError:
        raise item.fail("date", "a time such as $D2026-07-15T23:59:59.000Z") from None
