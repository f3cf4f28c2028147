"""Buying a GPU: its last known prices, and the hours of work after which buying costs less than renting.

`site/docs/assets/buying.js` writes the same texts in the browser, and with the price that the reader enters.
"""

from pipeline.recommend.to_buy import LAST_KNOWN, MACHINES
from pipeline.website.components.purchases import kind, price_text
from pipeline.website.components.recommend.wording import long_time, multiple
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.numbers import day, number, usd

_ENTER = N_("Enter the price that you would pay.")
_NEEDS = "SELECT ? * slot_width AS slots, ? * tdp_w AS watts FROM gpu WHERE gpu_id = ? AND slot_width * tdp_w IS NOT NULL"
_PAYOFF = """
    SELECT break_even_hours(?::DOUBLE, ?::DOUBLE, ? * coalesce(tdp_w, 0), kwh.value) AS hours, kwh.value AS usd_per_kwh
    FROM gpu, assumption AS kwh
    WHERE gpu_id = ? AND assumption_id = 'usd_per_kwh'
"""


def buying(
    data: Database,
    gpu_id: str,
    gpus: int,
    rent_usd_per_hour: float | None,
    *,
    tokens_per_s: float | None = None,
    hours: float | None = None,
) -> dict[str, str]:
    """Return a tile: the first known price of all GPUs with its kind and date, other prices of one GPU, and when buying pays off.

    Beside the prices are what so many GPUs cost to rent (None: not rented), what they do a second, and the hours of the job.
    """
    prices = [row for row in data.rows(LAST_KNOWN) if row["gpu_id"] == gpu_id]
    if not prices:
        return {"usd": gettext("No price known"), "detail": "", "others": "", "payoff": gettext(_ENTER)}
    first, *others = prices
    cost = gpus * first["usd"]
    job = [gettext("The job takes {time}.", time=long_time(hours))] if hours else []
    worth = [*_with_computer(data, gpus, cost, tokens_per_s), *job, *_worth(data, gpu_id, gpus, cost, rent_usd_per_hour)]
    return {
        "usd": str(usd(cost)),
        "detail": gettext(", ").join(part for part in (multiple(gpus, first["usd"]), price_words(first)) if part),
        "others": _others(others, gpus),
        "payoff": gettext(_ENTER) if first["estimated"] else " ".join(worth),
    }


def _with_computer(data: Database, gpus: int, purchase_usd: float, tokens_per_s: float | None) -> list[str]:
    """Return what the GPUs cost with the rest of the computer, which no price of a GPU includes, and for a token a second."""
    rest = next((row["usd"] for row in data.rows(MACHINES) if row["gpu_count"] == gpus), None)
    if rest is None:
        return []
    values = {"total": usd(purchase_usd + rest), "rest": usd(rest)}
    if not tokens_per_s:
        return [gettext("{total} with the rest of the computer ({rest}).", **values)]
    return [
        gettext(
            "{total} with the rest of the computer ({rest}), or {usd} per token/s at {speed} tokens/s.",
            usd=usd((purchase_usd + rest) / tokens_per_s),
            speed=number(tokens_per_s, 3),
            **values,
        )
    ]


def _worth(data: Database, gpu_id: str, gpus: int, purchase_usd: float, rent_usd_per_hour: float | None) -> list[str]:
    """Return what several GPUs need, and after how many hours of work renting costs as much."""
    texts = _needs(data, gpu_id, gpus) if gpus > 1 else []
    if rent_usd_per_hour is not None:
        texts.append(_payoff(data, gpu_id, purchase_usd, gpus, rent_usd_per_hour))
    return texts


def _needs(data: Database, gpu_id: str, gpus: int) -> list[str]:
    """Return what several GPUs need of the computer; nothing for modules, or where width or power is not known."""
    return [
        gettext("The GPUs need {slots} slots and {watts} W.", slots=number(row["slots"]), watts=number(row["watts"]))
        for row in data.rows(_NEEDS, gpus, gpus, gpu_id)
    ]


def price_words(row: Row) -> str:
    """Return kind and date of a price, and whether it is too old for a rank."""
    words = gettext("estimate") if row["estimated"] else kind(row["kind"])
    text = gettext("{kind}, {date}", kind=words, date=day(row["price_date"]))
    return text + (" " + gettext("(older than 12 months, so not ranked)") if row["is_old"] else "")


def _others(rows: list[Row], gpus: int) -> str:
    if not rows:
        return ""
    prices = gettext(", ").join(price_text(row) for row in rows)
    return gettext("Also, for one GPU: {prices}.", prices=prices) if gpus > 1 else gettext("Also: {prices}.", prices=prices)


def _payoff(data: Database, gpu_id: str, purchase_usd: float, gpus: int, rent_usd_per_hour: float) -> str:
    """Return after how many hours of work the GPUs have cost less than renting them, with electricity, without a computer."""
    (row,) = data.rows(_PAYOFF, purchase_usd, rent_usd_per_hour, gpus, gpu_id)
    if row["hours"] is None:
        return gettext("Renting costs less than the electricity.")
    digits = max(0, len(str(int(row["hours"]))) - 2)  # the prices behind it are not exact enough for more than two
    return gettext(
        "Cheaper than renting after about {hours} hours of work, if you have the rest of the computer. "
        "Electricity: {kwh} per kWh.",
        hours=number(round(row["hours"], -digits)),
        kwh=usd(row["usd_per_kwh"]),
    )
