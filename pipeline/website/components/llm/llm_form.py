"""Form for language models on the home page: the default question, its answers and the choices of the form.

The answers come from `pipeline.llm.choice`. `site/docs/assets/llm-form.js` writes the same rows in the browser when the reader
changes the question.
"""

import re
from dataclasses import asdict, replace
from itertools import groupby
from typing import Any

from pipeline.llm import choice, memory
from pipeline.llm.choice import Choice
from pipeline.llm.memory import Question
from pipeline.website.components.database import Database
from pipeline.website.components.labels import short_gpu
from pipeline.website.components.llm.llm_data import MODELS
from pipeline.website.components.numbers import number, usd
from pipeline.website.i18n.language import gettext
from pipeline.website.rendering import PageWriter

FIRST, FIRST_USE, FIRST_TYPE = "llama-3.1-8b", "single", "q4_k_m"
SHOWN = 8
_FIGURE = re.compile(r"\d[\d.-]*")
_TYPES = "SELECT quantization, title FROM llm_quantization WHERE is_choice ORDER BY bytes_per_weight DESC, title"
# a conversation of one user grows, so its context is that of the default question; the other uses fill memory with their own load
_USES = """
    SELECT use, title, concurrency::BIGINT AS users, CASE WHEN concurrency > 1 THEN prompt_tokens + output_tokens END AS context,
        CASE WHEN concurrency > 1 THEN 'bf16' END AS type
    FROM llm_use ORDER BY use <> 'single', concurrency, prompt_tokens
"""


def context(writer: PageWriter) -> dict[str, Any]:
    """Return the context of the form's template."""
    data = writer.data
    question, choices = data.once(FIRST, lambda: _answer(data))
    placed = [one for one in choices if one.place]
    return {
        "asked": question,
        "use": FIRST_USE,
        "models": [
            {"family": family, "models": list(rows)} for family, rows in groupby(_models(data), key=lambda row: row["family"])
        ],
        "types": data.rows(_TYPES),
        "uses": data.rows(_USES),
        "lead": _lead(data, question, placed),
        "arithmetic": _arithmetic(data, question, placed[0]) if placed else "",
        "choices": [_row(one) for one in placed],
        "shown": SHOWN,
        "out": _left_out([one for one in choices if not one.place]),
    }


def _models(data: Database) -> list[dict[str, Any]]:
    return [row | {"label": f"{row['name']} ({number(row['n_parameters'] / 1e9, 3)}B)"} for row in data.rows(MODELS)]


def _answer(data: Database) -> tuple[Question, list[Choice]]:
    question = memory.model_question(data.connection, FIRST)
    if question is None:
        raise ValueError(f"llm_fit_case has no model {FIRST}, the first answer of the home page")
    question = memory.with_quantization(data.connection, question, FIRST_TYPE)
    return question, choice.choose(data.connection, question, FIRST_USE)


def _lead(data: Database, question: Question, placed: list[Choice]) -> str:
    """Return the cheapest and the fastest in one text."""
    (title,) = (row["title"] for row in data.rows(_TYPES) if row["quantization"] == question.quantization)
    (name,) = (row["name"] for row in data.rows(MODELS) if row["llm_model_id"] == question.llm_model_id)
    if not placed:
        return gettext("{model} as {type}: no GPU meets every limit.", model=name, type=title)
    cheap, fast = placed[0], min(placed, key=lambda one: (-(one.tokens_per_s or 0), one.usd_per_million or 0, one.gpu_id))
    text = gettext(
        "{model} as {type}: tokens cost least on the {gpu}, {usd} per million at {speed} tokens/s.",
        model=name,
        type=title,
        gpu=_named(cheap),
        usd=usd(cheap.usd_per_million),
        speed=number(cheap.tokens_per_s, 3),
    )
    if fast.gpu_id == cheap.gpu_id:
        return f"{text} {gettext('It is also the fastest.')}"
    fastest = gettext(
        "The fastest is the {gpu}: {speed} tokens/s, {usd} per million.",
        gpu=_named(fast),
        usd=usd(fast.usd_per_million),
        speed=number(fast.tokens_per_s, 3),
    )
    return f"{text} {fastest}"


def _arithmetic(data: Database, question: Question, best: Choice) -> str:
    """Return the memory of the first choice as a sum."""
    (fit,) = memory.answer(data.connection, [replace(question, gpus=best.gpus or 1)], best.gpu_id)
    return gettext(
        "Memory on the {gpu}: {weights} GB of weights and {cache} GB of KV cache, {needed} GB on each GPU, of {usable} GB usable "
        "in {engine}. Longest context that fits: {tokens} tokens.",
        gpu=_named(best),
        weights=number(fit.weight_gb, 3),
        cache=number(fit.kv_gb, 3),
        needed=number(fit.gpu_gb, 3),
        usable=number(fit.usable_gb, 3),
        engine=fit.engine,
        tokens=number(fit.max_context_tokens),
    )


def _row(one: Choice) -> dict[str, Any]:
    return asdict(one) | {
        "card": short_gpu(one.name, one.gpu_id),
        "speed": number(one.tokens_per_s, 3),
        "interval": _interval(number(one.low, 3), number(one.high, 3)),
        "usd_interval": _interval(usd(one.usd_per_million_low), usd(one.usd_per_million_high)),
        "needed": number(one.needed_gb, 3),
        "usable": gettext("of {gb}", gb=number(one.usable_gb, 3)),
    }


def _interval(low: str, high: str) -> str:
    return f"{low}–{high}" if low and low != high else ""


def _named(one: Choice) -> str:
    card = short_gpu(one.name, one.gpu_id)
    return f"{one.gpus} x {card}" if (one.gpus or 1) > 1 else card


def _left_out(choices: list[Choice]) -> list[dict[str, Any]]:
    """Group the GPUs that miss a limit by reason, without the figures in it, largest group first."""
    groups: dict[str, list[Choice]] = {}
    for one in choices:
        groups.setdefault(_FIGURE.sub("…", one.reason), []).append(one)
    order = sorted(groups.items(), key=lambda group: (-len(group[1]), group[0]))
    return [_group(kind, found) for kind, found in order]


def _group(kind: str, found: list[Choice]) -> dict[str, Any]:
    same = len({one.reason for one in found}) == 1
    cards = [
        {"gpu_id": one.gpu_id, "card": short_gpu(one.name, one.gpu_id), "reason": "" if same else one.reason} for one in found
    ]
    return {"reason": found[0].reason if same else kind, "count": len(found), "cards": cards}
