"""The pictures of the page of value for money: what a dollar of rent buys, and what the price of a machine buys."""

from pipeline.website.charts import performance
from pipeline.website.components.database import Row
from pipeline.website.components.figures import Figure
from pipeline.website.components.labels import short_gpu, words
from pipeline.website.components.market import plural
from pipeline.website.components.numbers import day, ratio
from pipeline.website.components.queries import Query
from pipeline.website.i18n.language import N_, gettext

RENTED = 15
BOUGHT = 10
REFERENCE = "nvidia-geforce-rtx-3080-10gb"
KINDS = {"purchase_new": N_("new"), "purchase_used": N_("used"), "msrp": N_("launch price")}


def kind(name: str | None) -> str:
    """What a purchase price is of, in words."""
    return gettext(KINDS[name]) if name in KINDS else words(name or "")


def named(row: Row) -> str:
    """The card's name as it fits beside a mark."""
    return short_gpu(row["name"], row["gpu_id"]).removeprefix("GeForce ").removeprefix("AMD ")


def between(low: float | None, high: float | None) -> str:
    """An interval as it stands in a sentence."""
    return gettext("no interval") if low is None or high is None else gettext("{low} to {high}", low=ratio(low), high=ratio(high))


def of_renting(asked: Query, dated: str) -> Figure | None:
    """Speed for a dollar of rent; None where nothing is priced. The rows are best first."""
    if not asked.rows:
        return None
    rows = [_drawn(row, "value_rental") | _priced(row) for row in asked.rows[:RENTED]]
    return Figure(
        name="value-of-renting",
        heading=gettext("Training speed for a dollar of rent"),
        direction=gettext("further right is better"),
        finding=_renting_finding(rows, len(asked.rows)),
        dated=dated,
        source=gettext("performance_index over the median rent of current on-demand offers; table value_index"),
        chart=performance.value_of_renting(rows),
        rows=rows,
        columns=[
            ("card", "Card"),
            ("value", gettext("Speed for 1 USD an hour, RTX 2080 Ti = 1")),
            ("ci_low", gettext("90% interval from")),
            ("ci_high", "to"),
            ("basis", "Speed"),
            ("rental_usd_per_hour", gettext("USD an hour")),
            ("n_offers", "Offers"),
            ("last_day", gettext("Price seen")),
        ],
        note=gettext(
            "One card, 16-bit, all kinds of network; the speed of an RTX 2080 Ti is 1. Circles are measured speeds, "
            "diamonds predicted; lines are 90% intervals of the speed, and open marks have none. No interval holds what "
            "prices may do."
        ),
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
    interval = between(best["ci_low"], best["ci_high"])
    told = {"card": best["card"], "value": ratio(best["value"]), "interval": interval, "basis": gettext(best["basis"])}
    text = gettext("The {card} gives most, {value} ({interval}), its speed {basis}", **told)
    if len(rows) > 1:
        text += gettext(
            "; place {place} is the {card} with {value}", place=len(rows), card=last["card"], value=ratio(last["value"])
        )
    if cards == 1:
        return text + gettext(". 1 card can be rented now and has an index.")
    return text + gettext(". {count} cards can be rented now and have an index.", count=cards)


def of_buying(asked: Query, dated: str) -> Figure | None:
    """Speed for the price of a machine of 1, 2, 4 and 8 cards; None where the reference has no price. Rows are best first."""
    sizes = sorted({row["gpu_count"] for row in asked.rows if row["value_purchase_relative"] is not None})
    rows = [shown for size in sizes for shown in _best(asked.rows, size)]
    if not rows:
        return None
    return Figure(
        name="value-of-buying",
        heading=gettext("Training speed for the price of a machine"),
        direction=gettext("further right is better"),
        finding=_buying_finding(rows),
        dated=gettext("{dated}; of each price, the day in the table", dated=dated),
        source=gettext("performance_index, scaling_efficiency, system_build; table value_index"),
        chart=performance.value_of_buying(rows),
        rows=rows,
        columns=[
            ("size", gettext("Machine of")),
            ("card", "Card"),
            ("value", gettext("Value, RTX 3080 = 1")),
            ("ci_low", gettext("90% interval from")),
            ("ci_high", "to"),
            ("basis", "Speed"),
            ("system_usd", gettext("Machine with cards, USD")),
            ("price_kind", gettext("Price of the cards")),
            ("card_price_date", "of"),
        ],
        note=gettext(
            "The {count} best for each size of machine, against a machine of as many RTX 3080 (10 GB), as in the 2020 "
            "guide. {reference} Circles are measured speeds, diamonds predicted; lines are 90% intervals of the speed, and "
            "open marks have none. Neither prices nor what several cards lose is in them.",
            count=BOUGHT,
            reference=_reference(asked.rows),
        ),
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
    return gettext("First for a machine of {told}.", told="; ".join(told))


def _judged(row: Row) -> str:
    return f"{between(row['ci_low'], row['ci_high'])}, {row['basis']}"


def _reference(rows: list[Row]) -> str:
    found = next((row for row in rows if row["gpu_id"] == REFERENCE), None)
    if found is None:
        return ""
    return gettext("The RTX 3080 itself counts at its {found}.", found=_price(found))


def _price(row: Row) -> str:
    name = kind(row["card_price_kind"])
    words_of = name if row["card_price_kind"] == "msrp" else gettext("{kind} price", kind=name)
    return (
        gettext("{words_of} of {card_price_date}", words_of=words_of, card_price_date=day(row["card_price_date"]))
        if row["card_price_date"]
        else words_of
    )
