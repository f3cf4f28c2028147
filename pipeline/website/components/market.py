"""What renting costs now: the newest price of every offer that is not stale, and what they come to per card.

One billing at a time, whole cards, no Windows, no bare hosts. How it is shown belongs in the pages.
"""

from typing import Any

from pipeline.website.components.database import Database, Row
from pipeline.website.i18n.language import mark, say

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
    WITH listed AS (
        SELECT *, lower(provider) AS seller FROM ({_OFFERS}) WHERE {_COUNTED} AND billing = ? AND coalesce(lot <= ?, true)
    ),
    repeated AS (SELECT r.offer_key FROM offer_repeat r JOIN listed other ON other.offer_key = r.repeats),
    offer AS (FROM listed WHERE offer_key NOT IN (FROM repeated)),
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
# an offer that another source lists too stands once, with the other's name; where the two are in conflict both stand
_LINES = f"""
    WITH offer AS ({_OFFERS}),
    repeated AS (
        SELECT r.* FROM offer_repeat r JOIN offer ON offer.offer_key = r.offer_key JOIN offer other ON other.offer_key = r.repeats
        WHERE offer.stale OR NOT other.stale
    ),
    again AS (SELECT repeats AS offer_key, list(source_id) AS sources FROM repeated GROUP BY ALL),
    shown AS (
        SELECT offer.*, offer_key IN (SELECT offer_key FROM repeated) AS counted_elsewhere, again.sources
        FROM offer LEFT JOIN again USING (offer_key)
        WHERE NOT counted_elsewhere OR coalesce(contains(flags, 'CONFLICT'), false)
    )
    SELECT * FROM (
        SELECT gpu_id, provider, billing, commitment_months, tier, lot, stale, source_id, observed_at,
            min(usd_per_gpu_hour) AS usd_min, max(usd_per_gpu_hour) AS usd_max, count(*) AS n_offers,
            count(*) FILTER (NOT counted_elsewhere) AS n_counted,
            bool_or(upfront_usd > 0) AS upfront, string_agg(DISTINCT flags, ',') AS flags,
            list_sort(list_distinct(flatten(list(sources) FILTER (sources IS NOT NULL)))) AS also
        FROM shown GROUP BY gpu_id, provider, billing, commitment_months, tier, lot, stale, source_id, observed_at
    )
    ORDER BY stale, list_position({list(_ORDER)}, billing), usd_min, gpu_id, provider, lot, tier, commitment_months, source_id
"""
# rows of price sources whose label can be several cards: the reason names them
_UNASSIGNED = """
    SELECT snapshot_id, locator, source_id, string_split(regexp_extract(reason, ' can be (.+): state', 1), ', ') AS cards
    FROM reject JOIN snapshot USING (snapshot_id) JOIN source USING (source_id)
    WHERE reason_code = 'AMBIGUOUS_GPU' AND source.kind = 'prices'
"""
_UNASSIGNED_ROWS = f"SELECT count(DISTINCT (snapshot_id, locator)) AS n FROM ({_UNASSIGNED})"
_UNASSIGNED_BY_CARD = f"""
    SELECT gpu_id, source_id, list_filter(cards, lambda card: card <> gpu_id) AS others, count(*) AS n_rows
    FROM (SELECT cards, source_id, unnest(cards) AS gpu_id FROM ({_UNASSIGNED}))
    GROUP BY ALL ORDER BY gpu_id, n_rows DESC, source_id, others
"""
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


def cheapest_and_median(data: Database, billing: str = "on_demand", lot: int = 1_000_000) -> dict[str, Row]:
    """By card: the cheapest current offer, the median over providers of each one's cheapest, and how many there are.

    `lot` is how many cards the reader can use: an offer of more cards at once is left out.
    """
    return {row["gpu_id"]: row for row in data.rows(_MARKET, billing, lot)}


def lines(data: Database) -> list[dict[str, Any]]:
    """Offers for a table, current before stale: those that differ by region alone share a line, as do sources that agree.

    `also` names the other sources of a line; `n_counted` leaves out offers that count elsewhere.
    """
    return [row | {"remarks": remarks(row["flags"]), "also": row["also"] or []} for row in data.rows(_LINES)]


def unassigned_rows(data: Database) -> int:
    """Price rows that were rejected because their label can be several cards."""
    return int(data.rows(_UNASSIGNED_ROWS)[0]["n"])


def unassigned(data: Database) -> list[Row]:
    """The same by card, source and the other cards that they can be: a row counts for each card that it can be."""
    return data.rows(_UNASSIGNED_BY_CARD)


def remarks(flags: str | None) -> str:
    """The codes of flagged rows in words, each once."""
    codes = dict.fromkeys((flags or "").split(","))
    return "; ".join(say(_FLAGS[code]) for code in codes if code in _FLAGS)


def terms(row: Row) -> str:
    """What a renter binds himself to: term, payment at the start, class of service."""
    months = row["commitment_months"]
    years, rest = divmod(months or 0, 12)
    term = "" if not months else plural(months, "month") if rest else plural(years, "year")
    parts = [term, say("paid at the start in part") if row["upfront"] else "", row["tier"] or ""]
    return ", ".join(part for part in parts if part)


def counted(row: Row) -> str:
    """How much stands behind a price: offers and providers."""
    return say("{offer} of {provider}", offer=plural(row["n_offers"], "offer"), provider=plural(row["n_providers"], "provider"))


def plural(count: int, noun: str) -> str:
    """So many of a thing that is named in _NOUNS."""
    return say(_NOUNS[noun][count != 1], count=f"{count:,}")
