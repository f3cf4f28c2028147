"""Prices to own on pages: the last known price of each kind, and the sentence that says whether any is current."""

from pipeline.website.components.database import Database, Row
from pipeline.website.components.labels import words
from pipeline.website.components.numbers import day, usd
from pipeline.website.i18n.language import N_, gettext

LAST_KNOWN = """
    SELECT gpu_id, kind, usd_per_gpu AS usd, observed_at AS price_date, qualifier = 'estimate' AS estimated
    FROM price WHERE usd_per_gpu IS NOT NULL AND gpu_id IS NOT NULL
    QUALIFY row_number() OVER (
        PARTITION BY gpu_id, kind
        ORDER BY CASE WHEN kind = 'msrp' THEN observed_at END, observed_at DESC, estimated, usd_per_gpu, observation_id
    ) = 1
    ORDER BY gpu_id, list_position(['purchase_new', 'purchase_used', 'msrp'], kind)
"""
_COUNTS = """
    SELECT count(*) FILTER (purchase_current) AS current,
        max(purchase_date) FILTER (purchase_kind <> 'msrp') AS newest FROM gpu_price
"""


_KINDS = {"purchase_new": N_("new"), "purchase_used": N_("used"), "msrp": N_("launch price")}


def kind(name: str | None) -> str:
    """Return the kind of a purchase price in words."""
    return gettext(_KINDS[name]) if name in _KINDS else words(name or "")


def purchase_note(data: Database) -> str:
    """Return the sentence on how old the purchase prices are, and what that means for rankings."""
    (counts,) = data.rows(_COUNTS)
    if counts["current"]:
        return gettext(
            "{count} GPUs have a purchase price from the last 12 months. The others are not ranked by price to own.",
            count=counts["current"],
        )
    if counts["newest"] is None:
        return gettext("No purchase price is known.")
    return gettext(
        "No GPU has a purchase price from the last 12 months: the newest is from {day}. So none is ranked by price to own.",
        day=day(counts["newest"]),
    )


def last_known_text(rows: list[Row]) -> str:
    """Return the last known prices of a GPU, each kind with its date, where none is from the last 12 months."""
    if not rows:
        return gettext("No purchase price is known. Enter the price that you would pay.")
    prices = ", ".join(_price_text(row) for row in rows)
    return gettext(
        "No purchase price from the last 12 months. Last known: {prices}. Enter the price that you would pay.", prices=prices
    )


def _price_text(row: Row) -> str:
    texts = {"kind": kind(row["kind"]), "usd": usd(row["usd"]), "date": day(row["price_date"])}
    if row["estimated"]:
        return gettext("{kind} {usd} ({date}, an estimate)", **texts)
    return gettext("{kind} {usd} ({date})", **texts)
