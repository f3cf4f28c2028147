"""Verdict of a comparison: which GPU does the work for the least money, with the figures and the date of the prices."""

from pipeline.website.components.purchases import kind
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.pages.guide.paperspace import TASKS
from pipeline.website.pages.pairs.members import brief_gpu
from pipeline.website.writing.database import Row
from pipeline.website.writing.labels import listed
from pipeline.website.writing.numbers import day, ratio, usd

MOST_DAYS_APART = 365  # between two purchase prices that are compared
LEAST_ADVANTAGE = 1.05  # below it, GPUs count as equal value: the median error of a predicted speed of training


def verdict(rows: list[Row]) -> str:
    """Return the cheapest GPU for language models, for training, to rent and to buy, with the date of the rental prices."""
    training = _training(rows)
    rented = [sentence for sentence in (_tokens(rows), training, training and _rents_of(rows), _rent(rows)) if sentence]
    dates = [row[key] for row in rows for key in ("price_date", "marketplace_date") if row[key]]
    prices = gettext("Rental prices of {date}.", date=day(max(dates))) if rented else ""
    return " ".join(sentence for sentence in (*rented, _purchase(rows), prices) if sentence)


def brief_verdict(rows: list[Row]) -> str:
    """Return the verdict for a list: it names the rents behind the value for training only where no sentence on rents follows."""
    training, rent = _training(rows), _rent(rows)
    rents = _rents_of(rows) if training and not rent else ""
    return " ".join(sentence for sentence in (_tokens(rows), training, rents, rent, _purchase(rows)) if sentence)


def _sorted_by(rows: list[Row], key: str, *, descending: bool = False) -> list[Row]:
    """Return the rows that know the figure, best first; none where fewer than two can be compared."""
    known = sorted((row for row in rows if row[key] is not None), key=lambda row: row[key], reverse=descending)
    return known if len(known) > 1 else []


def _tokens(rows: list[Row]) -> str:
    known = _sorted_by([row for row in rows if row["small_rank"]], "small_usd")
    if not known:
        return ""
    return gettext(
        "LLM inference is cheaper on the {gpu}: {usd} per million tokens of Llama 3.1 8B, against {others}.",
        gpu=known[0]["brief"],
        usd=usd(known[0]["small_usd"]),
        others=_others(known[1:], "small_usd"),
    )


def _training(rows: list[Row]) -> str:
    """Return by how much the best GPU for training does more work per dollar than the others."""
    known = _sorted_by(rows, "training_per_usd", descending=True)
    if not known:
        return ""
    best, *others = known
    times = [best["training_per_usd"] / row["training_per_usd"] for row in others]
    if max(times) < LEAST_ADVANTAGE:
        return gettext(
            "For training, {gpus} do about as much work per dollar.",
            gpus=listed([gettext("the {gpu}", gpu=row["brief"]) for row in known]),
        )
    parts = [
        gettext("{times} times the work per dollar of the {gpu}", times=ratio(one), gpu=row["brief"])
        for one, row in zip(times, others, strict=True)
    ]
    text = N_("For training, the {gpu} is better value: {others}.")
    if any(_overlap(best, row) for row in others):
        text = N_("For training, the {gpu} is probably better value, though the intervals of the speeds overlap: {others}.")
    return gettext(text, gpu=best["brief"], others=listed(parts))


def _overlap(best: Row, other: Row) -> bool:
    """Return whether the intervals leave open which GPU does more training per dollar."""
    if best["training_low"] is None or other["training_high"] is None:
        return False
    return bool(
        best["training_low"] / best["training_usd_per_gpu_hour"] < other["training_high"] / other["training_usd_per_gpu_hour"]
    )


def _rents_of(rows: list[Row]) -> str:
    """Return the rents behind the value for training, each of one variant of a GPU model."""
    rents = [
        gettext("the {gpu} at {usd} an hour", gpu=brief_gpu(row["name"]), usd=usd(row["training_usd_per_gpu_hour"]))
        for row in _sorted_by(rows, "training_per_usd", descending=True)
    ]
    return gettext("This is for {rents}.", rents=listed(rents))


def _rent(rows: list[Row]) -> str:
    """Return which GPU is cheaper to rent, unless the value for training already names the same prices."""
    if all(row["training_per_usd"] is not None and row["training_usd_per_gpu_hour"] == row["usd_per_gpu_hour"] for row in rows):
        return ""
    if known := _sorted_by(rows, "usd_per_gpu_hour"):
        text = N_("To rent, the {gpu} is cheaper: {usd} an hour for its cheapest variant, against {others}.")
        key = "usd_per_gpu_hour"
    elif known := _sorted_by(rows, "marketplace_usd_per_gpu_hour"):
        text, key = N_("On a marketplace, the {gpu} is cheaper: {usd} an hour, against {others}."), "marketplace_usd_per_gpu_hour"
    else:
        return ""
    return gettext(text, gpu=known[0]["brief"], usd=usd(known[0][key]), others=_others(known[1:], key))


def _purchase(rows: list[Row]) -> str:
    """Return which GPU costs less for its speed with 4-bit weights: both new or both used, at prices at most a year apart.

    Prices from the last 12 months decide before older ones, then those of new GPUs.
    """
    for state in sorted(("new", "used"), key=lambda state: not all(row[f"{state}_current"] for row in rows)):
        key = f"{state}_usd_per_token_s"
        known = _sorted_by(rows, key)
        dates = sorted(row[f"{state}_date"] for row in known)
        if known and (dates[-1] - dates[0]).days <= MOST_DAYS_APART:
            return gettext(
                "Bought {state}, the {gpu} is cheaper for its speed: {usd} per token/s with the computer, against {others}. "
                "Newest known prices, of {dates}.",
                state=kind(f"purchase_{state}"),
                gpu=known[0]["brief"],
                usd=usd(known[0][key]),
                others=_others(known[1:], key),
                dates=listed([day(date) for date in dict.fromkeys(dates)]),
            )
    return ""


def _others(rows: list[Row], key: str) -> str:
    return listed([gettext("{figure} on the {gpu}", figure=usd(row[key]), gpu=row["brief"]) for row in rows])


def won_tasks(tasks: list[Row], key: str, newer: Row) -> tuple[int, int]:
    """Return in how many tasks the best machine of the newer GPU has the lowest figure, and in how many both have one."""
    wins = compared = 0
    for task in TASKS:
        known = [row for row in tasks if row["task"] == task and row[key] is not None]
        ours = [row[key] for row in known if row["gpu_model_id"] == newer["gpu_model_id"]]
        theirs = [row[key] for row in known if row["gpu_model_id"] != newer["gpu_model_id"]]
        if ours and theirs:
            compared += 1
            wins += min(ours) < min(theirs)
    return wins, compared
