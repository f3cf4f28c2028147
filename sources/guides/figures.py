"""Helpers of the guides' parsers: printed figures, subscriptions, and files of the same form in every guide's folder.

The contents of one guide belong in its module.
"""

import re
from collections.abc import Iterator
from functools import partial

from pipeline.schema import Record
from pipeline.schema.claims import ClaimFormula, ClaimOperand
from pipeline.schema.guides import GuideRule, GuideStatement, PublishedFigure
from pipeline.schema.prices import Price
from sources import Accepted, Document, Line, Parse, rows_of

ABOUT = 0.1
_IN_TENS = 1000
COLUMNS = ("subject", "raw_gpu_name", "quantity", "value_text", "unit", "approximate", "role", "note")
_PRINTED = re.compile(r"\$?(?P<number>-?\d+(\.(?P<decimals>\d+))?)[%x]?")


def figure(line: Line, field: str, **facts: str | bool | None) -> Accepted:
    """Return the figure printed in `field`; `facts` are source_id, subject, raw_gpu_name, quantity, unit, role and more.

    Its id is source/subject/quantity. `prefix`, such as a currency sign, is added before the printed text.
    """
    source_id, subject, quantity = (str(facts[key]) for key in ("source_id", "subject", "quantity"))
    text = f"{facts.get('prefix', '')}{line.text(field)}"
    value, decimals = parse_figure(line, field, text)
    approximate = bool(facts.get("approximate"))
    row = PublishedFigure(
        figure_id=f"{source_id}/{subject}/{quantity}",
        subject=subject,
        raw_gpu_name=_optional(facts["raw_gpu_name"]),
        quantity=quantity,
        value=value,
        value_text=text,
        unit=str(facts["unit"]),
        decimals=decimals,
        approximate=approximate,
        tolerance=ABOUT if approximate else 0.0,
        role=str(facts["role"]),
        note=_optional(facts.get("note")),
    )
    return Accepted(f"{line.locator}, {field}", row)


def parse_figure(line: Line, field: str, text: str) -> tuple[float, int]:
    """Parse a figure such as `$0.10`, `60%`, `2x` or `8000`: value and number of decimals.

    A whole number from 1,000 on that ends in zero is printed in tens: -1 decimals.
    """
    match = _PRINTED.fullmatch(text)
    if not match:
        raise line.fail(field, "a figure such as 0.10, $0.10, 60% or 2x")
    value, decimals = float(match["number"]), len(match["decimals"] or "")
    return value, -1 if value >= _IN_TENS and not decimals and value % 10 == 0 else decimals


def figures(document: Document, source_id: str) -> Iterator[Accepted]:
    """Yield the figures that a guide states in its text, one per row."""
    for line in document.csv(COLUMNS):
        facts = {name: line.text_or_none(name) for name in ("raw_gpu_name", "note")}
        facts |= {name: line.text(name) for name in ("subject", "quantity", "unit", "role")}
        yield figure(line, "value_text", source_id=source_id, approximate=line.yes_no("approximate"), **facts)


SHARED_RECORDS: tuple[type[Record], ...] = (PublishedFigure, GuideRule, GuideStatement, ClaimFormula, ClaimOperand)


def shared_parsers(source_id: str) -> dict[str, Parse]:
    """Return the parsers of the files that every guide has, by name: its figures, rules, statements and their arithmetic."""
    return {
        "figures.csv": partial(figures, source_id=source_id),
        "rules.csv": rows_of(GuideRule),
        "statements.csv": rows_of(GuideStatement),
        "claim_parts.csv": rows_of(ClaimFormula),
        "claim_inputs.csv": rows_of(ClaimOperand),
    }


def subscription(line: Line, document: Document, provider: str, price_raw: str) -> Accepted:
    """Return the price of a tier of a platform by the month."""
    price = Price(
        observed_at=document.observed_on,
        provider=provider,
        offer_id=line.text("tier"),
        raw_gpu_name=None,
        kind="subscription",
        price_raw=price_raw,
        amount=line.number("usd_per_month"),
        currency="USD",
        price_unit="month",
        price_basis="per_instance",
    )
    return Accepted(f"{line.locator}, usd_per_month", price)


def _optional(text: str | bool | None) -> str | None:
    return str(text) if text else None
