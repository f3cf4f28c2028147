"""Advice for a training job: what to rent from whom and why, and the three tiles below it.

This is the advice on the question that the page opens with, which has no limits. `site/docs/assets/job-advice.js` writes the same
in the browser, and that on questions with limits.
"""

from collections.abc import Sequence
from typing import Any

from pipeline.recommend.workload import RankedGpu
from pipeline.website.components.recommend.wording import cheaper_terms, counted, long_time, plain_name, span
from pipeline.website.i18n.language import gettext, gettext_figures
from pipeline.website.writing.links import Sellers, provider_name
from pipeline.website.writing.numbers import usd


def advice(cheapest: Sequence[RankedGpu], fastest: Sequence[RankedGpu], left: Sequence[RankedGpu], sellers: Sellers) -> str:
    """Return two sentences on the cheapest and the fastest; without a choice, the cheapest GPU of those left out."""
    if not cheapest:
        return _nearest(left)
    best, fast = cheapest[0], fastest[0]
    first = gettext(
        "Rent {gpu} from {provider}: {usd} for the job in {time}.",
        gpu=counted(best.name, best.gpu_id, 1),
        provider=provider_name(best.provider or "", sellers),
        usd=usd(best.cost_usd),
        time=_time(best),
    )
    first += " " + gettext("That is the lowest on-demand cost among {count} ranked GPUs.", count=len(cheapest))
    if fast.gpu_id == best.gpu_id:
        return f"{first} {gettext('It is also the fastest.')}"
    values = {"gpu": counted(fast.name, fast.gpu_id, 1), "time": _time(fast), "usd": usd(fast.cost_usd)}
    return first + " " + gettext("Fastest: {gpu}, {time} for {usd}.", **values)


def tile(choice: RankedGpu) -> dict[str, Any]:
    """Return a GPU as a tile: name, price an hour, cost and time of the job, seller and date."""
    return {
        "gpu_id": choice.gpu_id,
        "gpu": plain_name(choice.name, choice.gpu_id),
        "usd_per_hour": choice.price_usd,
        "cost_usd": choice.cost_usd,
        "time": _time(choice),
        "context": _job_words(choice),
        "provider": choice.provider,
        "price_date": choice.price_date,
    }


def cheaper_tile(choice: RankedGpu) -> dict[str, Any]:
    """Return the tile of a cheaper rental than on demand; `text` says which."""
    gpu, cost = counted(choice.name, choice.gpu_id, 1), gettext("{usd} for the job", usd=usd(choice.cost_usd))
    return tile(choice) | {"text": cheaper_terms(choice.billing, gpu=gpu, price=usd(choice.price_usd), cost=cost)}


def _job_words(choice: RankedGpu) -> str:
    values = {"usd": usd(choice.cost_usd), "time": _time(choice), "basis": gettext(choice.basis or "")}
    costs = span(usd(choice.cost_usd_low), usd(choice.cost_usd_high))
    if not costs:
        return gettext("{usd} for the job in {time}, {basis}", **values)
    return gettext("{usd} for the job ({costs}) in {time}, {basis}", costs=costs, **values)


def _time(choice: RankedGpu) -> str:
    return long_time((choice.seconds or 0) / 3600)


def _nearest(left: Sequence[RankedGpu]) -> str:
    """Name the cheapest GPU with a time and a price."""
    text = gettext("No GPU meets every limit.")
    known = [one for one in left if one.seconds is not None and one.cost_usd is not None]
    if not known:
        return text
    one = min(known, key=lambda choice: (choice.cost_usd or 0, choice.gpu_id))
    reason = gettext_figures(one.reason)
    return text + " " + gettext("Nearest: {gpu}: {reason}.", gpu=plain_name(one.name, one.gpu_id), reason=reason)
