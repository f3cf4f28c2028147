"""Price tables in Go code that Karpenter generates, and their compiled histories: prices per hour by region and machine type."""

import datetime as dt
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from pipeline.schema.prices import Price
from sources import Document, Download, Get, Line, UnparsableError
from sources.prices import histories
from sources.prices.parsing import INSTANCE_BY_HOUR, counted_rows

_GENERATED = re.compile(rb"// generated at (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")
_REGION = re.compile(r'\s*(?:"(?P<key>[a-z0-9-]+)": \{|initialOnDemandPrices\["(?P<name>[a-z0-9-]+)"\] = map\[string\]float64\{)')
_PRICE = re.compile(r'"(?P<machine>[^"]+)":\s+(?P<price>\d+(?:\.\d+)?)(?=,)')


class TableRow(NamedTuple):
    """One price of a table, as it prints it."""

    region: str
    machine: str
    price: str


def _generated_at(raw: bytes) -> dt.datetime | None:
    """Return the time at which the table was generated, in UTC."""
    match = _GENERATED.search(raw)
    return dt.datetime.fromisoformat(match[1].decode()) if match else None


def download(get: Get, url: str) -> Download:
    """Download a table, dated when it was generated."""
    raw = get(url, expect="text/plain")
    return Download(name=url.rpartition("/")[2], raw=raw, url=url, published_at=_generated_at(raw))


def rows(document: Document, machines: str) -> Iterator[tuple[str, TableRow]]:
    """Yield locator and price of each machine whose name matches the pattern. A table without one is an error."""
    yield from counted_rows(document, _prices(document, re.compile(machines)), "price")


def _prices(document: Document, machines: re.Pattern[str]) -> Iterator[TableRow]:
    if not _generated_at(document.raw):
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


def listed_price(document: Document, row: TableRow, facts: dict[str, Any]) -> Price:
    """Return the price of a row of the table. `facts` names the provider and the context of its machine names."""
    dated = {"observed_at": document.observed_on, "billing": "on_demand", "price_raw": row.price}
    return _machine_price(row.machine, row.region, float(row.price), facts | dated)


def history_price(line: Line, facts: dict[str, Any]) -> Price:
    """Return the price of a row of a compiled history; `facts` as for `listed_price`."""
    dated = histories.terms(line) | histories.interval(line) | {"price_raw": line.text("usd_per_hour")}
    facts = facts | dated | {"gpu_count": histories.count_whole_gpus(line)}
    return _machine_price(line.text("instance_type"), line.text("region"), line.number("usd_per_hour"), facts)


def _machine_price(machine: str, region: str, amount: float, facts: dict[str, Any]) -> Price:
    return Price(
        instance_type=machine,
        raw_gpu_name=machine,
        region=region,
        scope="region",
        **INSTANCE_BY_HOUR,
        os="linux",
        amount=amount,
        currency="USD",
        **facts,
    )
