"""Rental prices for pages: rows of the tables rental_market and rental_listing, and the words beside them.

Which offers count and which is the cheapest is decided in `pipeline/metrics/prices`.
"""

from typing import Any

from pipeline.website.components.database import Database, Row
from pipeline.website.i18n.language import N_, gettext

_ORDER = ("on_demand", "spot", "marketplace", "reserved", "savings_plan", "serverless", "bid_floor", "contact")
_COLUMNS = """
    gpu_id, billing, n_offers, n_providers, usd_per_gpu_hour_median AS usd_median, usd_per_gpu_hour_low AS usd_min,
    low_provider AS provider, low_min_gpus AS lot, low_price_date AS observed_at, low_source_id AS source_id,
    low_observation_id AS observation_id, price_date_first, price_date_last
"""
_MARKET = f"SELECT {_COLUMNS} FROM rental_market WHERE commitment = 'any' AND billing = ? AND gpus = ? ORDER BY gpu_id"
_GROUPS = f"""
    SELECT * EXCLUDE (usd_per_gpu_hour_low, usd_per_gpu_hour_high, price_date, min_gpus), min_gpus AS lot,
        usd_per_gpu_hour_low AS usd_min, usd_per_gpu_hour_high AS usd_max, price_date AS observed_at
    FROM rental_listing
    ORDER BY stale, list_position({list(_ORDER)}, billing), usd_per_gpu_hour_low, gpu_id, provider, min_gpus, tier,
        commitment_months, source_id
"""
_UNASSIGNED = (
    "SELECT gpu_id, source_id, other_gpus, n_rows FROM unassigned_price ORDER BY gpu_id, n_rows DESC, source_id, other_gpus"
)
_FLAGS = {
    "JUMP": N_("moved more than 40% at once"),
    "CONFLICT": N_("sources differ"),
    "SPOT_NOT_BELOW_ON_DEMAND": N_("spot not below on demand"),
    "CPU_STARVED": N_("few processor threads"),
    "FROM_PRICE": N_("a price from which others begin"),
}

_NOUNS = {
    "card": (N_("{count} card"), N_("{count} cards")),
    "change": (N_("{count} change"), N_("{count} changes")),
    "day": (N_("{count} day"), N_("{count} days")),
    "kind": (N_("{count} kind"), N_("{count} kinds")),
    "month": (N_("{count} month"), N_("{count} months")),
    "offer": (N_("{count} offer"), N_("{count} offers")),
    "provider": (N_("{count} provider"), N_("{count} providers")),
    "row": (N_("{count} row"), N_("{count} rows")),
    "run": (N_("{count} run"), N_("{count} runs")),
    "workload": (N_("{count} workload"), N_("{count} workloads")),
    "year": (N_("{count} year"), N_("{count} years")),
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
    return "; ".join(gettext(_FLAGS[code]) for code in codes if code in _FLAGS)


def commitment_text(row: Row) -> str:
    """Return the commitment term, upfront payment and service tier."""
    months = row["commitment_months"]
    years, rest = divmod(months or 0, 12)
    term = "" if not months else plural(months, "month") if rest else plural(years, "year")
    parts = [term, gettext("paid at the start in part") if row["upfront"] else "", row["tier"] or ""]
    return ", ".join(part for part in parts if part)


def offer_count_text(row: Row) -> str:
    """Return the number of offers and providers of a price, in words."""
    return gettext(
        "{offer} of {provider}", offer=plural(row["n_offers"], "offer"), provider=plural(row["n_providers"], "provider")
    )


def plural(count: int, noun: str) -> str:
    """Return a count with its noun, one of `_NOUNS`, in singular or plural."""
    return gettext(_NOUNS[noun][count != 1], count=f"{count:,}")
