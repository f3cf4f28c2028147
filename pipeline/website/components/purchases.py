"""Prices to own on pages: the last known price of each kind, and the sentence that says whether any is current."""

from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.labels import words
from pipeline.website.writing.numbers import day, usd

_CURRENT = "SELECT gpu_id FROM gpu_price WHERE purchase_current"
_NEWEST = "SELECT purchase_date FROM gpu_price WHERE purchase_kind <> 'msrp' ORDER BY purchase_date DESC LIMIT 1"


_KINDS = {"purchase_new": N_("new"), "purchase_used": N_("used"), "msrp": N_("launch price")}


def kind(name: str | None) -> str:
    """Return the kind of a purchase price in words."""
    return gettext(_KINDS[name]) if name in _KINDS else words(name or "")


def purchase_note(data: Database) -> str:
    """Return the sentence on how old the purchase prices are, and what that means for rankings."""
    if current := data.rows(_CURRENT):
        return gettext(
            "{count} GPUs have a purchase price from the last 12 months. The others are not ranked by purchase price.",
            count=len(current),
        )
    newest = data.rows(_NEWEST)
    if not newest:
        return gettext("No purchase price is known.")
    return gettext(
        "The newest purchase price is from {day}. No GPU has one from the last 12 months, so none is ranked by purchase price.",
        day=day(newest[0]["purchase_date"]),
    )


def purchase_range(data: Database) -> str:
    """Return the dates of the older prices that a ranking compares; empty without a price."""
    return "".join(
        gettext("{first} to {last}", first=day(row["first_date"]), last=day(row["last_date"]))
        for row in data.rows("SELECT first_date, last_date FROM purchase_range")
    )


def last_known_text(rows: list[Row]) -> str:
    """Return the last known prices of a GPU, each kind with its date, where none is from the last 12 months."""
    if not rows:
        return gettext("No purchase price is known. Enter the price that you would pay.")
    prices = gettext(", ").join(price_text(row) for row in rows)
    return gettext(
        "No purchase price from the last 12 months. Last known: {prices}. Enter the price that you would pay.", prices=prices
    )


def price_text(row: Row) -> str:
    """Return a row of LAST_KNOWN in words: kind, price and date."""
    texts = {"kind": kind(row["kind"]), "usd": usd(row["usd"]), "date": day(row["price_date"])}
    if row["estimated"]:
        return gettext("{kind} {usd} ({date}, an estimate)", **texts)
    return gettext("{kind} {usd} ({date})", **texts)
