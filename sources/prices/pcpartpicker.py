"""New graphics cards in shops listed by PCPartPicker, from a public data set.

Others collected the data set, and the site's terms for that are unknown. Nothing is fetched: a small file of figures is
stored. A card without a price is not on sale.
"""

import re
from collections.abc import Iterator

from pipeline.schema.prices import Price
from sources import Accepted, Document, Rejected, Source, UnparsableError
from sources.document import Line

SOURCE = Source(
    source_id="pcpartpicker",
    title="New graphics cards in shops (PCPartPicker)",
    kind="prices",
    yields=(Price,),
    attribution="PCPartPicker, by way of the data set docyx/pc-part-dataset",
    url="https://github.com/docyx/pc-part-dataset",
    automated_access="not_applicable",
    stale_after_days=None,
)

_MARKS = re.compile("[\u200e\u200f]")
COLUMNS = ("name", "price", "chipset", "memory", "core_clock", "boost_clock", "color", "length")


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per card on sale. Direction marks in the names, a leftover of web pages, are dropped."""
    plain = _MARKS.sub("", document.raw.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    clean = Document(document.path, plain, document.observed_on)
    for line in clean.csv(COLUMNS):
        yield _card(document, line)
    document.rows_read += clean.rows_read
    if not document.rows_read:
        raise UnparsableError(f"{document.path}: not one card; the table is empty")


def _card(document: Document, line: Line) -> Accepted | Rejected:
    record = ",".join(line.fields.values())
    if (amount := line.number_or_none("price")) is None:
        return Rejected(line.locator, record, "EMPTY", "no price: not on sale")
    if amount == 0:
        return Rejected(line.locator, record, "ZERO_PRICE", "price is 0")
    row = Price(
        observed_at=document.observed_on,
        provider="pcpartpicker",
        offer_id=line.text("name"),
        raw_gpu_name=line.text("chipset"),
        gpu_context=line.text("name"),
        reported_memory_gb=line.number_or_none("memory"),
        gpu_count=1,
        kind="purchase_new",
        price_raw=line.text("price"),
        amount=amount,
        currency="USD",
        price_unit="unit",
        price_basis="per_gpu",
        includes_host=False,
    )
    return Accepted(line.locator, row)
