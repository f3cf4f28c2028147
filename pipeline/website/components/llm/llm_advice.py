"""Advice of the form for language models in two or three sentences: what to rent from whom, and why.

This is the advice on the question that the page opens with, the cheapest inference for one user. `site/docs/assets/llm-advice.js`
writes the same sentences in the browser, and those on other questions.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pipeline.recommend.language_model import RankedGpu
from pipeline.website.components.recommend.wording import cheaper_terms, counted, span
from pipeline.website.i18n.language import gettext, gettext_figures
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.links import Sellers, provider_name
from pipeline.website.writing.numbers import number, usd


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWords:
    """The question in words and figures."""

    model: str
    stored: str
    text: str
    reading: float  # tokens per second at which people read


def advice(question: QuestionWords, choices: Sequence[RankedGpu], sellers: Sellers) -> str:
    """Return the advice from ranked GPUs; without one the first unranked, else the nearest GPU that misses a limit."""
    placed = [one for one in choices if one.rank]
    unranked = [one for one in choices if one.unranked and not one.reason]
    if not placed:
        return _unranked_only(question, unranked[0], sellers) if unranked else _nearest(question, choices)
    best = placed[0]
    values = {"gpu": _counted(best), "provider": provider_name(best.provider or "", sellers), "count": number(len(placed))}
    if best.tokens_per_s is None:
        return _by_price(best, values)
    first = gettext("Rent {gpu} from {provider}: {usd} per million tokens.", usd=usd(best.usd_per_million), **values)
    place = gettext("That is the lowest on-demand cost among {count} ranked GPUs.", count=number(len(placed)))
    others = [_fastest(placed), *_uncertain(best, unranked)]
    return " ".join([first, place, *_unstated(best, sellers), _speed(question, best), *others])


def _by_price(best: RankedGpu, values: dict[str, str]) -> str:
    """Say what the first by price is: a machine with enough memory, whose speed may be too low."""
    first = gettext(
        "Cheapest machine that holds the model, out of {count} GPUs: {gpu} from {provider}, {usd} an hour.",
        usd=usd(best.usd_per_hour),
        **values,
    )
    reason = gettext("This page has no speed of this model with these weights, so the list is in order of price per hour.")
    return f"{first} {reason}"


def other_terms(one: RankedGpu) -> str:
    """Return a cheaper rental than on demand, with what its terms do not promise; the tile names provider and day below."""
    cost = gettext("{usd} per million tokens", usd=usd(one.usd_per_million or 0))
    return cheaper_terms(one.billing, gpu=_counted(one), price=usd(one.usd_per_hour), cost=cost)


def _unranked_only(question: QuestionWords, first: RankedGpu, sellers: Sellers) -> str:
    provider = provider_name(first.provider or "", sellers)
    values = {"gpu": _counted(first), "provider": provider, "cost": _uncertain_cost(first)}
    text = gettext(
        "No GPU has a rank for {model} as {type} in this use: every speed is a prediction that spans more than a factor of 2.",
        model=question.model,
        type=question.stored,
    )
    return text + " " + gettext("First by prediction: {gpu} from {provider}, {cost}.", **values)


def _uncertain(best: RankedGpu, unranked: Sequence[RankedGpu]) -> list[str]:
    """Return how many GPUs fit without a rank, and the cheapest of them, if it may cost less than the best with a rank."""
    if not unranked:
        return []
    found = min(unranked, key=lambda one: (one.usd_per_million or 0, -(one.tokens_per_s or 0), one.gpu_id))
    if (found.usd_per_million_low or 0) >= (best.usd_per_million or 0):
        return []
    values = {"count": number(len(unranked)), "gpu": _counted(found), "cost": _uncertain_cost(found)}
    return [
        gettext(
            "GPUs that fit without a rank, because their predicted speed spans more than a factor of 2: {count}. "
            "The cheapest: {gpu}, {cost}.",
            **values,
        )
    ]


def _uncertain_cost(one: RankedGpu) -> str:
    """Return the cost of a prediction with the range of its speed, as the tile of renting does."""
    speed = span(number(one.low, 3), number(one.high, 3))
    values = {"usd": usd(one.usd_per_million or 0), "speed": number(one.tokens_per_s, 3), "range": speed}
    return gettext("{usd} per million tokens at {speed} tokens/s ({range})", **values)


def _counted(one: RankedGpu) -> str:
    return counted(one.name, one.gpu_id, one.gpus or 1)


def _unstated(best: RankedGpu, sellers: Sellers) -> list[str]:
    """Return what to ask where the offer leaves the form factor or memory size open, and counts for the weakest variant."""
    if best.variant_stated:
        return []
    provider = provider_name(best.provider or "", sellers)
    return [gettext("The offer does not state the variant: ask {provider} which one it is.", provider=provider)]


def _speed(question: QuestionWords, best: RankedGpu) -> str:
    """Compare the speed with that of a reader."""
    speed = number(best.tokens_per_s, 3)
    if (best.tokens_per_s or 0) >= question.reading:
        return gettext("Its {speed} tokens/s are faster than you can read.", speed=speed)
    return gettext("Its {speed} tokens/s are slower than you read.", speed=speed)


def _fastest(placed: Sequence[RankedGpu]) -> str:
    """Name the fastest beside the cheapest."""
    fastest = min(placed, key=lambda one: (-(one.tokens_per_s or 0), one.usd_per_million or 0, one.gpu_id))
    if fastest.gpu_id == placed[0].gpu_id:
        return gettext("It is also the fastest.")
    values = {"gpu": _counted(fastest), "usd": usd(fastest.usd_per_million), "speed": number(fastest.tokens_per_s, 3)}
    return gettext("Fastest: {gpu}, {speed} tokens/s at {usd} per million.", **values)


def _nearest(question: QuestionWords, choices: Sequence[RankedGpu]) -> str:
    """Name the GPU that misses the limits by least: one with enough memory, else the one that lacks least of it."""
    text = gettext(
        "No GPU in these data runs {model} as {type} at a known speed and price.", model=question.model, type=question.stored
    )
    lacking = [(max(0.0, one.needed_gb - one.usable_gb), one) for one in choices if one.reason and one.needed_gb is not None]
    if not lacking:
        return text
    lacks_gb, one = min(lacking, key=lambda pair: (pair[0], pair[1].usable_gb, pair[1].gpu_id))
    values = {"gpu": short_gpu(one.name, one.gpu_id), "reason": gettext_figures(one.reason)}
    if lacks_gb:
        return text + " " + gettext("Nearest: {gpu}: {reason}.", **values)
    return text + " " + gettext("{gpu} has enough memory, but {reason}.", **values)
