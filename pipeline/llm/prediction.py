"""Speeds that the tables lack, by the same fit: another known model, a configuration by hand, or another load."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace

import duckdb
import polars as pl

from pipeline.llm.configurations import LOCAL_STEPS, Row, configurations, local_questions, served_questions
from pipeline.llm.inputs import Inputs, read_inputs
from pipeline.llm.memory import Question, has_sizes, speed_type
from pipeline.llm.request_load import Load
from pipeline.llm.speed_model import read_models

BY_HAND = "by hand"
SPEEDS = ["tokens_per_s", "low", "high"]


def predict_speeds(con: duckdb.DuckDBPyConnection, questions: Sequence[Question], load: Load) -> pl.DataFrame:
    """Return output tokens per second with their range by type, GPU and count, for a model in several types.

    There are no rows without a size that the speed depends on.
    """
    asked = [one for question in questions if has_sizes(question) for one in _questions_of(question, load)]
    if not asked:
        types = {"quantization": pl.String, "gpu_id": pl.String, "gpu_count": pl.Int64}
        return pl.DataFrame(schema=types | dict.fromkeys(SPEEDS, pl.Float64))
    wanted = configurations(con, _with_model(read_inputs(con), asked[0][0]), asked)
    found = pl.concat(one.predict(wanted) for one in read_models(con))
    return _requests(found.rename({"predicted_tokens_per_s": "tokens_per_s"}), load)


def _questions_of(question: Question, load: Load) -> Iterator[tuple[Question, Row]]:
    """Yield the questions of a type under the load. A stored load of one user has the lengths that were measured."""
    stored = replace(question, llm_model_id=question.llm_model_id or BY_HAND, quantization=speed_type(question.quantization))
    yield from served_questions(stored, [asdict(load)])
    if load.concurrency == 1:
        own = {"prefill": (load.prompt_tokens, 0), "decode": (load.prompt_tokens, load.output_tokens)}
        yield from local_questions(stored, LOCAL_STEPS if load.is_stored else own)


def _with_model(inputs: Inputs, question: Question) -> Inputs:
    """Add the facts of a configuration by hand, whose layers are dense and attend to every token."""
    if question.llm_model_id != BY_HAND or not (question.n_kv_heads and question.head_dim and question.n_heads):
        return inputs
    facts = {
        "llm_model_id": BY_HAND, "n_parameters": question.n_parameters, "n_active_parameters": question.n_parameters,
        "n_layers": question.n_layers, "hidden_size": question.hidden_size, "n_heads": question.n_heads,
        "n_kv_heads": question.n_kv_heads, "attention_width": question.n_heads * question.head_dim,
        "vocabulary_size": question.vocabulary_size, "expert_share": 1.0,
        "kv_bytes": 4 * question.n_layers * question.n_kv_heads * question.head_dim,
        "sliding_kv_bytes": 0.0, "window_tokens": 0.0, "state_bytes": 0.0,
    }  # fmt: skip
    return replace(inputs, models=pl.concat([inputs.models, pl.DataFrame([facts], schema=inputs.models.schema)]))


def _requests(found: pl.DataFrame, load: Load) -> pl.DataFrame:
    """Return the speed of whole requests: in llama.cpp the times of prompt and output add up."""
    key = ["quantization", "gpu_id", "gpu_count"]
    serving, decode, prefill = (found.filter(phase=phase).select(*key, *SPEEDS) for phase in ("serving", "decode", "prefill"))
    both = decode.join(prefill, on=key, suffix="_prompt")
    times = {name: load.prompt_tokens / pl.col(f"{name}_prompt") + load.output_tokens / pl.col(name) for name in SPEEDS}
    added = both.select(*key, **{name: load.output_tokens / time for name, time in times.items()})
    return pl.concat([serving, added]).sort(key)
