"""Speeds of a model that the tables lack, by the same fit: another known model, or a configuration by hand."""

from dataclasses import replace

import duckdb
import polars as pl

from pipeline.llm import model, outputs
from pipeline.llm.inputs import Inputs, read_inputs
from pipeline.llm.memory import Question, has_sizes

BY_HAND = "by hand"
SPEEDS = ["tokens_per_s", "low", "high"]


def predict_speeds(con: duckdb.DuckDBPyConnection, question: Question, use: str) -> pl.DataFrame:
    """Return output tokens per second with their range by GPU and count; no rows without a size that the speed depends on."""
    inputs = read_inputs(con)
    rows = model.add_facts(model.measured_seconds(inputs.runs), inputs.models, inputs.gpus)
    stored = "bf16" if question.quantization == "fp16" else question.quantization
    question = replace(question, llm_model_id=question.llm_model_id or BY_HAND, quantization=stored)
    uses = inputs.uses.filter(use=use)
    asked = [one for one in outputs.questions(question, uses) if one[1]["use"] == use]
    if not asked or not has_sizes(question):
        return pl.DataFrame(schema={"gpu_id": pl.String, "gpu_count": pl.Int64} | dict.fromkeys(SPEEDS, pl.Float64))
    wanted = outputs.configurations(con, _with_model(inputs, question), asked)
    found = pl.concat(outputs.predict(one, wanted) for one in model.fit_models(rows))
    return _requests(found.rename({"predicted_tokens_per_s": "tokens_per_s"}), uses)


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
    }  # fmt: skip
    return replace(inputs, models=pl.concat([inputs.models, pl.DataFrame([facts], schema=inputs.models.schema)]))


def _requests(found: pl.DataFrame, uses: pl.DataFrame) -> pl.DataFrame:
    """Return the speed of whole requests: in llama.cpp the times of prompt and output add up."""
    key = ["gpu_id", "gpu_count"]
    serving, decode, prefill = (found.filter(phase=phase).select(*key, *SPEEDS) for phase in ("serving", "decode", "prefill"))
    prompt, output = uses.select("prompt_tokens", "output_tokens").row(0)
    both = decode.join(prefill, on=key, suffix="_prompt")
    times = {name: prompt / pl.col(f"{name}_prompt") + output / pl.col(name) for name in SPEEDS}
    added = both.select(*key, **{name: output / time for name, time in times.items()})
    return pl.concat([serving, added]).sort(key)
