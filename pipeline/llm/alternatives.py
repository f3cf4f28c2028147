"""Nearest options that fit, for a language model that does not fit as asked: on the same GPU first, then on others."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import duckdb

from pipeline.llm.memory import MOST_GPUS, STORED, TUNES, Fit, Question, answer, stored_types, with_quantization
from pipeline.llm.offers import OFFERS

MOST_GPUS_SHOWN = 3
LEAST_CONTEXT = 256  # fewer tokens are no use
EIGHT_BITS = {"vLLM": "fp8", "llama.cpp": "q8_0"}  # type of a KV cache of 8 bits, by program


@dataclass(frozen=True, slots=True)
class Option:
    """A change to the question after which it fits, and the memory that one GPU then needs."""

    change: str
    gpu_gb: float | None
    note: str


def find_options(con: duckdb.DuckDBPyConnection, question: Question, fit: Fit) -> list[Option]:
    """Return what fits in place of the question: less memory on the same GPU, another number, or other GPUs with their prices.

    A GPU on which the program does not run has other types of weights.
    """
    types, gpus = _other_types(con, question, fit), _other_gpus(con, question)
    if fit.runs is False:
        return [*types, *gpus]
    same = _other_terms(fit, question) if question.tune is None or fit.max_context_tokens else iter(())
    return [*same, *_smaller_cache(con, question, fit), *types, *_fewest_gpus(con, question, fit), *gpus]


def _other_terms(fit: Fit, question: Question) -> Iterator[Option]:
    tokens, users = int(fit.max_context_tokens or 0), int(fit.max_users or 0)
    if LEAST_CONTEXT <= tokens < question.context_tokens:
        yield Option(f"--context {tokens}", fit.usable_gb, "longest context that fits")
    if 1 <= users < question.users:
        yield Option(f"--users {users}", fit.usable_gb, "most users at this context")


def _smaller_cache(con: duckdb.DuckDBPyConnection, question: Question, fit: Fit) -> Iterator[Option]:
    """Yield the KV cache of 8 bits, if it is smaller and the model then fits."""
    kv_type = EIGHT_BITS.get(fit.engine)
    found = con.execute("SELECT bytes_per_weight FROM llm_quantization WHERE quantization = ?", [kv_type]).fetchall()
    for (value,) in found:
        (smaller,) = answer(con, [replace(question, kv_bytes_per_value=value)], fit.gpu_id)
        if smaller.fits and value < question.kv_bytes_per_value:
            yield Option(f"--kv-type {kv_type}", smaller.gpu_gb, "KV cache of 8 bits")


def _other_types(con: duckdb.DuckDBPyConnection, question: Question, fit: Fit) -> Iterator[Option]:
    """Yield the largest quantization, or the fullest tuning method, that fits the same GPUs in each program."""
    variants = _lighter_tuning(con, question) if question.tune else _quantized(con, question)
    shown = set[str]()
    found = [
        one
        for one in answer(con, variants, fit.gpu_id)
        if one.fits and one.runs is not False and (fit.fits or one.weight_gb + one.tuning_gb < fit.weight_gb + fit.tuning_gb)
    ]
    for one in sorted(found, key=lambda one: -(one.weight_gb + one.tuning_gb)):
        if one.engine not in shown:
            shown.add(one.engine)
            variant = variants[one.case_id]
            change = f"--tune {variant.tune}" if question.tune else f"--quantization {variant.quantization}"
            yield Option(change, one.gpu_gb, f"in {one.engine}, weights {one.weight_gb:.1f} GB")


def _quantized(con: duckdb.DuckDBPyConnection, question: Question) -> list[Question]:
    names = con.execute("SELECT quantization FROM llm_quantization WHERE is_choice ORDER BY 1").fetchall()
    stored = stored_types(con, question.llm_model_id)
    return [with_quantization(con, question, name) for (name,) in names if name in stored]


def _lighter_tuning(con: duckdb.DuckDBPyConnection, question: Question) -> list[Question]:
    others = [tune for tune in TUNES if tune != question.tune]
    return [replace(with_quantization(con, question, STORED[tune]), tune=tune) for tune in others]


def _fewest_gpus(con: duckdb.DuckDBPyConnection, question: Question, fit: Fit) -> Iterator[Option]:
    """Yield the fewest of this GPU, and the next larger number than asked for, if fewer than asked for are enough."""
    counts = [replace(question, gpus=count) for count in range(1, MOST_GPUS + 1)]
    fitting = [(count, one) for count, one in enumerate(answer(con, counts, fit.gpu_id), start=1) if one.fits]
    larger = [(count, one) for count, one in fitting if count > question.gpus]
    for count, one in fitting[:1]:
        yield Option(f"--gpus {count}", one.gpu_gb, "fewest of this GPU")
    for count, one in larger[: len(fitting) > len(larger)]:
        yield Option(f"--gpus {count}", one.gpu_gb, f"next number above {question.gpus} that can share the model")


def _other_gpus(con: duckdb.DuckDBPyConnection, question: Question) -> Iterator[Option]:
    """Yield the GPUs that are cheapest to rent now among those on which the question fits as it is."""
    fitting = {one.gpu_id: one for one in answer(con, [question]) if one.fits and one.runs is not False}
    asked = {"counts": [question.gpus], "billings": ["on_demand"], "fitting": list(fitting), "most": MOST_GPUS_SHOWN}
    for gpu_id, usd, provider, price_date in con.execute(_CHEAPEST, asked).fetchall():
        price = f"{question.gpus} x {usd:.2f} USD/h" if question.gpus > 1 else f"{usd:.2f} USD/h"
        yield Option(f"--gpu {gpu_id}", fitting[gpu_id].gpu_gb, f"{price} from {provider}, {price_date}")


_CHEAPEST = f"""
    SELECT gpu_id, usd_per_hour / gpu_count, provider, price_date
    FROM ({OFFERS}) JOIN gpu USING (gpu_id)
    WHERE segment <> 'accelerator' AND list_contains($fitting::VARCHAR[], gpu_id)
    ORDER BY usd_per_hour, gpu_id LIMIT $most
"""
