"""The home page: the answer in words, for the reader's kind of work, at today's prices, and the charts that show why."""

from dataclasses import dataclass
from typing import Any

from pipeline.pages import home_figures, market, runs
from pipeline.pages.database import Database, Row
from pipeline.pages.figures import draw, place
from pipeline.pages.labels import month, short_source, sources, words
from pipeline.pages.market import counted
from pipeline.pages.numbers import day, duration, number, usd
from pipeline.pages.rendering import Book, fragment

_OVERVIEW = """
    SELECT (SELECT count(*) FROM gpu) AS cards,
        (SELECT count(*) FROM audit) AS figures, (SELECT count(*) FROM audit WHERE NOT agrees) AS wrong
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """One card of the first screen: who wins at what, by which figure, who comes next, and what it rests on."""

    question: str
    gpu: str
    gpu_id: str | None
    figure: str
    unit: str
    context: str
    next: list[tuple[str, str]]
    source: str


def write(book: Book) -> None:
    """Write the home page."""
    data = book.data
    offers = market.cheapest_and_median(data)
    rows = runs.measured(data, market.cheapest_and_median(data, lot=1))
    rates = home_figures.rates(data, offers)
    guide = sources(data)[rows[0]["source_id"]]
    told = {"guide": short_source(guide), "measured": month(rows[0]["guide_date"])}
    tasks = _tasks(rows, rates, told)
    told |= {"priced": _priced(rows, offers), "source": _sellers(data, offers, told["guide"])}
    figures = [home_figures.price_against_time(rows, tasks, told), *home_figures.of_rates(rates, told)]
    drawn = [draw(book, figure) for figure in figures]
    book.write(
        "",
        "home.md.j2",
        "Which GPU gives the most for the money?",
        "The answer with evidence: price, measured run time, memory.",
        tasks=tasks,
        choice=fragment("choice.html.j2", group="work", tasks=tasks),
        guide=guide,
        told=told,
        current=rows[0]["current"],
        newest=max((row["observed_at"] for row in offers.values()), default=rows[0]["guide_date"]),
        unpriced=_unpriced(rows),
        offers=sum(row["n_offers"] for row in offers.values()),
        summary=_summary(tasks[0]),
        figures=[place("", figure) for figure in drawn],
        overview=data.rows(_OVERVIEW)[0],
        priced=len(offers),
    )


def _priced(rows: list[Row], offers: dict[str, Row]) -> str:
    """Of which days the prices are."""
    if not rows[0]["current"]:
        return f"Prices of {month(rows[0]['guide_date'])}"
    days = [row["observed_at"] for row in offers.values()]
    return f"Prices of {day(min(days))} to {day(max(days))}" if min(days) < max(days) else f"Prices of {day(max(days))}"


def _sellers(data: Database, offers: dict[str, Row], guide: str) -> str:
    if not offers:
        return guide
    known = sources(data)
    return ", ".join(sorted({short_source(known[row["source_id"]]) for row in offers.values()}))


def _unpriced(rows: list[Row]) -> list[str]:
    """Measured cards that nobody offers today."""
    return sorted({row["card"] for row in rows if row["usd_per_hour"] is None})


def _tasks(rows: list[Row], rates: list[Row], told: dict[str, str]) -> list[dict[str, Any]]:
    """Answers per measured task, the task that most cards finished first, training before inference."""
    names = list(dict.fromkeys(row["task"] for row in rows))
    finished = {name: [row for row in rows if row["task"] == name and row["seconds"] is not None] for name in names}
    names.sort(key=lambda name: (-len(finished[name]), "training" not in name))
    memory = [_memory_answer(rates)] if rates else []
    return [
        {
            "id": name,
            "label": words(name),
            "answers": [_cheapest(finished[name], told), _fastest(finished[name], told), *memory],
            "rows": finished[name],
        }
        for name in names
    ]


def _cheapest(rows: list[Row], told: dict[str, str]) -> Answer:
    order = sorted((row for row in rows if row["usd_per_run"] is not None), key=lambda row: row["usd_per_run"])
    if not order:
        context = "No card that finished this task has a current on-demand price."
        return Answer("Cheapest per result", "Not known now", None, "", "", context, [], f"Run times: {told['guide']}")
    best = order[0]
    context = f"{duration(best['seconds'])} at {usd(best['usd_per_hour'])} an hour"
    rest = [(row["card"], str(usd(row["usd_per_run"]))) for row in order[1:3]]
    figure = str(usd(best["usd_per_run"]))
    return Answer(
        "Cheapest per result", best["card"], best["gpu_id"], figure, "a run", context + _median(best), rest, _from(best, told)
    )


def _fastest(rows: list[Row], told: dict[str, str]) -> Answer:
    order = sorted(rows, key=lambda row: row["seconds"])
    best = order[0]
    rest = [(row["card"], str(duration(row["seconds"]))) for row in order[1:3]]
    if best["usd_per_run"] is None:
        context = f"no current price; {usd(best['guide_usd_per_hour'])} an hour in {told['measured']}"
    else:
        context = f"{usd(best['usd_per_hour'])} an hour, {usd(best['usd_per_run'])} a run"
    return Answer(
        "Fastest", best["card"], best["gpu_id"], str(duration(best["seconds"])), "a run", context, rest, _from(best, told)
    )


def _median(row: Row) -> str:
    """The median beside the cheapest price, where there is more than one to compare."""
    return f"; median of {row['n_providers']} providers {usd(row['usd_median'])}" if (row["n_providers"] or 0) > 1 else ""


def _from(row: Row, told: dict[str, str]) -> str:
    """What an answer with a run time rests on."""
    if not row["current"]:
        return f"{told['guide']}, {told['measured']}"
    times = f"Run time: {told['guide']}, {told['measured']}"
    return f"{_offered(row)}. {times}" if row["usd_per_hour"] is not None else times


def _offered(row: Row) -> str:
    lot = f", {row['lot']} cards at once" if (row["lot"] or 1) > 1 else ""
    return f"Cheapest of {counted(row)}: {row['provider']}{lot}, {day(row['observed_at'])}"


def _memory_answer(rates: list[Row]) -> Answer:
    order = sorted((row for row in rates if row["gb_per_usd_hour"]), key=lambda row: -row["gb_per_usd_hour"])
    best = order[0]
    context = f"{number(best['memory_gb'])} GB at {usd(best['usd_min'])} an hour"
    rest = [(row["card"], f"{number(row['gb_per_usd_hour'], 3)} GB") for row in order[1:3]]
    figure = f"{number(best['gb_per_usd_hour'], 3)} GB"
    return Answer(
        "Most memory per dollar",
        best["card"],
        best["gpu_id"],
        figure,
        "for $1 an hour",
        context + _median(best),
        rest,
        _offered(best),
    )


def _summary(task: dict[str, Any]) -> str:
    """The answer in one sentence, for the task shown first."""
    priced = [row for row in task["rows"] if row["usd_per_run"] is not None]
    fast = min(task["rows"], key=lambda row: row["seconds"])
    if not priced:
        return f"For {task['label']}, the {fast['card']} is the fastest of those measured; none of them has a current price."
    cheap = min(priced, key=lambda row: row["usd_per_run"])
    when = f" at the newest prices ({day(cheap['observed_at'])})" if cheap["current"] else ""
    if cheap is fast:
        cost = usd(cheap["usd_per_run"])
        return f"For {task['label']}, the {cheap['card']} is both the fastest and the cheapest{when}: {cost} a run."
    text = f"For {task['label']}, the {cheap['card']} is the cheapest{when}: {usd(cheap['usd_per_run'])} a run."
    times = number(cheap["seconds"] / fast["seconds"], 2)
    if fast["usd_per_run"] is None:
        return f"{text} The {fast['card']} is {times} times as fast, but has no current price."
    factor = number(fast["usd_per_run"] / cheap["usd_per_run"], 2)
    return f"{text} The {fast['card']} is the fastest: {times} times as fast, at {factor} times the cost."
