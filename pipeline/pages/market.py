"""What renting costs now: the newest price of every offer that is not stale, and what they come to per card.

One billing at a time, whole cards, no Windows, no bare hosts. How it is shown belongs in the pages.
"""

from typing import Any

from pipeline.pages.database import Database, Row

MOST_LINES = 2000
_ORDER = ("on_demand", "spot", "marketplace", "reserved", "savings_plan", "serverless", "bid_floor", "contact")
_OFFERS = """
    SELECT l.* EXCLUDE (observed_at), l.last_day AS observed_at, coalesce(l.min_gpus, l.gpu_count) AS lot, p.upfront_usd,
        coalesce(contains(l.flags, 'JUMP'), false) AND coalesce(c.valid_from = c.valid_to, true) AS unconfirmed_jump
    FROM price_latest l
    JOIN price p USING (observation_id)
    LEFT JOIN price_change c ON c.offer_key = l.offer_key AND c.valid_to = l.last_day
    WHERE l.kind = 'cloud_rental' AND l.partition = 'whole' AND l.price_basis <> 'host_only' AND l.os IS DISTINCT FROM 'windows'
        AND l.usd_per_gpu_hour IS NOT NULL AND l.gpu_id IS NOT NULL
"""
# as price_daily counts them: no price that others begin from, no doubtful spot price, no jump that nothing confirms
_COUNTED = """NOT stale AND qualifier <> 'from' AND NOT unconfirmed_jump
    AND NOT coalesce(contains(flags, 'SPOT_NOT_BELOW_ON_DEMAND'), false)"""
_MARKET = f"""
    WITH offer AS (
        SELECT *, lower(provider) AS seller FROM ({_OFFERS}) WHERE {_COUNTED} AND billing = ? AND coalesce(lot <= ?, true)
    ),
    seller AS (SELECT gpu_id, seller, min(usd_per_gpu_hour) AS usd, count(*) AS offers FROM offer GROUP BY ALL),
    card AS (
        SELECT gpu_id, sum(offers)::BIGINT AS n_offers, count(*) AS n_providers, median(usd) AS usd_median
        FROM seller GROUP BY gpu_id
    ),
    cheapest AS (
        SELECT gpu_id, usd_per_gpu_hour AS usd_min, provider, lot, observed_at, source_id, observation_id FROM offer
        QUALIFY row_number() OVER (PARTITION BY gpu_id ORDER BY usd_per_gpu_hour, observed_at DESC, provider, observation_id) = 1
    )
    SELECT * FROM card JOIN cheapest USING (gpu_id) ORDER BY gpu_id
"""
_LINES = f"""
    SELECT * FROM (
        SELECT gpu_id, provider, billing, commitment_months, tier, lot, stale, source_id, observed_at,
            min(usd_per_gpu_hour) AS usd_min, max(usd_per_gpu_hour) AS usd_max, count(*) AS n_offers,
            bool_or(upfront_usd > 0) AS upfront, string_agg(DISTINCT flags, ',') AS flags
        FROM ({_OFFERS}) GROUP BY ALL
    )
    ORDER BY stale, list_position({list(_ORDER)}, billing), usd_min, gpu_id, provider, lot, tier, commitment_months, source_id
"""
_FLAGS = {
    "JUMP": "moved more than 40% at once",
    "CONFLICT": "sources differ",
    "SPOT_NOT_BELOW_ON_DEMAND": "spot not below on demand",
    "CPU_STARVED": "few processor threads",
    "FROM_PRICE": "a price from which others begin",
}


def cheapest_and_median(data: Database, billing: str = "on_demand", lot: int = 1_000_000) -> dict[str, Row]:
    """By card: the cheapest current offer, the median over providers of each one's cheapest, and how many there are.

    `lot` is how many cards the reader can use: an offer of more cards at once is left out.
    """
    return {row["gpu_id"]: row for row in data.rows(_MARKET, billing, lot)}


def lines(data: Database) -> list[dict[str, Any]]:
    """Offers for a table, current before stale: those that differ by region alone share a line."""
    return [row | {"remarks": remarks(row["flags"])} for row in data.rows(_LINES)]


def remarks(flags: str | None) -> str:
    """The codes of flagged rows in words, each once."""
    codes = dict.fromkeys((flags or "").split(","))
    return "; ".join(_FLAGS[code] for code in codes if code in _FLAGS)


def terms(row: Row) -> str:
    """What a renter binds himself to: term, payment at the start, class of service."""
    months = row["commitment_months"]
    term = "" if not months else f"{months // 12} year{'s' if months > 12 else ''}" if months % 12 == 0 else f"{months} months"
    parts = [term, "paid at the start in part" if row["upfront"] else "", row["tier"] or ""]
    return ", ".join(part for part in parts if part)


def counted(row: Row) -> str:
    """How much stands behind a price: offers and providers."""
    return f"{plural(row['n_offers'], 'offer')} of {plural(row['n_providers'], 'provider')}"


def plural(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
