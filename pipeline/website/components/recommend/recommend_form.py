"""Recommendation form of the home page: the default question, its answers and the choices of the form.

The answers come from `pipeline.warehouse.recommend`. `site/docs/assets/recommend-form.js` writes the same GPUs and rows in the
browser when the reader changes the question.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any

from pipeline.warehouse import recommend
from pipeline.warehouse.recommend import Choice, Question
from pipeline.website.components.database import Database, Row
from pipeline.website.components.labels import short_gpu, words
from pipeline.website.components.numbers import day, duration, number, usd
from pipeline.website.components.purchases import purchase_note, purchase_range
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.rendering import PageWriter

FIRST = "transformer"
SHOWN = 8
_KINDS = ("family", "specification", "task")
_GROUPS = {
    "family": N_("Training, by kind of network"),
    "specification": N_("By specification"),
    "task": N_("Tasks that a guide timed"),
}
_FAMILIES = {
    "all": N_("Deep learning of all kinds"),
    "cnn": N_("Convolutional networks"),
    "transformer": N_("Transformers"),
    "rnn": N_("Recurrent networks"),
}
_WORKLOADS = """
    SELECT DISTINCT workload, kind, family, precision FROM workload_time ORDER BY list_position(?, kind), precision, workload
"""
_BILLINGS = "SELECT DISTINCT billing FROM offer_current WHERE way = 'rent' ORDER BY billing <> 'on_demand', billing"
_KWH = "SELECT value FROM assumption WHERE assumption_id = 'usd_per_kwh'"
Told = Callable[[Choice], str]
_FIGURE = re.compile(r"\d[\d.-]*")


@dataclass(frozen=True, slots=True)
class Answer:
    """One tile of the first screen: the question, the best GPU with its figure, the next ones, and the basis."""

    question: str
    gpu_id: str | None
    gpu: str
    figure: str
    unit: str
    context: str
    next: list[tuple[str, str]]
    source: str


def context(writer: PageWriter) -> dict[str, Any]:
    """Return the context of the form's template."""
    con = writer.data.connection
    groups = workloads(writer.data)
    every = [one for group in groups for one in group["workloads"]]
    first = next((one for one in every if one["workload"] == FIRST), every[0])
    question = Question(workload=first["workload"])
    answers = {
        name: _choices(writer.data, replace(question, objective=name)) for name in ("fastest", "memory_per_usd", "cheapest")
    }
    order = {name: [choice for choice in choices if choice.place] for name, choices in answers.items()}
    return {
        "groups": groups,
        "asked": first,
        "lead": _lead(first["label"], order),
        "answers": [_cheapest(order["cheapest"]), _fastest(order["fastest"]), _memory(order["memory_per_usd"])],
        "choices": [asdict(choice) | {"card": _name(choice)} for choice in order["cheapest"]],
        "shown": SHOWN,
        "out": _left_out([choice for choice in answers["cheapest"] if choice.place is None]),
        "billings": [row["billing"] for row in writer.data.rows(_BILLINGS)],
        "providers": recommend.providers(con),
        "vendors": recommend.vendors(con),
        "usd_per_kwh": writer.data.rows(_KWH)[0]["value"],
        "purchase_note": purchase_note(writer.data),
        "purchase_range": purchase_range(writer.data),
        "words": words,
    }


def _choices(data: Database, question: Question) -> list[Choice]:
    return data.once(question, lambda: recommend.answer(data.connection, question))


def workloads(data: Database) -> list[dict[str, Any]]:
    """Return the workloads in groups, each with its label and the meaning of one run."""
    rows = [row | {"label": _label(row), "run": _run(row)} for row in data.rows(_WORKLOADS, list(_KINDS))]
    return [
        {"kind": kind, "label": gettext(_GROUPS[kind]), "workloads": list(found)}
        for kind, found in groupby(rows, key=lambda row: row["kind"])
    ]


def _label(row: Row) -> str:
    if row["kind"] == "specification":
        return gettext("Memory bandwidth")
    if row["kind"] == "task":
        return words(row["workload"])
    return gettext(
        "{family}, {bits}-bit",
        family=gettext(_FAMILIES[row["family"]]) if row["family"] in _FAMILIES else words(row["family"]),
        bits="16" if row["precision"] == "fp16" else "32",
    )


def _run(row: Row) -> str:
    if row["kind"] == "task":
        return gettext("A run is the task as the guide timed it.")
    return gettext("A run is the work that an RTX 2080 Ti does in one hour.")


def _lead(label: str, order: dict[str, list[Choice]]) -> str:
    """Return the three answers in one text."""
    if not order["cheapest"]:
        return gettext("{label}, rented: no card meets every limit.", label=label)
    cheap = order["cheapest"][0]
    fast, memory = order["fastest"][0], order["memory_per_usd"][0]
    text = gettext(
        "{label}, rented: a run costs least on the {card}, {usd}.",
        label=label,
        card=_name(cheap),
        usd=usd(cheap.cost_usd),
    )
    if fast.gpu_id == cheap.gpu_id:
        text += " " + gettext("It is also the fastest.")
    else:
        times, cost = _over(cheap.seconds, fast.seconds), _over(fast.cost_usd, cheap.cost_usd)
        text += " " + gettext(
            "The {card} is the fastest: {times} times as fast, at {cost} times the cost.",
            card=_name(fast),
            times=times,
            cost=cost,
        )
    return f"{text} {gettext('The {card} has the most memory for the money.', card=_name(memory))}"


def _over(a: float | None, b: float | None) -> str:
    return number(a / b, 2) if a and b else ""


def _cheapest(order: list[Choice]) -> Answer:
    return _answer(
        gettext("Cheapest per result"),
        order,
        lambda choice: str(usd(choice.cost_usd)),
        gettext("a run"),
        lambda choice: gettext(
            "{seconds} at {price_usd} an hour", seconds=duration(choice.seconds), price_usd=usd(choice.price_usd)
        ),
    )


def _fastest(order: list[Choice]) -> Answer:
    return _answer(
        gettext("Fastest"),
        order,
        lambda choice: str(duration(choice.seconds)),
        gettext("a run"),
        lambda choice: gettext(
            "{cost_usd} a run at {price_usd} an hour", cost_usd=usd(choice.cost_usd), price_usd=usd(choice.price_usd)
        ),
    )


def _memory(order: list[Choice]) -> Answer:
    return _answer(
        gettext("Most memory for the money"),
        order,
        lambda choice: gettext("{memory} GB", memory=number((choice.memory_gb or 0) / (choice.price_usd or 1), 3)),
        gettext("for $1 an hour"),
        lambda choice: gettext(
            "{memory_gb} GB at {price_usd} an hour", memory_gb=number(choice.memory_gb), price_usd=usd(choice.price_usd)
        ),
    )


def _answer(question: str, order: list[Choice], figure: Told, unit: str, about: Told) -> Answer:
    if not order:
        return Answer(question, None, gettext("None"), "", "", gettext("No card meets every limit."), [], "")
    best = order[0]
    rest = [(_name(choice), figure(choice)) for choice in order[1:3]]
    source = gettext(
        "{provider}, {price_date}; speed {basis}",
        provider=best.provider,
        price_date=day(best.price_date),
        basis=gettext(best.basis),
    )
    return Answer(question, best.gpu_id, _name(best), figure(best), unit, about(best), rest, source)


def _name(choice: Choice) -> str:
    return short_gpu(choice.name, choice.gpu_id)


def _left_out(choices: list[Choice]) -> list[dict[str, Any]]:
    """Group the GPUs that miss a limit by reason, without the figures in it, largest group first."""
    groups: dict[str, list[Choice]] = {}
    for choice in choices:
        groups.setdefault(_FIGURE.sub("…", choice.reason), []).append(choice)
    order = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return [{"reason": _heading(kind, found), "count": len(found), "cards": list(_cards(found))} for kind, found in order]


def _heading(kind: str, choices: list[Choice]) -> str:
    return choices[0].reason if len({choice.reason for choice in choices}) == 1 else kind


def _cards(choices: list[Choice]) -> Iterator[dict[str, Any]]:
    one = len({choice.reason for choice in choices}) == 1
    for choice in choices:
        yield {"gpu_id": choice.gpu_id, "card": _name(choice), "reason": "" if one else choice.reason}
