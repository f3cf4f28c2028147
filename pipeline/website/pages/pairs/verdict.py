"""Verdict of a comparison: which GPU does the work for the least money, with the figures and the date of the prices."""

from collections.abc import Callable

from pipeline.website.components.database import Row
from pipeline.website.components.labels import listed
from pipeline.website.components.numbers import day, ratio, usd
from pipeline.website.components.purchases import kind
from pipeline.website.i18n.language import gettext
from pipeline.website.pages.guide.paperspace import TASKS


def verdict(rows: list[Row]) -> str:
    """Return the cheapest GPU for language models, for training and to rent."""
    sentences = (_tokens(rows), _training(rows), _rent(rows), _purchase(rows))
    dates = [row["price_date"] for row in rows if row["price_date"]]
    prices = gettext("Rental prices of {date}.", date=day(max(dates))) if dates else ""
    return " ".join(sentence for sentence in (*sentences, prices) if sentence)


def _sorted_by(rows: list[Row], key: str, *, descending: bool = False) -> list[Row]:
    """Return the rows that know the figure, best first; none where fewer than two can be compared."""
    known = sorted((row for row in rows if row[key] is not None), key=lambda row: row[key], reverse=descending)
    return known if len(known) > 1 else []


def _tokens(rows: list[Row]) -> str:
    known = _sorted_by([row for row in rows if row["small_rank"]], "small_usd")
    if not known:
        return ""
    return gettext(
        "LLM inference is cheapest on the {gpu}: {usd} per million tokens of Llama 3.1 8B. Compare {others}.",
        gpu=known[0]["brief"],
        usd=usd(known[0]["small_usd"]),
        others=_others(known[1:], lambda row: usd(row["small_usd"])),
    )


def _training(rows: list[Row]) -> str:
    known = _sorted_by(rows, "training_per_usd", descending=True)
    if not known:
        return ""
    best = known[0]["training_per_usd"]
    return gettext(
        "For training, the {gpu} does the most work per dollar: {others}.",
        gpu=known[0]["brief"],
        others=listed(
            [
                gettext("{times} times as much as the {gpu}", times=ratio(best / row["training_per_usd"]), gpu=row["brief"])
                for row in known[1:]
            ]
        ),
    )


def _rent(rows: list[Row]) -> str:
    known = _sorted_by(rows, "usd_per_hour")
    if not known:
        return ""
    return gettext(
        "The {gpu} is cheapest to rent: {usd} an hour. Compare {others}.",
        gpu=known[0]["brief"],
        usd=usd(known[0]["usd_per_hour"]),
        others=_others(known[1:], lambda row: usd(row["usd_per_hour"])),
    )


def _purchase(rows: list[Row]) -> str:
    """Return the lowest last known price for the speed with 4-bit weights, with its date."""
    known = [
        (row[f"{state}_usd_per_token_s"], row["brief"], state, row[f"{state}_date"])
        for row in rows
        for state in ("new", "used")
        if row[f"{state}_usd_per_token_s"] is not None
    ]
    if len({brief for _, brief, *_ in known}) < 2:
        return ""
    each, brief, state, date = min(known)
    return gettext(
        "To buy, a {state} {gpu} is cheapest for its speed: {usd} per token/s, at its last known price of {date}.",
        state=kind(f"purchase_{state}"),
        gpu=brief,
        usd=usd(each),
        date=day(date),
    )


def _others(rows: list[Row], figure: Callable[[Row], str]) -> str:
    return listed([gettext("{figure} on the {gpu}", figure=figure(row), gpu=row["brief"]) for row in rows])


def task_verdict(rows: list[Row], tasks: list[Row]) -> str:
    """Return whether the newer GPU is worth its price for the tasks of the guide, with the numbers of tasks behind it."""
    older, newer = rows[0], rows[-1]
    counts = {key: _wins(tasks, key, newer) for key in ("seconds", "guide_usd_per_run", "usd_per_run")}
    names = {"newer": newer["brief"], "older": older["brief"]}
    worth = (
        gettext("For these tasks, paying for the {newer} instead of the {older} saves money today.", **names)
        if 2 * counts["usd_per_run"] > len(TASKS)
        else gettext(
            "For these tasks, the {newer} is not worth its price over the {older} today, unless time matters most.", **names
        )
    )
    figures = gettext(
        "The {newer} finishes {faster} of {n} tasks sooner than the {older}. It was cheaper for "
        "{then} of them in {year}, and is cheaper for {today} today.",
        n=len(TASKS),
        **names,
        faster=counts["seconds"],
        then=counts["guide_usd_per_run"],
        today=counts["usd_per_run"],
        year=tasks[0]["guide_date"].year,
    )
    return f"{worth} {figures}"


def _wins(tasks: list[Row], key: str, newer: Row) -> int:
    """Return the number of tasks in which the best machine of the newer GPU has a lower figure than every other."""
    wins = 0
    for task in TASKS:
        found = [row for row in tasks if row["task"] == task and row[key] is not None]
        ours = [row[key] for row in found if row["gpu_model_id"] == newer["gpu_model_id"]]
        theirs = [row[key] for row in found if row["gpu_model_id"] != newer["gpu_model_id"]]
        wins += bool(ours) and bool(theirs) and min(ours) < min(theirs)
    return wins
