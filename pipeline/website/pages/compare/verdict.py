"""Verdict on the GPUs that the comparison shows first: cheapest to rent, fastest, and best to buy for their speed.

`site/docs/assets/compare.js` writes the same sentences for the GPUs, model and prices that the reader chooses.
"""

from collections.abc import Callable, Sequence

from pipeline.recommend.language_model import RankedGpu
from pipeline.website.components.purchases import LAST_KNOWN
from pipeline.website.components.recommend.wording import several
from pipeline.website.i18n.language import gettext
from pipeline.website.writing.database import Database
from pipeline.website.writing.numbers import number, usd


def verdict(data: Database, found: Sequence[RankedGpu]) -> str:
    """Return the verdict on some answers to the first question of the form; one without a price on demand has its speed alone."""
    ranked = [row for row in found if not row.unranked]
    fastest = _least(ranked, lambda row: -row.tokens_per_s if row.tokens_per_s else None)
    return " ".join(filter(None, (_rental(ranked, found), _speed(fastest), _purchase(data, ranked))))


def _least(rows: Sequence[RankedGpu], key: Callable[[RankedGpu], float | None]) -> RankedGpu | None:
    """Return the row with the least figure, if at least two have one."""
    keyed = [(value, place) for place, row in enumerate(rows) if (value := key(row)) is not None]
    return rows[min(keyed)[1]] if len(keyed) > 1 else None


def _rental(ranked: Sequence[RankedGpu], found: Sequence[RankedGpu]) -> str:
    if best := _least(ranked, lambda row: row.usd_per_million):
        return gettext("Cheapest to rent: {gpu}, {usd} per million tokens.", gpu=_name(best), usd=usd(best.usd_per_million))
    if best := _least(found, lambda row: row.usd_per_million):
        return gettext(
            "The predicted speeds are too uncertain for a rank. Lowest predicted cost: {gpu}, {usd} per million tokens.",
            gpu=_name(best),
            usd=usd(best.usd_per_million),
        )
    return ""


def _speed(row: RankedGpu | None) -> str:
    return gettext("Fastest: {gpu}, {speed} tokens/s.", gpu=_name(row), speed=number(row.tokens_per_s, 3)) if row else ""


def _purchase(data: Database, ranked: Sequence[RankedGpu]) -> str:
    """Return the best to buy among GPUs whose first known price is at most 12 months old."""
    prices = {row["gpu_id"]: row for row in reversed(data.rows(LAST_KNOWN))}  # the first of each GPU
    dated = {row["gpu_id"]: row["usd"] for row in prices.values() if not row["is_old"]}
    best = _least(ranked, lambda row: _price_per_speed(row, dated.get(row.gpu_id)))
    if best is None:
        return gettext("Enter your prices to see which is best to buy. Too few prices are known from the last 12 months.")
    price = _price_per_speed(best, dated[best.gpu_id])
    return gettext("Best to buy for speed: {gpu}, {usd} per token/s.", gpu=_name(best), usd=usd(price))


def _price_per_speed(row: RankedGpu, price: float | None) -> float | None:
    return price * (row.gpus or 1) / row.tokens_per_s if price is not None and row.tokens_per_s else None


def _name(row: RankedGpu) -> str:
    return several(row.name, row.gpu_id, row.gpus or 1)
