"""Cheaper rentals of the ranked GPUs on other terms: spot, which may end at any time, and marketplaces of independent hosts.

`site/docs/assets/llm-recommend.js` does the same in the browser.
"""

from collections.abc import Sequence
from dataclasses import replace

import duckdb

from pipeline.recommend.language_model import RankedGpu, Rate, read_offers, usd_per_million

BILLINGS = ("marketplace", "spot")


def find_cheaper(con: duckdb.DuckDBPyConnection, choices: Sequence[RankedGpu]) -> RankedGpu | None:
    """Return the ranked GPU whose tokens cost least on the terms of its `billing`; None if one costs as little on demand."""
    ranked = [one for one in choices if one.rank and one.tokens_per_s]
    offers = read_offers(con, BILLINGS)
    others = [_on_terms(one, offers[one.gpu_id, one.gpus]) for one in ranked if one.gpus and (one.gpu_id, one.gpus) in offers]
    best = min([*ranked, *others], key=_cheapest_first, default=None)
    return best if best in others else None


def _cheapest_first(one: RankedGpu) -> tuple[float, bool, str]:
    return one.usd_per_million or 0, one.billing != "on_demand", one.gpu_id


def _on_terms(one: RankedGpu, offer: Rate) -> RankedGpu:
    usd = offer.usd_per_hour
    return replace(
        one,
        usd_per_hour=usd,
        usd_per_million=usd_per_million(usd, one.tokens_per_s or 0),
        usd_per_million_low=usd_per_million(usd, one.high) if one.high else None,
        usd_per_million_high=usd_per_million(usd, one.low) if one.low else None,
        provider=offer.provider,
        price_date=offer.price_date,
        variant_stated=offer.variant_stated,
        billing=offer.billing,
    )
