"""Recommendation of GPUs for a language model: those that fit, on the number of GPUs that makes tokens cheapest, ranked.

A prediction too wide for a rank (is_rankable) follows the ranked ones. Speed and price come from llm_cost and llm_tuning_cost, on
demand and current. What they lack is predicted: another model, another load, or a GPU that nobody rents out. Without a speed, the
price of the GPUs that it needs decides. `site/docs/assets/llm-recommend.js` does the same in the browser.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any

import duckdb

from pipeline.llm import memory
from pipeline.llm.memory import COUNTS, Fit, Question
from pipeline.llm.request_load import Load
from pipeline.recommend.rates import (
    Place,
    Rate,
    Rates,
    add_predicted,
    on_gpus,
    predicted_rates,
    priced_rates,
    read_offers,
    read_rates,
)
from pipeline.warehouse.connection import dictionaries

OBJECTIVES = ("cheapest", "fastest")
NO_PRICE = "no current on-demand price is known"
NO_SPEED = "its speed with this model is not known"
NOT_MEASURED = "no GPU of its kind was measured with such weights"
Facts = dict[str, Any]  # of a GPU: the columns of _FACTS


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedGpu(Rate):
    """A GPU as an answer, at its best rate; `rank` is None if it is unranked, or misses a limit, which `reason` states.

    One that fits and has no current price on demand has its speed for one user nonetheless, for readers who own or buy it.
    """

    rank: int | None = None
    gpu_id: str
    name: str
    memory_gb: float
    usable_gb: float
    quantization: str = ""
    gpus: int | None = None
    at_once: int | None = None
    needed_gb: float | None = None
    usd_per_million: float | None = None
    usd_per_million_low: float | None = None
    usd_per_million_high: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of the reader: maker, number of GPUs of all copies of the model, and whether they are for a data center."""

    vendor: str | None = None
    gpus: int | None = None
    data_centre: bool = False


NO_LIMITS = Limits()


def answer(
    con: duckdb.DuckDBPyConnection, question: Question, use: str, objective: str = "cheapest", limits: Limits = NO_LIMITS
) -> list[RankedGpu]:
    """Return the GPUs that run the model in the use, best first, then unranked ones, then those that cannot, by gpu_id."""
    return choose(con, [(question, read_rates(con, question, use))], read_offers(con), objective, limits)


def answer_for_load(
    con: duckdb.DuckDBPyConnection, questions: Sequence[Question], load: Load, objective: str, limits: Limits = NO_LIMITS
) -> list[RankedGpu]:
    """Return the same for a model stored in any of several types, each GPU with its best.

    A model or a load that the tables lack gets its speeds from the fitted model.
    """
    offers = read_offers(con)
    stored = [read_rates(con, question, load.use) if load.is_stored else {} for question in questions]
    of_model = con.execute("SELECT 1 FROM llm_speed WHERE llm_model_id = ? LIMIT 1", [questions[0].llm_model_id])
    in_tables = load.is_stored and of_model.fetchone() is not None
    predicted = predicted_rates(con, questions, load, offers)
    rates = [add_predicted(known, more, in_tables=in_tables) for more, known in zip(predicted, stored, strict=True)]
    return choose(con, list(zip(questions, rates, strict=True)), offers, objective, limits)


def choose(
    con: duckdb.DuckDBPyConnection,
    asked: Sequence[tuple[Question, Rates]],
    offers: Rates,
    objective: str,
    limits: Limits = NO_LIMITS,
) -> list[RankedGpu]:
    """Return each GPU with its best type, ranked; types without any speed at a price count only if none has one."""
    facts = {row["gpu_id"]: row for row in dictionaries(con.execute(_FACTS))}
    if limits.gpus:
        asked = [(question, on_gpus(question, rates, offers, limits.gpus)) for question, rates in asked]
        offers = {place: offer for place, offer in offers.items() if place[1] == limits.gpus}
    known = [one for one in asked if priced_rates(one[1])] or asked
    counts = [count for count in COUNTS if count <= (limits.gpus or COUNTS[-1])]
    by_type = [_each_gpu(con, one, facts, offers, objective, counts) for one in known]
    best = [min(same, key=lambda one: _order(one, objective)) for same in zip(*by_type, strict=True)]
    found = [_limited(one, facts[one.gpu_id], limits) for one in best]
    return [*_ranked(found, objective), *(one for one in found if one.reason)]


def _each_gpu(
    con: duckdb.DuckDBPyConnection,
    asked: tuple[Question, Rates],
    facts: dict[str, Facts],
    offers: Rates,
    objective: str,
    counts: Sequence[int],
) -> list[RankedGpu]:
    """Return the best number of each GPU, by gpu_id."""
    question, rates = asked
    fits = memory.answer(con, [replace(question, gpus=count) for count in counts])
    by_gpu = groupby(sorted(fits, key=lambda one: (one.gpu_id, one.case_id)), key=lambda one: one.gpu_id)
    best = []
    for gpu_id, fits_of_gpu in by_gpu:
        of_gpu = list(fits_of_gpu)
        reason = _not_compared(of_gpu[0], question, facts[gpu_id])
        priced = priced_rates(rates) or ({} if reason else offers)
        found = _best(of_gpu, facts[gpu_id], priced, objective)
        best.append(found or _left_out(of_gpu, facts[gpu_id], rates, offers, reason))
    return [replace(one, quantization=question.quantization) for one in best]


def _limited(one: RankedGpu, facts: Facts, limits: Limits) -> RankedGpu:
    """Return the GPU, left out if it misses a limit of the reader."""
    vendor = facts["vendor"]
    if limits.data_centre and facts["is_barred"]:
        return replace(one, reason="the vendor's driver licence does not allow GeForce and Titan in data centers")
    is_other = limits.vendor is not None and vendor.lower() != limits.vendor.lower()
    return replace(one, reason=f"made by {vendor}, {limits.vendor} asked for") if is_other else one


def _not_compared(fit: Fit, question: Question, facts: Facts) -> str:
    """Return why a GPU is not compared by its price where no speed is known; empty if it is."""
    if question.tune:
        return ""
    if not fit.runs:
        return f"{fit.engine} does not run on it" if fit.runs is False else f"whether {fit.engine} runs on it is not known"
    lacks_fp8 = question.quantization in memory.NARROW and not facts["has_fp8"]
    lacks_packed = question.quantization in memory.PACKED and not facts["runs_packed"]
    return NOT_MEASURED if lacks_fp8 or lacks_packed else ""


def _best(fits: Sequence[Fit], facts: Facts, priced: Rates, objective: str) -> RankedGpu | None:
    """Return the best number of this GPU that fits and has a price; None without one. Without a speed, the price decides."""
    running = [_ranked_gpu(fit, facts, priced[_place(fit)]) for fit in fits if fit.fits and _place(fit) in priced]
    return min(running, key=lambda one: (one.unranked, *_keys(one, objective), one.gpus or 0), default=None)


def _left_out(fits: Sequence[Fit], facts: Facts, rates: Rates, offers: Rates, reason: str) -> RankedGpu:
    """Return the GPU with the first limit that none of its numbers meets, and with its speed if it only lacks a price."""
    fitting = [fit for fit in fits if fit.fits]
    known = [fit for fit in fitting if _place(fit) in rates]
    if known:
        most = _most_per_gpu(known, rates)
        return replace(_ranked_gpu(most, facts, rates[_place(most)]), reason=NO_PRICE)
    shown = fitting[0] if fitting else min((fit for fit in fits if fit.gpu_gb is not None), key=lambda fit: fit.gpu_gb or 0)
    return RankedGpu(
        gpu_id=shown.gpu_id, name=facts["name"], memory_gb=facts["memory_gb"], usable_gb=shown.usable_gb, needed_gb=shown.gpu_gb,
        at_once=shown.at_once if fitting else None,
        gpus=COUNTS[shown.case_id] if fitting and not reason else None,
        reason=_reason(shown, bool(fitting), reason or (NO_SPEED if any(_place(fit) in offers for fit in fitting) else NO_PRICE)),
    )  # fmt: skip


def _most_per_gpu(known: Sequence[Fit], rates: Rates) -> Fit:
    """Return the fewest GPUs; where more have room for more requests, the number that is fastest per GPU."""
    if known[0].at_once == known[-1].at_once:
        return known[0]
    return max(known, key=lambda fit: (rates[_place(fit)].tokens_per_s or 0) / (COUNTS[fit.case_id] * rates[_place(fit)].copies))


def _place(fit: Fit) -> Place:
    return fit.gpu_id, COUNTS[fit.case_id]


def _ranked_gpu(fit: Fit, facts: Facts, rate: Rate) -> RankedGpu:
    usd = rate.usd_per_hour
    return RankedGpu(
        gpu_id=fit.gpu_id, name=facts["name"], memory_gb=facts["memory_gb"], usable_gb=fit.usable_gb, needed_gb=fit.gpu_gb,
        gpus=COUNTS[fit.case_id] * rate.copies, at_once=fit.at_once, **asdict(rate),
        usd_per_million=usd_per_million(usd, rate.tokens_per_s), usd_per_million_low=usd_per_million(usd, rate.high),
        usd_per_million_high=usd_per_million(usd, rate.low),
    )  # fmt: skip


def usd_per_million(usd_per_hour: float | None, tokens_per_s: float | None) -> float | None:
    """Return the cost of a million tokens at a steady rate; None without a price or a speed."""
    return usd_per_hour / (tokens_per_s * 3600) * 1e6 if usd_per_hour is not None and tokens_per_s else None


def _reason(fit: Fit, fits: bool, lacking: str) -> str:
    if fits:
        return lacking
    return f"needs {fit.gpu_gb:.1f} GB on each of {COUNTS[fit.case_id]} GPUs, {fit.usable_gb:.1f} GB usable"


def _order(one: RankedGpu, objective: str) -> tuple[bool, bool, float, float]:
    """Return the order of the types on one GPU: ranked ones, unranked ones, one with a speed, the one that lacks least memory."""
    missed = (True, one.tokens_per_s is None, one.needed_gb or 0, 0)
    return missed if one.reason else (False, one.unranked, *_keys(one, objective))


def _keys(one: RankedGpu, objective: str) -> tuple[float, float]:
    cost = one.usd_per_hour if one.usd_per_million is None else one.usd_per_million
    keys = (cost or 0.0, -(one.tokens_per_s or 0.0))
    return keys if objective == "cheapest" else keys[::-1]


def _ranked(found: Sequence[RankedGpu], objective: str) -> Iterator[RankedGpu]:
    """Yield the GPUs without a reason, best first; unranked ones after the others, without a rank."""
    running = sorted((one for one in found if not one.reason), key=lambda one: (one.unranked, *_keys(one, objective), one.gpu_id))
    return (replace(one, rank=None if one.unranked else rank) for rank, one in enumerate(running, start=1))


_FACTS = """
    SELECT gpu_id, name, memory_gb, vendor, vendor = 'NVIDIA' AND fp8_tensor_tflops IS NOT NULL AS has_fp8,
        runs_packed_weights(vendor, compute_capability) AS runs_packed, bars_data_centers(vendor, segment) AS is_barred
    FROM gpu
"""
