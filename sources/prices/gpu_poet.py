"""Graphics cards on eBay and Amazon in 2026: what the monthly market reports of GPU Poet call the best deal.

A best deal is the average of the three cheapest listings of a month: on eBay, from April on also on Amazon. The reports call it
resale, beside what the same card costs new on Amazon, so it counts as used, whatever condition a seller states. Figures that a
later report corrects are those of the correction. Left out are averages over all listings, rounded figures such as "around $19K"
and figures on which reports contradict each other. So are qualification samples of the H200 NVL, and the P100 and V100, whose
cheapest listings may be modules that fit no PCIe slot.

The publisher warns of three things. Amazon does not state the condition of a listing. Few new cards were listed in September
2026: of the RTX 5060 Ti with 16 GB there were three. Shops with stock at list price are cheaper; no figure has their prices.
"""

import calendar
import datetime as dt
from collections.abc import Iterator

from pipeline.schema.prices import Price
from sources import Accepted, Document, Line, Rejected, Source, part_locator

SOURCE = Source(
    source_id="gpu-poet",
    title="Graphics cards on eBay and Amazon, 2026 (GPU Poet)",
    attribution="GPU Poet, monthly market reports by Scott Willeke",
    url="https://gpupoet.com/gpu/market-report",
    limit_days=None,
)

COLUMNS = ("month", "report", "condition", "gpu", "memory_gb", "price", "usd")
KINDS = {"resale": "purchase_used", "new on Amazon": "purchase_new"}


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per GPU, condition and month."""
    for line in document.csv(COLUMNS, filled=True):
        yield Accepted(part_locator(line.locator, line.text("report")), _price(line))


def _price(line: Line) -> Price:
    if (kind := KINDS.get(line.text("condition"))) is None:
        raise line.fail("condition", " or ".join(KINDS))
    return Price(
        observed_at=_last_day(line),
        provider="gpu-poet",
        offer_id=f"{line.text('gpu')} {line.text('memory_gb')} GB",
        raw_gpu_name=line.text("gpu"),
        reported_memory_gb=line.number("memory_gb"),
        gpu_count=1,
        kind=kind,
        price_raw=line.text("price"),
        amount=line.number("usd"),
        currency="USD",
        price_unit="unit",
        price_basis="per_gpu",
        includes_host=False,
    )


def _last_day(line: Line) -> dt.date:
    """Return the last day of the month: the listings were seen on several."""
    try:
        first = dt.date.fromisoformat(f"{line.text('month')}-01")
    except ValueError:
        raise line.fail("month", "a month such as 2026-09") from None
    return first.replace(day=calendar.monthrange(first.year, first.month)[1])
