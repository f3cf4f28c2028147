"""Cheaper rentals of the ranked GPUs on other terms: spot, which may end at any time, and marketplaces of independent hosts.

`site/docs/assets/llm-recommend.js` does the same in the browser.
"""

from collections.abc import Sequence
from dataclasses import replace

import duckdb

from pipeline.recommend.language_model import NO_PRICE, RankedGpu, usd_per_million
from pipeline.recommend.rates import Rate, read_offers

BILLINGS = ("marketplace", "spot")


def find_cheaper(con: duckdb.DuckDBPyConnection, choices: Sequence[RankedGpu]) -> RankedGpu | None:
    """Return the GPU whose tokens cost least on the terms of its `billing`, ranked on demand or only rented on these terms.

    None if one costs as little on demand, or if none has a rank.
    """
    ranked = [one for one in choices if one.rank and one.tokens_per_s]
    unpriced = [one for one in choices if one.reason == NO_PRICE and one.tokens_per_s and not one.unranked]
    offers = read_offers(con, BILLINGS)
    places = {one: (one.gpu_id, one.gpus or 0) for one in (*ranked, *unpriced)}
    others = [_on_terms(one, offers[place]) for one, place in places.items() if place in offers]
    if not ranked:
        return None
    best = min([*ranked, *others], key=lambda one: (one.usd_per_million or 0, one.billing != "on_demand", one.gpu_id))
    return best if best in others else None


def _on_terms(one: RankedGpu, offer: Rate) -> RankedGpu:
    usd = offer.usd_per_hour
    return replace(
        one,
        usd_per_hour=usd,
        usd_per_million=usd_per_million(usd, one.tokens_per_s),
        usd_per_million_low=usd_per_million(usd, one.high),
        usd_per_million_high=usd_per_million(usd, one.low),
        provider=offer.provider,
        price_date=offer.price_date,
        variant_stated=offer.variant_stated,
        billing=offer.billing,
        reason="",
    )
