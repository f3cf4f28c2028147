"""Used graphics cards sold on eBay, 2021 to 2023: a typical price per model and the number sold, by month.

The months are those of the reports, whose figures cover the month before. A price is dated with the first day of the
report's month, when it was published.
"""

import datetime as dt
from collections.abc import Iterator

from pipeline.schema.prices import Price
from sources import Accepted, Document, Line, Rejected, Source
from sources.prices.parsing import NO_OFFER, parse_count, parse_money

SOURCE = Source(
    source_id="ebay-used",
    title="Used graphics cards on eBay, 2021 to 2023",
    attribution="Tom's Hardware, monthly reports on eBay prices of graphics cards",
    url="https://github.com/buttke/ebay-2021-2023-gpu-prices",
)

GPU, PRICE, SOLD, MONTH = "GPU", "eBay Price", "QTY Sold", "Month"


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per model and month."""
    yield from map(_month, document.csv((GPU, PRICE, SOLD, MONTH), filled=True))


def _month(line: Line) -> Accepted | Rejected:
    price, sold = parse_money(line.fields[PRICE].strip()), parse_count(line.fields[SOLD].strip())
    if sold == 0 or line.fields[PRICE].strip() in NO_OFFER:
        return line.reject("EMPTY", "no GPU was sold in this month")
    if not price:
        return line.reject("PARSE", f"{line.fields[PRICE]!r} is not a price")
    if sold is None:
        return line.reject("PARSE", f"{line.fields[SOLD]!r} is not a number of GPUs sold")
    row = Price(
        observed_at=_day(line),
        provider="ebay",
        offer_id=line.text(GPU),
        raw_gpu_name=line.text(GPU),
        gpu_count=1,
        kind="purchase_used",
        price_raw=line.text(PRICE),
        amount=price.amount,
        currency=price.currency,
        price_unit="unit",
        price_basis="per_gpu",
        qualifier="median",
        sample_size=sold,
        includes_host=False,
    )
    return Accepted(line.locator, row)


def _day(line: Line) -> dt.date:
    try:
        return dt.datetime.strptime(line.text(MONTH), "%B %Y").replace(tzinfo=dt.UTC).date()
    except ValueError:
        raise line.fail(MONTH, "a month such as April 2022") from None
