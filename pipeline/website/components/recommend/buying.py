"""Buying the GPU that is recommended to rent: its last known prices, and the hours of work after which buying costs less.

`site/docs/assets/buying.js` writes the same texts in the browser, and with the price that the reader enters.
"""

from dataclasses import dataclass

from pipeline.website.components.database import Database, Row
from pipeline.website.components.numbers import day, number, usd
from pipeline.website.components.purchases import kind
from pipeline.website.i18n.language import gettext

# last known price of each kind, new before used before launch
PURCHASES = """
    SELECT m.gpu_id, m.kind, m.usd_per_gpu AS usd, m.observed_at AS price_date, p.qualifier = 'estimate' AS estimated,
        m.stale OR m.kind = 'msrp' AS is_old
    FROM purchase_metric AS m
    JOIN price AS p USING (observation_id)
    WHERE m.last_known
    ORDER BY m.gpu_id, list_position(['purchase_new', 'purchase_used', 'msrp'], m.kind)
"""
_KWH = "SELECT value FROM assumption WHERE assumption_id = 'usd_per_kwh'"
_POWER = "SELECT gpu_id, tdp_w FROM gpu"


@dataclass(frozen=True, slots=True)
class Buying:
    """One tile: the first known price with its kind and date, the other prices, and when buying pays off."""

    usd: str
    told: str
    others: str
    payoff: str


def buying(data: Database, gpu_id: str, gpus: int, rent_usd_per_hour: float) -> Buying:
    """Return the prices of a GPU to own beside what so many of them cost to rent."""
    prices = [row for row in data.rows(PURCHASES) if row["gpu_id"] == gpu_id]
    if not prices:
        return Buying(gettext("No price known"), "", "", gettext("Enter the price that you would pay."))
    first, *others = prices
    return Buying(
        str(usd(first["usd"])),
        _price_words(first),
        gettext("Also: {prices}.", prices=", ".join(_price(row) for row in others)) if others else "",
        payoff_text(first["usd"], gpus, rent_usd_per_hour, _power(data, gpu_id), data.rows(_KWH)[0]["value"]),
    )


def _price_words(row: Row) -> str:
    text = gettext("{kind}, {date}", kind=kind(row["kind"]), date=day(row["price_date"]))
    return text + (" " + gettext("(older than 12 months, so not ranked)") if row["is_old"] else "")


def _price(row: Row) -> str:
    told = {"kind": kind(row["kind"]), "usd": usd(row["usd"]), "date": day(row["price_date"])}
    return gettext("{kind} {usd} ({date}, an estimate)", **told) if row["estimated"] else gettext("{kind} {usd} ({date})", **told)


def _power(data: Database, gpu_id: str) -> float | None:
    return next((row["tdp_w"] for row in data.rows(_POWER) if row["gpu_id"] == gpu_id), None)


def payoff_text(price: float, gpus: int, rent_usd_per_hour: float, tdp_w: float | None, usd_per_kwh: float) -> str:
    """Return after how many hours of work the GPUs have cost less than renting them, with electricity and without a computer."""
    saved = rent_usd_per_hour - gpus * (tdp_w or 0) / 1000 * usd_per_kwh
    if saved <= 0:
        return gettext("Renting costs less than the electricity.")
    return gettext(
        "Cheaper than renting after {hours} hours of work, if you have the computer. Electricity: {kwh} per kWh.",
        hours=number(round(gpus * price / saved, -1)),
        kwh=usd(usd_per_kwh),
    )
