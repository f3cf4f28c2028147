"""Comparison of GPUs side by side for a language model: memory, speed, rent, prices to own and power.

The page opens with a verdict on its first GPUs: cheapest to rent, fastest, and best to buy for their speed.
`site/docs/assets/compare.js` writes the same sentences for the GPUs, model and prices that the reader chooses.
"""

from collections.abc import Callable, Sequence
from typing import Any

from pipeline.recommend.language_model import RankedGpu
from pipeline.recommend.to_buy import LAST_KNOWN, MACHINES, to_buy
from pipeline.website.components.llm import llm_form
from pipeline.website.components.purchases import kind
from pipeline.website.components.recommend.wording import several
from pipeline.website.i18n.language import gettext
from pipeline.website.writing.database import Database
from pipeline.website.writing.numbers import number, usd
from pipeline.website.writing.page_writer import PageWriter

HOME = ("nvidia-geforce-rtx-3090-24gb", "nvidia-geforce-rtx-4090-24gb", "nvidia-geforce-rtx-5090-32gb")
_SERVERS = ("nvidia-h100-sxm5-80gb", "nvidia-h200-sxm-141gb", "amd-instinct-mi300x-192gb", "nvidia-b200-sxm-180gb")
LARGE = "llama-3.3-70b"
_GPUS = "SELECT gpu_id FROM gpu"


def write(writer: PageWriter) -> None:
    """Write the page with its first verdict; a script fills its table from the data of the home page's form."""
    known = {row["gpu_id"] for row in writer.data.rows(_GPUS)}
    _, answers = llm_form.first_answer(writer.data)
    found = [one for one in answers if one.gpu_id in HOME]
    writer.write_page(
        "compare",
        "Compare GPUs",
        "GPUs side by side for your language model: memory, tokens per second, rent, purchase price, power and verdict.",
        first=",".join(name for name in HOME if name in known),
        servers=",".join(name for name in _SERVERS if name in known),
        large=LARGE,
        llm=llm_form.context(writer),
        lead=_verdict(writer.data, found),
        columns=_columns(writer.data, sorted(found, key=lambda one: HOME.index(one.gpu_id))),
        kind=kind,
    )


def _columns(data: Database, found: Sequence[RankedGpu]) -> list[dict[str, Any]]:
    """Return the columns of the table that readers without scripts see; compare.js writes the same figures and more."""
    known = data.rows(LAST_KNOWN)
    prices = {(row["gpu_id"], row["kind"]): row for row in reversed(known)}
    bought = {row.choice.gpu_id: row for row in to_buy(known, data.rows(MACHINES), found)}
    return [
        {
            "one": one,
            "name": _name(one),
            "new": prices.get((one.gpu_id, "purchase_new")),
            "used": prices.get((one.gpu_id, "purchase_used")),
            "bought": bought.get(one.gpu_id),
        }
        for one in found
    ]


def _verdict(data: Database, found: Sequence[RankedGpu]) -> str:
    """Return the verdict on some answers to the first question of the form; one without a price on demand has its speed alone."""
    ranked = [row for row in found if not row.unranked]
    speed = ""
    if row := _least(ranked, lambda row: -row.tokens_per_s if row.tokens_per_s else None):
        speed = gettext("Fastest: {gpu}, {speed} tokens/s.", gpu=_name(row), speed=number(row.tokens_per_s, 3))
    return " ".join(filter(None, (_rental(ranked, found), speed, _purchase(data, ranked))))


def _least(rows: Sequence[RankedGpu], key: Callable[[RankedGpu], float | None]) -> RankedGpu | None:
    """Return the row with the least figure, if at least two have one."""
    keyed = [(value, place) for place, row in enumerate(rows) if (value := key(row)) is not None]
    return rows[min(keyed)[1]] if len(keyed) > 1 else None


def _rental(ranked: Sequence[RankedGpu], found: Sequence[RankedGpu]) -> str:
    if best := _least(ranked, lambda row: row.usd_per_million):
        return gettext("Cheapest on demand: {gpu}, {usd} per million tokens.", gpu=_name(best), usd=usd(best.usd_per_million))
    if best := _least(found, lambda row: row.usd_per_million):
        return gettext(
            "The predicted speeds are too uncertain for a rank. Lowest predicted cost: {gpu}, {usd} per million tokens.",
            gpu=_name(best),
            usd=usd(best.usd_per_million),
        )
    return ""


def _purchase(data: Database, ranked: Sequence[RankedGpu]) -> str:
    """Return the best to buy among GPUs whose last known price is at most 12 months old."""
    dated = [one for one in to_buy(data.rows(LAST_KNOWN), data.rows(MACHINES), ranked) if not one.price["is_old"]]
    if len(dated) < 2:  # nothing to compare
        return gettext("Enter your prices to see which is best to buy. Too few prices are known from the last 12 months.")
    best = dated[0]
    return gettext("Best to buy for speed: {gpu}, {usd} per token/s.", gpu=_name(best.choice), usd=usd(best.usd_per_token_s))


def _name(row: RankedGpu) -> str:
    return several(row.name, row.gpu_id, row.gpus or 1)
