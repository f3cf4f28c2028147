"""Rates of a language model: speed and price by GPU and number of GPUs, from the tables or predicted."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

import duckdb

from pipeline.llm.memory import COUNTS, SPEED_TYPES, Question, speed_type
from pipeline.llm.offers import OFFERS
from pipeline.llm.prediction import SPEEDS, predict_speeds
from pipeline.llm.request_load import Load
from pipeline.warehouse.connection import dictionaries

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


def add_predicted(known: Rates, predicted: Rates, *, in_tables: bool) -> Rates:
    """Return the rates of the tables with predicted ones: of GPUs that the tables lack, as nobody rents them out, or of all."""
    if in_tables:
        gpus = {gpu for gpu, _ in known}
        return known | {place: rate for place, rate in predicted.items() if place[0] not in gpus}
    return known | predicted | priced_rates(known)


def priced_rates(rates: Rates) -> Rates:
    """Return the rates with a price."""
    return {place: rate for place, rate in rates.items() if rate.usd_per_hour is not None}


def read_rates(con: duckdb.DuckDBPyConnection, question: Question, use: str) -> Rates:
    """Return the speed of the model in the use, or by the tuning method, with its seller, by GPU and count."""
    stored = speed_type(question.quantization)
    wanted = f"SELECT * EXCLUDE (llm_model_id, type, use) FROM ({RATES}) WHERE type = $type AND use = $use"
    asked = {"models": [question.llm_model_id], "type": stored, "use": question.tune or use, "counts": list(COUNTS)}
    return _by_place(con.execute(wanted, asked))


def predicted_rates(con: duckdb.DuckDBPyConnection, questions: Sequence[Question], load: Load, offers: Rates) -> list[Rates]:
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


def on_gpus(question: Question, rates: Rates, offers: Rates, gpus: int) -> Rates:
    """Return the rates on this number of GPUs: several users get as many copies of the model as they have room for."""
    several = question.users > 1 and not question.tune
    return {
        (gpu, count): _copied(rate, gpus // count, offers.get((gpu, gpus), Rate()))
        for (gpu, count), rate in rates.items()
        if count == gpus or (several and gpus % count == 0)
    }


def _copied(rate: Rate, copies: int, offer: Rate) -> Rate:
    """Return the rate of this number of copies at the price of the offer."""
    speeds = {name: getattr(rate, name) and getattr(rate, name) / rate.copies * copies for name in SPEEDS}
    return replace(offer, basis=rate.basis, unranked=rate.unranked, copies=copies, **speeds)


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
    ORDER BY llm_model_id, use, type, gpu_count, gpu_id
"""
