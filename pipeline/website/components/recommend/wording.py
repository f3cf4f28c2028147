"""Words that the forms of the home page share: names of GPUs in sentences, and times.

`site/docs/assets/buying.js` has the same functions.
"""

from pipeline.website.i18n.language import gettext
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.numbers import duration, number, usd


def plain_name(name: str | None, gpu_id: str) -> str:
    """Return the name of a GPU without remarks in brackets."""
    return short_gpu(name, gpu_id).split(" (")[0]


def several(name: str | None, gpu_id: str, gpus: int) -> str:
    """Return the name of a GPU, with their number if there are several."""
    plain = plain_name(name, gpu_id)
    return gettext("{count} x {gpu}", count=gpus, gpu=plain) if gpus > 1 else plain


def counted(name: str | None, gpu_id: str, gpus: int) -> str:
    """Return the number of GPUs and their name."""
    return several(name, gpu_id, gpus) if gpus > 1 else gettext("one {gpu}", gpu=plain_name(name, gpu_id))


def multiple(gpus: int, usd_of_one: float | None) -> str:
    """Return the price of several GPUs as a product; nothing for one GPU."""
    return f"{gpus} x {usd(usd_of_one)}" if gpus > 1 else ""


def long_time(hours: float) -> str:
    """Return a time as a person says it; seconds count below ten minutes, and an hour and a bit is in minutes."""
    if hours < 1 / 6:
        return str(duration(3600 * hours))
    if hours < 1.1:
        return gettext("{count} minutes", count=number(round(60 * hours)))
    if hours < 48:
        return gettext("{count} hours", count=number(hours, 2))
    return gettext("{count} days", count=number(hours / 24, 2))


def cheaper_terms(billing: str | None, **values: object) -> str:
    """Return a cheaper rental than on demand, with what its terms do not promise. `values`: gpu, price (an hour), cost."""
    if billing == "spot":
        return gettext("Cheaper as a spot rental, which may end at any time: {gpu}, {price} an hour, {cost}.", **values)
    return gettext("Cheaper on a marketplace of independent hosts: {gpu}, {price} an hour, {cost}.", **values)


def span(low: str, high: str) -> str:
    """Return an interval; nothing if its ends are equal or unknown."""
    return f"{low}–{high}" if low and low != high else ""
