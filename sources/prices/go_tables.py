"""Price tables in Go code that Karpenter generates: machine types and prices per hour by region."""

import datetime as dt
import re
from collections.abc import Iterator
from typing import NamedTuple

from sources import Document, UnparsableError
from sources.prices.parsing import counted_rows

_GENERATED = re.compile(rb"// generated at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")
_REGION = re.compile(r'\s*(?:"(?P<key>[a-z0-9-]+)": \{|initialOnDemandPrices\["(?P<name>[a-z0-9-]+)"\] = map\[string\]float64\{)')
_PRICE = re.compile(r'"(?P<machine>[^"]+)":\s+(?P<price>\d+(?:\.\d+)?)(?=,)')


class TableRow(NamedTuple):
    """One price of a table, as it prints it."""

    region: str
    machine: str
    price: str


def generated_at(raw: bytes) -> dt.datetime | None:
    """Return the time at which the table was generated, in UTC."""
    match = _GENERATED.search(raw)
    return dt.datetime.fromisoformat(match[1].decode()) if match else None


def rows(document: Document, machines: str) -> Iterator[tuple[str, TableRow]]:
    """Yield locator and price of each machine whose name matches the pattern. A table without one is an error."""
    yield from counted_rows(document, _prices(document, re.compile(machines)), "price")


def _prices(document: Document, machines: re.Pattern[str]) -> Iterator[TableRow]:
    if not generated_at(document.raw):
        raise UnparsableError(f"{document.path}: no line 'generated at'; the layout has changed or this is an error page")
    region = None
    for line in document.text().splitlines():
        if match := _REGION.match(line):
            region = match["key"] or match["name"]
        for found in _PRICE.finditer(line):
            if region is None:
                raise UnparsableError(f"{document.path}: a price before the first region; the layout has changed")
            if machines.fullmatch(found["machine"]):
                yield TableRow(region, found["machine"], found["price"])
