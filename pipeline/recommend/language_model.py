"""Recommendation of GPUs for a language model: those that fit, on the number of GPUs that makes tokens cheapest, ranked.

A prediction too wide for a rank (is_rankable) follows the ranked ones. Speed and price come from llm_cost and llm_tuning_cost, on
demand and current. What they lack is predicted: another model, another load, or a GPU that nobody rents out. Without a speed, the
price of the GPUs that it needs decides. `site/docs/assets/llm-recommend.js` does the same in the browser.
"""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from typing import Any

import duckdb

from pipeline.llm import memory
from pipeline.llm.memory import COUNTS, SPEED_TYPES, Fit, Question, speed_type
from pipeline.llm.offers import OFFERS
from pipeline.llm.prediction import SPEEDS, predict_speeds
from pipeline.llm.request_load import Load
from pipeline.warehouse.connection import dictionaries

OBJECTIVES = ("cheapest", "fastest")
NO_PRICE = "no current on-demand price is known"
NO_SPEED = "its speed with this model is not known"
NOT_MEASURED = "no GPU of its kind was measured with such weights"
Place = tuple[str, int]  # gpu_id, number of GPUs of one copy of the model


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A number of GPUs: the price of all of them and output tokens per second of all copies, with their range; one may be None.

    Where the seller does not state the variant, the price counts for the weakest variant that it can be.
    """

    usd_per_hour: float | None = None
    provider: str | None = None
    price_date: dt.date | None = None
    tokens_per_s: float | None = None
    low: float | None = None
    high: float | None = None
    basis: str | None = None
    unranked: bool = False
    copies: int = 1
    variant_stated: bool = True
    billing: str = "on_demand"


Rates = dict[Place, Rate]
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
    needed_gb: float | None = None
    usd_per_million: float | None = None
    usd_per_million_low: float | None = None
    usd_per_million_high: float | None = None
    reason: str = ""


def answer(
    con: duckdb.DuckDBPyConnection, question: Question, use: str, objective: str = "cheapest", vendor: str | None = None
) -> list[RankedGpu]:
    """Return the GPUs that run the model in the use, best first, then unranked ones, then those that cannot, by gpu_id."""
    return choose(con, [(question, read_rates(con, question, use))], read_offers(con), objective, vendor)


def answer_for_load(
    con: duckdb.DuckDBPyConnection, questions: Sequence[Question], load: Load, objective: str, vendor: str | None = None
) -> list[RankedGpu]:
    """Return the same for a model stored in any of several types, each GPU with its best.

    A model or a load that the tables lack gets its speeds from the fitted model.
    """
    offers = read_offers(con)
    stored = [read_rates(con, question, load.use) if load.is_stored else {} for question in questions]
    of_model = con.execute("SELECT 1 FROM llm_speed WHERE llm_model_id = ? LIMIT 1", [questions[0].llm_model_id])
    in_tables = load.is_stored and of_model.fetchone() is not None
    predicted = _predicted(con, questions, load, offers)
    rates = [_add_predicted(known, more, in_tables=in_tables) for more, known in zip(predicted, stored, strict=True)]
    return choose(con, list(zip(questions, rates, strict=True)), offers, objective, vendor)


def _add_predicted(known: Rates, predicted: Rates, *, in_tables: bool) -> Rates:
    """Return the rates of the tables with predicted ones: of GPUs that the tables lack, as nobody rents them out, or of all."""
    if in_tables:
        gpus = {gpu for gpu, _ in known}
        return known | {place: rate for place, rate in predicted.items() if place[0] not in gpus}
    return known | predicted | _priced(known)


def choose(
    con: duckdb.DuckDBPyConnection,
    asked: Sequence[tuple[Question, Rates]],
    offers: Rates,
    objective: str,
    vendor: str | None = None,
) -> list[RankedGpu]:
    """Return each GPU with its best type, ranked; types without any speed at a price count only if none has one."""
    facts = {row["gpu_id"]: row for row in dictionaries(con.execute(_FACTS))}
    known = [one for one in asked if _priced(one[1])] or asked
    by_type = [_each_gpu(con, question, facts, rates, offers, objective) for question, rates in known]
    best = [min(same, key=lambda one: _order(one, objective)) for same in zip(*by_type, strict=True)]
    found = [_limit_vendor(one, facts[one.gpu_id]["vendor"], vendor) for one in best]
    return [*_ranked(found, objective), *(one for one in found if one.reason)]


def _each_gpu(
    con: duckdb.DuckDBPyConnection, question: Question, facts: dict[str, Facts], rates: Rates, offers: Rates, objective: str
) -> list[RankedGpu]:
    """Return the best number of each GPU, by gpu_id."""
    fits = memory.answer(con, [replace(question, gpus=count) for count in COUNTS])
    by_gpu = groupby(sorted(fits, key=lambda one: (one.gpu_id, one.case_id)), key=lambda one: one.gpu_id)
    best = []
    for gpu_id, counts in by_gpu:
        of_gpu = list(counts)
        reason = _not_compared(of_gpu[0], question, facts[gpu_id])
        priced = _priced(rates) or ({} if reason else offers)
        found = _best(of_gpu, facts[gpu_id], priced, objective)
        best.append(found or _left_out(of_gpu, facts[gpu_id], rates, offers, reason))
    return [replace(one, quantization=question.quantization) for one in best]


def _limit_vendor(one: RankedGpu, made_by: str, vendor: str | None) -> RankedGpu:
    """Return the GPU, left out if another vendor is asked for."""
    is_other = vendor is not None and made_by.lower() != vendor.lower()
    return replace(one, reason=f"made by {made_by}, {vendor} asked for") if is_other else one


def _not_compared(fit: Fit, question: Question, facts: Facts) -> str:
    """Return why a GPU is not compared by its price where no speed is known; empty if it is."""
    if question.tune:
        return ""
    if not fit.runs:
        return f"{fit.engine} does not run on it" if fit.runs is False else f"whether {fit.engine} runs on it is not known"
    lacks_fp8 = question.quantization in memory.NARROW and not facts["has_fp8"]
    lacks_packed = question.quantization in memory.PACKED and not facts["runs_packed"]
    return NOT_MEASURED if lacks_fp8 or lacks_packed else ""


def _priced(rates: Rates) -> Rates:
    return {place: rate for place, rate in rates.items() if rate.usd_per_hour is not None}


def read_rates(con: duckdb.DuckDBPyConnection, question: Question, use: str) -> Rates:
    """Return the speed of the model in the use, or by the tuning method, with its seller, by GPU and count."""
    stored = speed_type(question.quantization)
    wanted = f"SELECT * EXCLUDE (llm_model_id, type, use) FROM ({RATES}) WHERE type = $type AND use = $use"
    asked = {"models": [question.llm_model_id], "type": stored, "use": question.tune or use, "counts": list(COUNTS)}
    return _by_place(con.execute(wanted, asked))


def _predicted(con: duckdb.DuckDBPyConnection, questions: Sequence[Question], load: Load, offers: Rates) -> list[Rates]:
    """Return predicted speeds of each type with the cheapest offers; a GPU without an offer has the speed of one copy."""
    rates: dict[str, Rates] = {speed_type(question.quantization): {} for question in questions}
    for stored, gpu, count, *speeds in predict_speeds(con, questions, load).rows():
        rate = dict(zip(SPEEDS, speeds, strict=True))
        copies = _copies_in_offer(offers, (gpu, count), load) or 1
        offer = offers.get((gpu, count * copies), Rate())
        unranked = not _is_rankable(con, rate["low"], rate["high"])
        all_copies = {name: speed * copies for name, speed in rate.items()}
        rates[stored][gpu, count] = replace(offer, basis="predicted", unranked=unranked, copies=copies, **all_copies)
    return [rates[speed_type(question.quantization)] for question in questions]


def _copies_in_offer(offers: Rates, place: Place, load: Load) -> int:
    """Return how many copies of the model the smallest offer of this GPU has room for; 0 without an offer. One user has one."""
    gpu, count = place
    several = COUNTS if load.concurrency > 1 else (1,)
    return next((copies for copies in several if (gpu, count * copies) in offers), 0)


def _is_rankable(con: duckdb.DuckDBPyConnection, low: float, high: float) -> bool:
    return con.execute("SELECT is_rankable('predicted', ?, ?)", [low, high]).fetchone() == (True,)


def read_offers(con: duckdb.DuckDBPyConnection, billings: Sequence[str] = ("on_demand",)) -> Rates:
    """Return the cheapest current offer on these terms of each GPU and count."""
    return _by_place(con.execute(OFFERS, {"counts": list(COUNTS), "billings": list(billings)}))


def _by_place(result: duckdb.DuckDBPyConnection) -> Rates:
    """Return the rows by GPU and count; their other columns are fields of a rate."""
    return {(row.pop("gpu_id"), row.pop("gpu_count")): Rate(**row) for row in dictionaries(result)}


def _best(fits: Sequence[Fit], facts: Facts, priced: Rates, objective: str) -> RankedGpu | None:
    """Return the best number of this GPU that fits and has a price; None without one. Without a speed, the price decides."""
    running = [_ranked_gpu(fit, facts, priced[_place(fit)]) for fit in fits if fit.fits and _place(fit) in priced]
    return min(running, key=lambda one: (one.unranked, *_keys(one, objective), one.gpus or 0), default=None)


def _left_out(fits: Sequence[Fit], facts: Facts, rates: Rates, offers: Rates, reason: str) -> RankedGpu:
    """Return the GPU with the first limit that none of its numbers meets, and with its speed if it only lacks a price."""
    fitting = [fit for fit in fits if fit.fits]
    known = [fit for fit in fitting if _place(fit) in rates]
    if known:
        return replace(_ranked_gpu(known[0], facts, rates[_place(known[0])]), reason=NO_PRICE)
    shown = fitting[0] if fitting else min((fit for fit in fits if fit.gpu_gb is not None), key=lambda fit: fit.gpu_gb or 0)
    return RankedGpu(
        gpu_id=shown.gpu_id, name=facts["name"], memory_gb=facts["memory_gb"], usable_gb=shown.usable_gb, needed_gb=shown.gpu_gb,
        gpus=COUNTS[shown.case_id] if fitting and not reason else None,
        reason=_reason(shown, bool(fitting), reason or (NO_SPEED if any(_place(fit) in offers for fit in fitting) else NO_PRICE)),
    )  # fmt: skip


def _place(fit: Fit) -> Place:
    return fit.gpu_id, COUNTS[fit.case_id]


def _ranked_gpu(fit: Fit, facts: Facts, rate: Rate) -> RankedGpu:
    usd = rate.usd_per_hour
    return RankedGpu(
        gpu_id=fit.gpu_id, name=facts["name"], memory_gb=facts["memory_gb"], usable_gb=fit.usable_gb, needed_gb=fit.gpu_gb,
        gpus=COUNTS[fit.case_id] * rate.copies, **asdict(rate), usd_per_million=usd_per_million(usd, rate.tokens_per_s),
        usd_per_million_low=usd_per_million(usd, rate.high), usd_per_million_high=usd_per_million(usd, rate.low),
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
        runs_packed_weights(vendor, compute_capability) AS runs_packed
    FROM gpu
"""
# speed and price of models by stored type, use or tuning method, GPU and GPUs of a copy: a measured speed first, then the
# cheapest tokens; one user has one copy. A GPU that nobody rents out on demand has its speed in llama.cpp for one user
RATES = f"""
    WITH rate AS (
        SELECT llm_model_id, coalesce(MAP {SPEED_TYPES}[quantization], quantization) AS type, use, gpu_id,
            gpu_count // copies AS gpu_count, tokens_per_s * copies / replicas AS tokens_per_s,
            tokens_per_s_low * copies / replicas AS low, tokens_per_s_high * copies / replicas AS high, basis, usd_per_hour,
            provider, price_date, is_rankable(basis, tokens_per_s_low, tokens_per_s_high) IS NOT TRUE AS unranked,
            copies, variant_stated
        FROM (SELECT *, CASE use WHEN 'single' THEN 1 ELSE replicas END AS copies FROM llm_cost WHERE NOT price_stale)
        WHERE list_contains($models::VARCHAR[], llm_model_id) AND use IN (SELECT use FROM llm_use) AND billing = 'on_demand'
            AND list_contains($counts::INTEGER[], gpu_count // copies) AND quantization IS NOT NULL AND gpu_id IS NOT NULL
        UNION ALL
        SELECT llm_model_id, CASE tune WHEN 'qlora' THEN 'nf4' ELSE 'bf16' END, tune, gpu_id, gpu_count, tokens / (3600 * hours),
            tokens / (3600 * hours_high), tokens / (3600 * hours_low), 'predicted', CASE WHEN is_current THEN usd_per_hour END,
            CASE WHEN is_current THEN provider END, CASE WHEN is_current THEN price_date END,
            is_rankable(efficiency_basis, hours_low, hours_high) IS NOT TRUE, 1, NOT is_current OR variant_stated
        FROM (SELECT *, usd_per_job IS NOT NULL AND NOT price_stale AS is_current FROM llm_tuning_cost)
        WHERE list_contains($models::VARCHAR[], llm_model_id)
    ),
    owned AS (
        SELECT llm_model_id, quantization, use, gpu_id, gpu_count, tokens_per_s, low, high, basis, NULL, NULL, NULL,
            is_rankable(basis, low, high) IS NOT TRUE, 1, true
        FROM llm_request
        WHERE list_contains($models::VARCHAR[], llm_model_id) AND is_fewest AND list_contains($counts::INTEGER[], gpu_count)
            AND (llm_model_id, gpu_id) NOT IN (SELECT (llm_model_id, gpu_id) FROM rate WHERE usd_per_hour IS NOT NULL)
    )
    SELECT * FROM (FROM rate UNION ALL FROM owned)
    QUALIFY row_number() OVER (
        PARTITION BY llm_model_id, type, use, gpu_id, gpu_count
        ORDER BY unranked, basis, usd_per_hour / tokens_per_s, provider, low DESC) = 1
    ORDER BY llm_model_id, type, use, gpu_id, gpu_count
"""
