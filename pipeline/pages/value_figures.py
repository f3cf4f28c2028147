"""The pictures of the page of value for money: what a dollar of rent buys, and what the price of a machine buys."""

from pipeline import charts_performance
from pipeline.pages.database import Row
from pipeline.pages.figures import Figure
from pipeline.pages.labels import short_gpu, words
from pipeline.pages.market import plural
from pipeline.pages.numbers import day, ratio
from pipeline.pages.queries import Asked

RENTED = 15
BOUGHT = 10
REFERENCE = "nvidia-geforce-rtx-3080-10gb"
KINDS = {"purchase_new": "new", "purchase_used": "used", "msrp": "launch price"}


def kind(name: str | None) -> str:
    """What a purchase price is of, in words."""
    return KINDS.get(name or "", words(name or ""))


def named(row: Row) -> str:
    """The card's name as it fits beside a mark."""
    return short_gpu(row["name"], row["gpu_id"]).removeprefix("GeForce ").removeprefix("AMD ")


def between(low: float | None, high: float | None) -> str:
    """An interval as it stands in a sentence."""
    return "no interval" if low is None or high is None else f"{ratio(low)} to {ratio(high)}"


def of_renting(asked: Asked, dated: str) -> Figure | None:
    """Speed for a dollar of rent; None where nothing is priced. The rows are best first."""
    if not asked.rows:
        return None
    rows = [_drawn(row, "value_rental") | _priced(row) for row in asked.rows[:RENTED]]
    return Figure(
        name="value-of-renting",
        heading="Training speed for a dollar of rent",
        direction="further right is better",
        finding=_renting_finding(rows, len(asked.rows)),
        dated=dated,
        source="performance_index over the median of current on-demand offers; table value_index",
        chart=charts_performance.value_of_renting(rows),
        rows=rows,
        columns=[
            ("card", "Card"),
            ("value", "Speed for 1 USD an hour, RTX 2080 Ti = 1"),
            ("ci_low", "90% interval from"),
            ("ci_high", "to"),
            ("basis", "Speed"),
            ("rental_usd_per_hour", "USD an hour"),
            ("n_offers", "Offers"),
            ("last_day", "Price seen"),
        ],
        note="One card, 16-bit, all kinds of network; the speed of an RTX 2080 Ti is 1. Circles are measured speeds, diamonds "
        "predicted; lines are 90% intervals of the speed, and open marks have none. No interval holds what prices may do.",
        sql=asked.sql,
    )


def _drawn(row: Row, value: str) -> Row:
    interval = {"value": row[value], "ci_low": row[f"{value}_low"], "ci_high": row[f"{value}_high"]}
    return {"card": named(row), "basis": row["basis"]} | interval


def _priced(row: Row) -> Row:
    seen = row["last_day"]
    told = {key: row[key] for key in ("rental_usd_per_hour", "n_offers")}
    return told | {"last_day": None if seen is None else seen.isoformat()}


def _renting_finding(rows: list[Row], cards: int) -> str:
    best, last = rows[0], rows[-1]
    sure = f"{between(best['ci_low'], best['ci_high'])}), its speed {best['basis']}"
    text = f"The {best['card']} gives most, {ratio(best['value'])} ({sure}"
    rest = f"; place {len(rows)} is the {last['card']} with {ratio(last['value'])}" if len(rows) > 1 else ""
    return f"{text}{rest}. {plural(cards, 'card')} can be rented now and {'has' if cards == 1 else 'have'} an index."


def of_buying(asked: Asked, dated: str) -> Figure | None:
    """Speed for the price of a machine of 1, 2, 4 and 8 cards; None where the reference has no price. Rows are best first."""
    sizes = sorted({row["gpu_count"] for row in asked.rows if row["value_purchase_relative"] is not None})
    rows = [shown for size in sizes for shown in _best(asked.rows, size)]
    if not rows:
        return None
    return Figure(
        name="value-of-buying",
        heading="Training speed for the price of a machine",
        direction="further right is better",
        finding=_buying_finding(rows),
        dated=f"{dated}; of each price, the day in the table",
        source="performance_index, scaling_efficiency, system_build; table value_index",
        chart=charts_performance.value_of_buying(rows),
        rows=rows,
        columns=[
            ("size", "Machine of"),
            ("card", "Card"),
            ("value", "Value, RTX 3080 = 1"),
            ("ci_low", "90% interval from"),
            ("ci_high", "to"),
            ("basis", "Speed"),
            ("system_usd", "Machine with cards, USD"),
            ("price_kind", "Price of the cards"),
            ("card_price_date", "of"),
        ],
        note=f"The {BOUGHT} best for each size of machine, against a machine of as many RTX 3080 (10 GB), as in the 2020 guide. "
        f"{_reference(asked.rows)} Circles are measured speeds, diamonds predicted; lines are 90% intervals of the speed, and "
        "open marks have none. Neither prices nor what several cards lose is in them.",
        sql=asked.sql,
    )


def _best(rows: list[Row], size: int) -> list[Row]:
    here = [row for row in rows if row["gpu_count"] == size and row["value_purchase_relative"] is not None]
    return [_bought(row) for row in here[:BOUGHT]]


def _bought(row: Row) -> Row:
    told = {"size": plural(row["gpu_count"], "card"), "system_usd": row["system_usd"], "price_kind": kind(row["card_price_kind"])}
    seen = row["card_price_date"]
    return _drawn(row, "value_purchase_relative") | told | {"card_price_date": None if seen is None else seen.isoformat()}


def _buying_finding(rows: list[Row]) -> str:
    first = {row["size"]: row for row in reversed(rows)}
    told = [f"{size}: {row['card']} {ratio(row['value'])} ({_judged(row)})" for size, row in reversed(first.items())]
    return f"First for a machine of {'; '.join(told)}."


def _judged(row: Row) -> str:
    return f"{between(row['ci_low'], row['ci_high'])}, {row['basis']}"


def _reference(rows: list[Row]) -> str:
    found = next((row for row in rows if row["gpu_id"] == REFERENCE), None)
    if found is None:
        return ""
    return f"The RTX 3080 itself counts at its {_price(found)}."


def _price(row: Row) -> str:
    name = kind(row["card_price_kind"])
    words_of = name if name.endswith("price") else f"{name} price"
    return f"{words_of} of {day(row['card_price_date'])}" if row["card_price_date"] else words_of
