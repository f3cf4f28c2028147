"""Form for language models on the home page: the default question, its answers and the choices of the form.

The answers come from `pipeline.recommend.language_model`. `site/docs/assets/llm-form.js` writes the same rows in the browser
when the reader changes the question.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import groupby
from typing import Any

from pipeline.llm import memory
from pipeline.llm.arithmetic import most_less_than_sold
from pipeline.llm.memory import Question
from pipeline.recommend import language_model
from pipeline.recommend.language_model import RankedGpu
from pipeline.recommend.other_billing import find_cheaper
from pipeline.recommend.to_buy import LAST_KNOWN, MACHINES, ToBuy, to_buy
from pipeline.website.components.llm import llm_advice
from pipeline.website.components.llm.llm_advice import QuestionWords
from pipeline.website.components.llm.llm_data import MODELS, types_by_model
from pipeline.website.components.purchases import kind
from pipeline.website.components.recommend.buying import buying
from pipeline.website.components.recommend.left_out import left_out
from pipeline.website.components.recommend.wording import multiple, several, span
from pipeline.website.i18n.language import gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.numbers import number, usd
from pipeline.website.writing.page_writer import PageWriter

FIRST, FIRST_USE, FIRST_TYPE = "llama-3.1-8b", "single", "q4_k_m"
SHOWN = 8
_READING = "SELECT value FROM assumption WHERE assumption_id = 'reading_tokens_per_s'"
_TYPES = """
    SELECT quantization, title, NOT list_contains(?::VARCHAR[], quantization) AS is_rare FROM llm_quantization WHERE is_choice
    ORDER BY bytes_per_weight DESC, title
"""
# a conversation of one user grows, so its context is that of the default question; the other uses fill memory with their own load
_USES = """
    SELECT use, title, prompt_tokens, output_tokens, concurrency::BIGINT AS users, may_wait,
        CASE WHEN concurrency > 1 THEN prompt_tokens + output_tokens END AS context,
        CASE WHEN concurrency > 1 THEN 'best' END AS type
    FROM llm_use ORDER BY use <> 'single', concurrency, prompt_tokens
"""
# the cheapest number of each GPU for a model, type of weights and use; it compares no memory
_RANKED = """SELECT g.name, r.rank, r.gpu_count, r.usd_per_million_output_tokens, r.tokens_per_s, r.tokens_per_s_low,
    r.tokens_per_s_high, r.basis, r.provider, r.price_date, r.variant_stated
FROM llm_rank AS r
JOIN gpu AS g USING (gpu_id)
WHERE r.llm_model_id = '{model}' AND r.quantization IN ('{quantization}') AND r.use = '{use}'
ORDER BY r.rank NULLS LAST, r.usd_per_million_output_tokens"""


def context(writer: PageWriter) -> dict[str, Any]:
    """Return the context of the form's template."""
    data = writer.data
    question, choices = first_answer(data)
    words = _question_words(data, question)
    types, stored = _types(data), types_by_model(data)
    models = [_model(row, types, stored[row["llm_model_id"]]) for row in data.rows(MODELS)]
    running = [one for one in choices if not one.reason]
    return {
        "asked": question,
        "use": FIRST_USE,
        "models": [{"family": family, "models": list(rows)} for family, rows in groupby(models, key=lambda row: row["family"])],
        "types": types,
        "uses": data.rows(_USES),
        "question": words.text,
        "sql": _RANKED.format(model=FIRST, quantization=FIRST_TYPE, use=FIRST_USE),
        "lead": llm_advice.advice(words, choices, data.sellers),
        **(_best(data, question, choices) if running else {"rent": None, "need": "", "arithmetic": "", "to_buy": []}),
        "choices": [_row(one) for one in running],
        "shown": SHOWN,
        "percent_less": math.ceil(100 * most_less_than_sold(data.connection)),
        "out": left_out([one for one in choices if one.reason]),
    }


def _best(data: Database, question: Question, choices: list[RankedGpu]) -> dict[str, Any]:
    """Return the tiles: the first choice to rent, the one to buy, and the memory of the first."""
    best, cheaper = choices[0], find_cheaper(data.connection, choices)
    purchases, gpus = to_buy(data.rows(LAST_KNOWN), data.rows(MACHINES), choices), best.gpus or 1
    bought = purchases[0].choice if purchases else best
    return {
        "rent": _row(best) | {"counted": several(best.name, best.gpu_id, gpus), "context": _rent_context(best)},
        "cheaper": _row(cheaper) | {"text": llm_advice.other_terms(cheaper)} if cheaper else None,
        "bought": _row(bought),
        "to_buy": [_bought_row(one) for one in purchases],
        "buy": buying(data, bought.gpu_id, bought.gpus or 1, bought.usd_per_hour, tokens_per_s=bought.tokens_per_s),
        "need": gettext("{needed} GB of {usable} GB", needed=number(best.needed_gb, 3), usable=number(best.usable_gb, 3)),
        "arithmetic": _arithmetic(data, question, best),
    }


def _model(row: Row, types: Sequence[Row], stored: set[str]) -> dict[str, Any]:
    label = f"{row['name']} ({number(row['n_parameters'] / 1e9, 3)}B)"
    return row | {"label": label, "own_types": _own_types(types, stored)}


def _types(data: Database) -> list[dict[str, Any]]:
    """Return the types of weights; only models published in them have the rare ones."""
    return data.rows(_TYPES, memory.stored_types(data.connection, None))


def _own_types(types: Sequence[Row], stored: set[str]) -> str:
    """Return the types that a model published in 4 bits has, and no other; empty for a model that has all usual ones."""
    has_usual = all(one["is_rare"] or one["quantization"] in stored for one in types)
    return "" if has_usual else " ".join(one["quantization"] for one in types if one["quantization"] in stored)


def first_answer(data: Database) -> tuple[Question, list[RankedGpu]]:
    """Return the question that the form asks at first, and every GPU as an answer to it."""
    return data.once(FIRST, lambda: _answer(data))


def _answer(data: Database) -> tuple[Question, list[RankedGpu]]:
    question = memory.model_question(data.connection, FIRST)
    if question is None:
        raise ValueError(f"llm_fit_case has no model {FIRST}, the first answer of the home page")
    question = memory.with_quantization(data.connection, question, FIRST_TYPE)
    return question, language_model.answer(data.connection, question, FIRST_USE)


def _question_words(data: Database, question: Question) -> QuestionWords:
    (title,) = (row["title"] for row in _types(data) if row["quantization"] == question.quantization)
    (name,) = (row["name"] for row in data.rows(MODELS) if row["llm_model_id"] == question.llm_model_id)
    (use,) = (row for row in data.rows(_USES) if row["use"] == FIRST_USE)
    text = gettext("{model} as {type}, {use}", model=name, type=title, use=gettext(use["title"]).lower())
    return QuestionWords(model=name, stored=title, text=text, reading=data.rows(_READING)[0]["value"])


def _rent_context(best: RankedGpu) -> str:
    if best.tokens_per_s is None:
        return gettext("enough memory, speed not known here")
    return gettext(
        "{usd} per million tokens at {speed} tokens/s ({range})",
        usd=usd(best.usd_per_million),
        speed=number(best.tokens_per_s, 3),
        range=gettext(", ").join(part for part in (_range(best), _basis(best)) if part),
    )


def _arithmetic(data: Database, question: Question, best: RankedGpu) -> str:
    """Return the memory of the first choice as a sum."""
    (fit,) = memory.answer(data.connection, [replace(question, gpus=(best.gpus or 1) // best.copies)], best.gpu_id)
    return gettext(
        "{weights} GB of weights and {cache} GB of KV cache need {needed} GB on each GPU. "
        "{engine} can use {usable} GB. Longest context that fits: {tokens} tokens.",
        weights=number(fit.weight_gb, 3),
        cache=number(fit.kv_gb, 3),
        needed=number(fit.gpu_gb, 3),
        usable=number(fit.usable_gb, 3),
        engine=fit.engine,
        tokens=number(fit.max_context_tokens),
    )


def _row(one: RankedGpu) -> dict[str, Any]:
    return asdict(one) | {
        "gpu": short_gpu(one.name, one.gpu_id),
        "basis_text": _basis(one),
        "speed": number(one.tokens_per_s, 3),
        "interval": _range(one),
        "usd_interval": span(usd(one.usd_per_million_low), usd(one.usd_per_million_high)),
        "multiple": multiple(one.gpus or 1, (one.usd_per_hour or 0) / (one.gpus or 1)),
        "needed": number(one.needed_gb, 3),
        "usable": gettext("of {gb}", gb=number(one.usable_gb, 3)),
    }


def _bought_row(one: ToBuy) -> dict[str, Any]:
    sold = {
        "usd": one.usd,
        "usd_per_token_s": one.usd_per_token_s,
        "kind": kind(one.price["kind"]),
        "price_date": one.price["price_date"],
    }
    return _row(one.choice) | sold | {"multiple": multiple(one.choice.gpus or 1, one.price["usd"])}


def _basis(one: RankedGpu) -> str:
    return gettext("predicted, not ranked") if one.unranked else gettext(one.basis or "")


def _range(one: RankedGpu) -> str:
    return span(number(one.low, 3), number(one.high, 3))
