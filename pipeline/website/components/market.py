"""Rental prices for pages: rows of the tables rental_market and rental_listing, and the words beside them.

Which offers count and which is the cheapest is decided in `pipeline/metrics/prices`.
"""

from typing import Any

from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.labels import plural
from pipeline.website.writing.numbers import usd

_ORDER = ("on_demand", "spot", "marketplace", "reserved", "savings_plan", "serverless", "bid_floor", "contact")
_COLUMNS = """
    gpu_model_id, gpu_id, billing, n_offers, n_offers_unstated, n_providers, usd_per_gpu_hour_median AS usd_median,
    usd_per_gpu_hour_low AS usd_min, low_provider AS provider, low_gpu_id, low_min_gpus AS min_gpus,
    low_commitment_months AS commitment_months,
    low_price_date AS observed_at, low_source_id AS source_id,
    low_observation_id AS observation_id, price_date_first, price_date_last
"""
_MARKET = f"""
    SELECT {_COLUMNS} FROM rental_market WHERE shortest_commitment AND billing = ? AND gpus = 'any' ORDER BY gpu_model_id, gpu_id
"""
_GROUPS = f"""
    SELECT * EXCLUDE (usd_per_gpu_hour_low, usd_per_gpu_hour_high, price_date),
        usd_per_gpu_hour_low AS usd_min, usd_per_gpu_hour_high AS usd_max, price_date AS observed_at,
        provider IN (SELECT provider_id FROM provider WHERE kind = 'aggregator') AS resold
    FROM rental_listing JOIN (SELECT observation_id, snapshot_id, locator FROM price) USING (observation_id)
    ORDER BY stale, list_position({list(_ORDER)}, billing),
        if(includes_host IS FALSE, usd_per_gpu_hour_with_host, usd_per_gpu_hour_low), usd_per_gpu_hour_low,
        gpu_model_id, gpu_id, provider, min_gpus, tier, commitment_months, source_id
"""
_FLAGS = {
    "JUMP": N_("changed by more than 40% at once"),
    "CONFLICT": N_("sources differ"),
    "SPOT_NOT_BELOW_ON_DEMAND": N_("spot price not below on-demand price"),
    "SOURCE_ERROR": N_("wrong in its source"),
    "COMPOSITION_CHANGE": N_("contents of the price changed"),
    "CPU_STARVED": N_("few processor threads"),
    "FROM_PRICE": N_('a "from" price'),
    "OUT_OF_STOCK": N_("out of stock"),
}

_FACTS = {"form factor": N_("form factor"), "memory": N_("memory"), "edition": N_("edition")}


def rental_market(data: Database, billing: str) -> dict[str, Row]:
    """Return by GPU the row of table rental_market for the shortest commitment and all numbers of GPUs of one billing."""
    return {row["gpu_id"]: row for row in data.rows(_MARKET, billing) if row["gpu_id"] != "any"}


def model_market(data: Database, billing: str) -> dict[str, Row]:
    """Return by GPU model the row of table rental_market for all variants and the shortest commitment of one billing."""
    return {row["gpu_model_id"]: row for row in data.rows(_MARKET, billing) if row["gpu_id"] == "any"}


def offer_groups(data: Database) -> list[dict[str, Any]]:
    """Return the rows of table rental_listing in the order of pages: current before stale, then by billing and price."""
    return [
        row | {"remarks": _remarks(row), "also": sorted(set(row["also_in"].split(","))) if row["also_in"] else []}
        for row in data.rows(_GROUPS)
    ]


def _remarks(row: Row) -> str:
    """Return what a reader must know of the offer, in words: open variant, missing host, another provider's GPU, flags."""
    resold = gettext("resold from other providers") if row["resold"] else ""
    texts = [unstated_text(row["unstated"]), _host_text(row), resold, flag_text(row["flags"])]
    return gettext("; ").join(text for text in texts if text)


def unstated_text(unstated: str | None) -> str:
    """Return the facts that an offer does not state of its GPU, in words."""
    facts = [gettext(_FACTS.get(fact, fact)) for fact in map(str.strip, (unstated or "").split(",")) if fact]
    return gettext("{facts} not stated", facts=gettext(", ").join(facts)) if facts else ""


def _host_text(row: Row) -> str:
    """Return whether the price includes processor and memory, where it does not say so or leaves them out."""
    if row["includes_host"] is None:
        return gettext("host not stated")
    if row["includes_host"]:
        return ""
    if row["host_machine"] is None:
        return gettext("GPU alone, host not included")
    return gettext("GPU alone: {price} with {machine}", price=usd(row["usd_per_gpu_hour_with_host"]), machine=row["host_machine"])


def flag_text(flags: str | None) -> str:
    """Return the flags of a row in words, each once."""
    codes = dict.fromkeys((flags or "").split(","))
    return gettext("; ").join(gettext(_FLAGS[code]) for code in codes if code in _FLAGS)


def commitment_text(row: Row) -> str:
    """Return the commitment term, upfront payment and service tier."""
    months = row["commitment_months"]
    years, rest = divmod(months or 0, 12)
    term = "" if not months else plural(months, "month") if rest else plural(years, "year")
    parts = [term, gettext("partly paid upfront") if row["upfront"] else "", row["tier"] or ""]
    return gettext(", ").join(part for part in parts if part)


def term_note(row: Row) -> str:
    """Return the commitment that a price needs; empty without one."""
    months = row["commitment_months"]
    return gettext("{count}-month commitment", count=months) if months else ""


def offer_count_text(row: Row) -> str:
    """Return the number of offers and providers of a price, in words."""
    return gettext(
        "{offer} of {provider}", offer=plural(row["n_offers"], "offer"), provider=plural(row["n_providers"], "provider")
    )


def rent_text(rent: float, basis: str | None) -> str:
    """Return the rent behind a rank, with its basis in gpu_price: median or low; other rents are prices of one offer."""
    texts = {"median": N_("at the median price of {usd} an hour"), "low": N_("at the lowest price of {usd} an hour")}
    return gettext(texts.get(basis or "", N_("at {usd} an hour")), usd=usd(rent))
