"""The arithmetic of an answer in words: each term with its figures, in GB of 10^9 bytes."""

import math
from collections.abc import Iterator
from dataclasses import replace

import duckdb

from pipeline.llm.memory import MOST_GPUS, Fit, Question, answer

GB = 1e9
Line = tuple[str, float | None, str]  # term, GB, arithmetic


def explain(con: duckdb.DuckDBPyConnection, question: Question, fit: Fit) -> list[Line]:
    """Return the terms of the memory of one GPU, the sum, what the GPU has, and the limits that follow."""
    return [
        _weights(con, question, fit),
        *_other_memory(question, fit),
        _needed(con, question, fit),
        _usable(con, fit),
        *_limits(question, fit),
    ]


def _weights(con: duckdb.DuckDBPyConnection, question: Question, fit: Fit) -> Line:
    title, layers, output = con.execute(_TYPE, [question.quantization]).fetchall()[0]
    if question.weight_bytes:
        return "weights", fit.weight_gb, f"measured size of the {title} file"
    stored = title if output == layers else f"{title}: {layers:.4g} in the layers, {output:.4g} in the output matrix"
    mean = fit.weight_gb * GB / question.n_parameters
    return "weights", fit.weight_gb, f"{_count(question.n_parameters)} parameters x {mean:.4g} bytes ({stored})"


def _count(number: float) -> str:
    return f"{number / 1e9:.4g} billion" if number >= 1e9 else f"{number / 1e6:.4g} million"


def _other_memory(question: Question, fit: Fit) -> Iterator[Line]:
    """Yield the cache of an inference, or the training state and the activations of a fine-tune."""
    tokens, several = f"{question.context_tokens:,} tokens x {question.users}", "s" if question.users > 1 else ""
    if not question.tune:
        yield "KV cache", fit.kv_gb, f"{_cache(question)}; {tokens} user{several}"
        return
    n_bytes, parts = 16, f"2 adapter + 2 gradient + 12 optimizer, rank {question.lora_rank}"
    if question.tune == "full":
        n_bytes, parts = 14, "2 gradient + 12 optimizer"
    trained = _count(fit.tuning_gb * GB / n_bytes)
    yield "training state", fit.tuning_gb, f"{trained} trained parameters x {n_bytes} bytes ({parts})"
    yield "activations", fit.activation_gb, f"{tokens} sequence{several} per GPU, with gradient checkpointing"


def _cache(question: Question) -> str:
    full = _layer(question, question.n_global_kv_heads or question.n_kv_heads, question.global_head_dim or question.head_dim)
    sliding = ""
    if question.n_sliding_layers:
        other = f", of {_layer(question, question.n_kv_heads, question.head_dim)}" if question.n_global_kv_heads else ""
        sliding = f", and {question.n_sliding_layers} layers of the last {question.window_tokens:,} tokens{other}"
    kept = f" x {question.kv_share:.3g} kept" if question.kv_share else ""
    index = f", and {question.index_bytes_per_token:,} bytes of index keys" if question.index_bytes_per_token else ""
    state_bytes = question.state_bytes_per_sequence
    state = f", and {state_bytes / 1e6:.4g} MB of state per user" if state_bytes else ""
    return f"{full}{kept} x {question.n_full_layers} layers{sliding}{index}{state}"


def _layer(question: Question, kv_heads: int | None, head_dim: int | None) -> str:
    """Return what one layer stores of a token."""
    if question.kv_lora_rank:
        values = f"({question.kv_lora_rank} + {question.qk_rope_head_dim} values)"
    else:
        values = f"2 x {kv_heads} KV heads x {head_dim} values"
    return f"{values} x {question.kv_bytes_per_value:g} bytes"


def _needed(con: duckdb.DuckDBPyConnection, question: Question, fit: Fit) -> Line:
    if fit.gpu_gb is None:
        shared = f"{fit.engine} cannot split {_shared(question, fit)} over {question.gpus} GPUs"
        return "needed per GPU", None, shared + _next_number(con, question, fit)
    if question.gpus == 1:
        return "needed per GPU", fit.gpu_gb, "the sum, on one GPU"
    way = {
        "vLLM": "tensor parallelism",
        "llama.cpp": "whole layers on each",
        "PyTorch": "state shared, activations on each",
    }[fit.engine]
    return "needed per GPU", fit.gpu_gb, f"the largest part of {question.gpus} GPUs ({way})"


def _next_number(con: duckdb.DuckDBPyConnection, question: Question, fit: Fit) -> str:
    """Return the next larger number of GPUs that can share the model, with the memory that each then needs."""
    counts = range(question.gpus + 1, MOST_GPUS + 1)
    larger = answer(con, [replace(question, gpus=count) for count in counts], fit.gpu_id)
    found = ((count, one.gpu_gb) for count, one in zip(counts, larger, strict=True) if one.gpu_gb is not None)
    return next((f". Over {count} it can, with {gpu_gb:.1f} GB on each" for count, gpu_gb in found), "")


def _shared(question: Question, fit: Fit) -> str:
    """Return what the program splits over GPUs: layers in llama.cpp, heads in vLLM."""
    if fit.engine == "llama.cpp":
        return f"{question.n_layers} layers"
    heads = [f"{question.n_heads} attention heads"] if question.n_heads else []
    kv_heads = [f"{question.n_kv_heads} KV heads"] if question.n_kv_heads and not question.kv_lora_rank else []
    return " and ".join(heads + kv_heads)


def _usable(con: duckdb.DuckDBPyConnection, fit: Fit) -> Line:
    driver_gb, share = con.execute(_ENGINE, [fit.gpu_id, fit.engine]).fetchall()[0]
    reserve = fit.visible_gb * share - fit.usable_gb
    part = f" x {share:g}" if share < 1 else ""
    memory = f"{fit.visible_gb:.4g} GB as sold"
    if driver_gb:
        memory = f"({driver_gb:.4g} GB by its driver - {driver_gb - fit.visible_gb:.2g})"
    return "usable per GPU", fit.usable_gb, f"{memory}{part} in {fit.engine}, less {reserve:.3g} GB for buffers and context"


def most_less_than_sold(con: duckdb.DuckDBPyConnection) -> float:
    """Return the largest part of the size as sold that programs do not see, over GPUs whose driver was read; 0 without any."""
    return con.execute(_LESS).fetchall()[0][0] or 0.0


def percent_less_than_sold(con: duckdb.DuckDBPyConnection, fit: Fit) -> int | None:
    """Return by how many percent programs see less than the size as sold on other GPUs, at most.

    None if the driver of this GPU was read, or if the model fits that smaller memory too.
    """
    driver_gb, share = con.execute(_ENGINE, [fit.gpu_id, fit.engine]).fetchall()[0]
    less = most_less_than_sold(con)
    if driver_gb or fit.gpu_gb is None or fit.gpu_gb <= fit.usable_gb - fit.visible_gb * less * share:
        return None
    return math.ceil(100 * less)


def _limits(question: Question, fit: Fit) -> Iterator[Line]:
    if fit.max_context_tokens:
        yield "largest context", None, f"{fit.max_context_tokens:,.0f} tokens for {question.users} at a time"
    if fit.max_users:
        yield "most at a time", None, f"{fit.max_users:,.0f} with {question.context_tokens:,} tokens each"
    yield "GPUs needed", None, str(fit.gpus_needed) if fit.gpus_needed else "more than 16"


_TYPE = "SELECT title, bytes_per_weight, bytes_per_output_weight FROM llm_quantization WHERE quantization = ?"
_ENGINE = "SELECT driver_memory_gb, usable_share FROM gpu, llm_engine WHERE gpu_id = ? AND engine = ?"
_LESS = "SELECT max(1 - llm_visible_gb(driver_memory_gb, memory_gb) / memory_gb) FROM gpu WHERE driver_memory_gb IS NOT NULL"
