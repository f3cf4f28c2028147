"""Rental prices for pages: rows of the tables rental_market and rental_listing, and the words beside them.

Which offers count and which is the cheapest is decided in `pipeline/metrics/prices`.
"""

from typing import Any

from pipeline.website.components.database import Database, Row
from pipeline.website.i18n.language import mark, say

_ORDER = ("on_demand", "spot", "marketplace", "reserved", "savings_plan", "serverless", "bid_floor", "contact")
_COLUMNS = """
    gpu_id, billing, n_offers, n_providers, usd_per_gpu_hour_median AS usd_median, usd_per_gpu_hour_low AS usd_min,
    low_provider AS provider, low_lot AS lot, low_price_date AS observed_at, low_source_id AS source_id,
    low_observation_id AS observation_id, price_date_first, price_date_last
"""
_MARKET = f"SELECT {_COLUMNS} FROM rental_market WHERE commitment = 'any' AND billing = ? AND gpus = ? ORDER BY gpu_id"
_GROUPS = f"""
    SELECT * EXCLUDE (usd_per_gpu_hour_low, usd_per_gpu_hour_high, price_date),
        usd_per_gpu_hour_low AS usd_min, usd_per_gpu_hour_high AS usd_max, price_date AS observed_at
    FROM rental_listing
    ORDER BY stale, list_position({list(_ORDER)}, billing), usd_per_gpu_hour_low, gpu_id, provider, lot, tier, commitment_months,
        source_id
"""
_UNASSIGNED = (
    "SELECT gpu_id, source_id, other_gpus, n_rows FROM unassigned_price ORDER BY gpu_id, n_rows DESC, source_id, other_gpus"
)
_FLAGS = {
    "JUMP": mark("moved more than 40% at once"),
    "CONFLICT": mark("sources differ"),
    "SPOT_NOT_BELOW_ON_DEMAND": mark("spot not below on demand"),
    "CPU_STARVED": mark("few processor threads"),
    "FROM_PRICE": mark("a price from which others begin"),
}

_NOUNS = {
    "card": (mark("{count} card"), mark("{count} cards")),
    "change": (mark("{count} change"), mark("{count} changes")),
    "day": (mark("{count} day"), mark("{count} days")),
    "kind": (mark("{count} kind"), mark("{count} kinds")),
    "month": (mark("{count} month"), mark("{count} months")),
    "offer": (mark("{count} offer"), mark("{count} offers")),
    "provider": (mark("{count} provider"), mark("{count} providers")),
    "row": (mark("{count} row"), mark("{count} rows")),
    "run": (mark("{count} run"), mark("{count} runs")),
    "workload": (mark("{count} workload"), mark("{count} workloads")),
    "year": (mark("{count} year"), mark("{count} years")),
}


def rental_market(data: Database, billing: str = "on_demand", gpus: str = "any") -> dict[str, Row]:
    """Return by GPU the row of table rental_market for all terms of one billing.

    `gpus` is `single` for offers that can be taken as one GPU, `any` for all.
    """
    return {row["gpu_id"]: row for row in data.rows(_MARKET, billing, gpus)}


def offer_groups(data: Database) -> list[dict[str, Any]]:
    """Return the rows of table rental_listing in the order of pages: current before stale, then by billing and price."""
    return [row | {"remarks": flag_text(row["flags"]), "also": _names(row["also_in"])} for row in data.rows(_GROUPS)]


def unassigned(data: Database) -> list[Row]:
    """Return the rows of table unassigned_price with the other GPUs as a list."""
    return [row | {"others": _names(row["other_gpus"])} for row in data.rows(_UNASSIGNED)]


def _names(text: str | None) -> list[str]:
    return sorted(set(text.split(","))) if text else []


def flag_text(flags: str | None) -> str:
    """Return the flags of a row in words, each once."""
    codes = dict.fromkeys((flags or "").split(","))
    return "; ".join(say(_FLAGS[code]) for code in codes if code in _FLAGS)


def commitment_text(row: Row) -> str:
    """Return the commitment term, upfront payment and service tier."""
    months = row["commitment_months"]
    years, rest = divmod(months or 0, 12)
    term = "" if not months else plural(months, "month") if rest else plural(years, "year")
    parts = [term, say("paid at the start in part") if row["upfront"] else "", row["tier"] or ""]
    return ", ".join(part for part in parts if part)


def offer_count_text(row: Row) -> str:
    """Return the number of offers and providers of a price, in words."""
    return say("{offer} of {provider}", offer=plural(row["n_offers"], "offer"), provider=plural(row["n_providers"], "provider"))


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, one of `_NOUNS`, in singular or plural."""
    return say(_NOUNS[noun][count != 1], count=f"{count:,}")
