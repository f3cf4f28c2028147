"""Daily summaries of Prime Intellect's offers in October and November 2025, recorded by the GPU price tracker.

The tracker read the offers about forty times a day. One file has the distribution over all offers of a GPU by day, of
which the median is read; the other has the cheapest offer of each provider behind Prime Intellect. Spot and on-demand
offers are pooled, so the billing is that of a marketplace.
"""

from collections.abc import Iterator
from typing import Any

from pipeline.schema.prices import Price
from sources import Accepted, Document, Line, Rejected, Source, part_locator
from sources.prices.parsing import BY_HOUR

SOURCE = Source(
    source_id="gpu-price-tracker",
    title="Prime Intellect offers by day (GPU price tracker)",
    attribution="tugot17/gpu-price-tracker, MIT",
    url="https://github.com/tugot17/gpu-price-tracker",
    licence="MIT",
    republish=True,
)
VERSION = "718a831c495f"
DAILY, BY_PROVIDER = "primeintellect_daily_2025.csv", "primeintellect_daily_provider_2025.csv"
COLUMNS = (
    "date", "gpu_label", "socket", "snapshots", "min", "median_of_p10", "median_of_p25", "median_of_median", "median_of_p75",
    "median_of_p90", "max", "offers_listed_median", "offers_available_median", "source_path",
)  # fmt: skip
PROVIDER_COLUMNS = (
    "date", "gpu_label", "socket", "provider", "snapshots", "min", "median_of_min", "median_of_avg", "offers_median",
    "source_path",
)  # fmt: skip


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per GPU and day, or per GPU, provider and day."""
    columns, price = document.parser_of({DAILY: (COLUMNS, _median), BY_PROVIDER: (PROVIDER_COLUMNS, _cheapest)})
    for line in document.csv(columns):
        yield Accepted(part_locator(line.locator, f"{VERSION} {line.text('source_path')}"), price(line))


def _median(line: Line) -> Price:
    listed = line.integer("offers_listed_median") or None
    return _price(line, "median_of_median", qualifier="median", sample_size=listed)


def _cheapest(line: Line) -> Price:
    return _price(line, "median_of_min", qualifier="from", offer_id=line.text("provider"))


def _price(line: Line, column: str, **facts: Any) -> Price:
    return Price(
        observed_at=line.day("date"),
        provider="primeintellect",
        raw_gpu_name=line.text("gpu_label").replace("_", " "),
        gpu_context=line.text_or_none("socket"),
        gpu_count=1,
        **BY_HOUR,
        billing="marketplace",
        price_raw=line.text(column),
        amount=line.number(column),
        currency="USD",
        price_basis="per_gpu",
        **facts,
    )
