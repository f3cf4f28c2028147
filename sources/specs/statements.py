"""Readers of `spec_values.csv`, in which every source of specifications states its values, and of `launch_prices.csv` beside it.

A line of launch prices is both a price and a value of the GPU's specification. Name, maker, launch date and price are in the
source's own words; `note` marks a date from elsewhere, and begins with `Estimate` where the maker published no price.
"""

from collections.abc import Iterator

from pipeline.schema.prices import Price
from pipeline.schema.spec_statements import SpecValue
from sources import Accepted, Document
from sources.document import Line, Parse, rows_of

FILE = "launch_prices.csv"
COLUMNS = ("gpu_id", "raw_gpu_name", "memory_gb", "provider", "launched", "price_raw", "usd", "citation", "note")


def statements_of(publisher_id: str) -> Parse:
    """Return the parser of a source that is its own publisher and states numbers only."""
    return rows_of(SpecValue, publisher_id=publisher_id, value_text=None, address=None)


def with_launch_prices(publisher_id: str) -> Parse:
    """Return the parser of a source with prices and values in `launch_prices.csv`, and values in any other file."""
    statements = statements_of(publisher_id)
    return lambda document: _launches(document, publisher_id) if document.name == FILE else statements(document)


def _launches(document: Document, publisher_id: str) -> Iterator[Accepted]:
    for line in document.csv(COLUMNS):
        yield Accepted(line.locator, _value(line, publisher_id))
        yield Accepted(f"{line.locator}, launch price", _price(line))


def _value(line: Line, publisher_id: str) -> SpecValue:
    return line.record(
        SpecValue,
        publisher_id=publisher_id,
        attribute="launch_msrp_usd",
        value=line.number("usd"),
        value_text=None,
        unit="USD",
        factor=1.0,
        address=None,
    )


def _price(line: Line) -> Price:
    return line.record(
        Price,
        observed_at=line.day("launched"),
        reported_memory_gb=line.number_or_none("memory_gb"),
        gpu_count=1,
        kind="msrp",
        amount=line.number("usd"),
        currency="USD",
        price_unit="unit",
        price_basis="per_gpu",
        qualifier="estimate" if (line.text_or_none("note") or "").startswith("Estimate") else "exact",
    )
