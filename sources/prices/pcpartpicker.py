"""New graphics cards in shops listed by PCPartPicker, from a public data set.

Others collected the data set, and the site's terms for that are unknown. Nothing is fetched: the history has the lowest and
the median price of the boards with each GPU on eleven days of 2023 to 2025. The lowest counts, which is what a buyer pays: the
median is over boards that few buy, up to twice as dear. The data set itself has one row per board; one without a price is not
on sale.
"""

import re
from collections.abc import Iterator
from typing import Any

from pipeline.schema.prices import Price
from sources import Accepted, Document, Line, Rejected, Source, part_locator

SOURCE = Source(
    source_id="pcpartpicker",
    title="New graphics cards in shops (PCPartPicker)",
    attribution="PCPartPicker, by way of the data set docyx/pc-part-dataset",
    url="https://github.com/docyx/pc-part-dataset",
    parser_version=6,
)

_MARKS = re.compile("[\u200e\u200f]")
COLUMNS = ("name", "price", "chipset", "memory", "core_clock", "boost_clock", "color", "length")
HISTORY = "purchase_prices_2023_2025.csv"
HISTORY_COLUMNS = (
    "card_label", "memory_gb", "date", "currency", "condition", "seller_site", "boards_with_price", "min_price", "median_price",
    "max_price", "source", "source_path", "licence",
)  # fmt: skip


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per GPU and day of the history, or one price per GPU on sale."""
    if document.name == HISTORY:
        for line in document.csv(HISTORY_COLUMNS):
            yield Accepted(part_locator(line.locator, line.text("source")), _of_day(line))
    else:
        yield from _gpus(document)


def _of_day(line: Line) -> Price:
    return Price(
        **_gpu_facts(line.text("card_label")),
        observed_at=line.day("date"),
        offer_id=line.text("card_label"),  # several labels are one GPU, each with a price of its own
        reported_memory_gb=line.number_or_none("memory_gb"),
        price_raw=line.text("min_price"),
        amount=line.number("min_price"),
    )


def _gpus(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per GPU on sale. Direction marks in the names, a leftover of web pages, are dropped."""
    plain = _MARKS.sub("", document.raw.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    clean = Document(document.path, plain, document.observed_on)
    for line in clean.csv(COLUMNS, filled=True):
        yield _gpu(document, line)
    document.rows_read += clean.rows_read


def _gpu(document: Document, line: Line) -> Accepted | Rejected:
    if (amount := line.number_or_none("price")) is None:
        return line.reject("EMPTY", "no price: not on sale")
    row = Price(
        **_gpu_facts(line.text("chipset")),
        observed_at=document.observed_on,
        offer_id=line.text("name"),
        gpu_context=line.text("name"),
        reported_memory_gb=line.number_or_none("memory"),
        price_raw=line.text("price"),
        amount=amount,
    )
    return Accepted(line.locator, row)


def _gpu_facts(chipset: str) -> dict[str, Any]:
    price = {"currency": "USD", "price_unit": "unit", "price_basis": "per_gpu", "includes_host": False}
    return {"provider": "pcpartpicker", "raw_gpu_name": chipset, "gpu_count": 1, "kind": "purchase_new"} | price
