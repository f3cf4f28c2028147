"""Memory of language models: questions of `gpuledger fits`, answered by `pipeline/metrics/llm/llm_fit.sql`.

A question replaces the table `llm_fit_case` that the statement reads, so that command line and tables cannot differ.
`site/docs/assets/llm-memory.js` computes the same in the browser.
"""

import difflib
import functools
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, get_args

import duckdb

from pipeline.schema.core import sql_types
from pipeline.schema.llm import QUANTIZATION_IDS
from pipeline.warehouse.connection import dictionaries
from pipeline.warehouse.sql_models import metric_sql

ASSUMED = "bf16"  # type of the weights where the published one is not known
Tune = Literal["full", "lora", "qlora"]
TUNES: tuple[Tune, ...] = get_args(Tune)
STORED = {"full": "bf16", "lora": "bf16", "qlora": "nf4"}  # quantization of the weights that a tuning method reads
SPEED_TYPES = {"fp16": "bf16"}  # stored types that run at the speed of another
SERVED = ("bf16", "fp8", "mxfp4", "int4")  # types that vLLM serves
# types that run at the rate of 8 bits, compared on NVIDIA GPUs with a rate for FP8, as those that were measured. vLLM multiplies
# MXFP4 in BF16 unless a variable asks for 8 bits (get_mxfp4_backend in its mxfp4.py)
NARROW = ("fp8", "fp4")
PACKED = ("mxfp4", "int4")  # types that GPUs by `runs_packed_weights` run
LOCAL = "q4_k_m"  # type with measured prefill and decode, in llama.cpp
LOCAL_TYPES = (LOCAL, "mxfp4_moe")  # files of llama.cpp for one user: that of most models, and that of one published as MXFP4
KvType = Literal["bf16", "fp8", "q8_0", "q4_0"]
DEFAULT_CONTEXT, TUNING_CONTEXT = 8192, 2048
COUNTS = (1, 2, 4, 8)  # of GPUs that a choice compares
MOST_GPUS = 16  # that share a model, as in llm_fit
# smallest and largest value of a field, so that a typing error does not become an answer
LIMITS: dict[str, tuple[float, float]] = {
    "n_parameters": (1e6, 1e14),
    "n_layers": (1, 1000),
    "hidden_size": (1, 1e6),
    "n_heads": (1, 4096),
    "n_kv_heads": (1, 4096),
    "head_dim": (1, 4096),
    "vocabulary_size": (1, 1e7),
    "context_tokens": (1, 2e7),
    "users": (1, 1e5),
    "gpus": (1, MOST_GPUS),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question, in the columns of table `llm_fit_case`. `weight_bytes` is a measured size; None computes it."""

    llm_model_id: str | None = None
    n_parameters: float
    n_layers: int
    hidden_size: int | None = None
    intermediate_size: int | None = None
    n_heads: int | None = None
    n_kv_heads: int | None = None
    head_dim: int | None = None
    vocabulary_size: int | None = None
    tied_embeddings: bool | None = None
    n_full_layers: int
    n_sliding_layers: int = 0
    window_tokens: int | None = None
    n_global_kv_heads: int | None = None
    global_head_dim: int | None = None
    kv_share: float | None = None
    kv_lora_rank: int | None = None
    qk_rope_head_dim: int | None = None
    index_bytes_per_token: int | None = None
    state_bytes_per_sequence: int | None = None
    model_context_tokens: int | None = None
    weight_bytes: float | None = None
    quantization: str = "bf16"
    kv_bytes_per_value: float = 2.0
    tune: str | None = None
    lora_rank: int = 16
    context_tokens: int = DEFAULT_CONTEXT
    users: int = 1
    may_wait: bool = False
    gpus: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """An answer for one GPU, in the columns of table `llm_fit`; `case_id` is the position of its question."""

    case_id: int
    gpu_id: str
    engine: str
    visible_gb: float
    usable_gb: float
    weight_gb: float
    at_once: int
    kv_gb: float
    tuning_gb: float
    activation_gb: float | None
    gpu_gb: float | None
    fits: bool | None
    runs: bool | None
    gpus_needed: int | None
    max_context_tokens: float | None
    max_users: float | None


def answer(con: duckdb.DuckDBPyConnection, questions: Sequence[Question], gpu_id: str | None = None) -> list[Fit]:
    """Return the answers to all questions for one GPU or for every GPU, in the order of the questions."""
    asked = {field.name: [getattr(question, field.name) for question in questions] for field in fields(Question)}
    result = con.execute(_statement(), asked | {"case_id": list(range(len(questions))), "gpu": gpu_id})
    return [Fit(**row) for row in dictionaries(result)]


def model_question(con: duckdb.DuckDBPyConnection, llm_model_id: str) -> Question | None:
    """Return the question of a model at 16 bits, or in another type if it has no such weights.

    None if its configuration is incomplete.
    """
    columns = ", ".join(field.name for field in fields(Question))
    sql = f"SELECT {columns} FROM llm_fit_case WHERE llm_model_id = ? AND tune IS NULL ORDER BY case_id LIMIT 1"
    rows = dictionaries(con.execute(sql, [llm_model_id]))
    return Question(**rows[0]) if rows else None


def find_model(con: duckdb.DuckDBPyConnection, name: str) -> tuple[str | None, list[str]]:
    """Return the model of a name in any source, or None with the nearest models.

    Publisher, case, separators and words such as Instruct do not count. Sizes at the end may be left out if one model begins so.
    """
    known = {_name_key(alias): llm_model_id for llm_model_id, alias in con.execute(_NAMES).fetchall()}
    wanted = _name_key(name)
    if wanted in known:
        return known[wanted], []
    longer = [key for key in known if wanted and key.startswith(wanted)]
    if len({known[key] for key in longer}) == 1 and any(_SIZES.fullmatch(key.removeprefix(wanted)) for key in longer):
        return known[longer[0]], []
    parts = [key for key in known if wanted and (wanted in key or key in wanted)]
    near = difflib.get_close_matches(wanted, known, n=12, cutoff=0.4)
    return None, list(dict.fromkeys(known[key] for key in longer + parts + near))[:5]


def _name_key(name: str) -> str:
    """Return the parts of a name that count: llama3.1-8b of meta-llama/Llama-3.1-8B-Instruct. Digits stay separated."""
    words = _TUNED.sub("", name.lower().rpartition("/")[2])
    return re.sub(r"(?<!\d)[^a-z0-9.]+|[^a-z0-9.]+(?!\d)", "", re.sub(r"(?<=\d)[^a-z0-9.]+(?=\d)", "-", words))


def native_quantization(con: duckdb.DuckDBPyConnection, llm_model_id: str | None) -> str | None:
    """Return the type in which the model's publisher stores its weights; None if that is not known."""
    rows = con.execute("SELECT native_quantization FROM llm_model WHERE llm_model_id = ?", [llm_model_id]).fetchall()
    return rows[0][0] if rows else None


def stored_types(con: duckdb.DuckDBPyConnection, llm_model_id: str | None) -> list[str]:
    """Return the types in which weights of a model are offered; of a configuration by hand all that models of 16 bits have."""
    sql = """SELECT DISTINCT quantization FROM llm_model_type JOIN llm_model USING (llm_model_id)
        WHERE llm_model_id = $model OR $model IS NULL AND native_quantization = 'bf16' ORDER BY 1"""
    return [name for (name,) in con.execute(sql, {"model": llm_model_id}).fetchall()]


def served_types(con: duckdb.DuckDBPyConnection, llm_model_id: str | None) -> list[str]:
    """Return the types to compare for several users: the one that the model is published in, then others that vLLM serves."""
    return served_of(native_quantization(con, llm_model_id), stored_types(con, llm_model_id))


def served_of(native: str | None, stored: Collection[str]) -> list[str]:
    """Return the types to compare for a model, from its published type (None if not known) and those in which it exists."""
    return list(dict.fromkeys([speed_type(native or ASSUMED), *(one for one in SERVED if one in stored)]))


def local_type(con: duckdb.DuckDBPyConnection, llm_model_id: str | None) -> str:
    """Return the type of the file that one user of llama.cpp runs: a model published as MXFP4 keeps its experts as they are."""
    stored = stored_types(con, llm_model_id)
    return next((one for one in LOCAL_TYPES if one in stored), LOCAL)


def find_quantization(con: duckdb.DuckDBPyConnection, name: str) -> tuple[str | None, list[str]]:
    """Return a quantization by any common spelling, or None with all names."""
    known = [row[0] for row in con.execute("SELECT quantization FROM llm_quantization ORDER BY 1").fetchall()]
    plain = name.strip().lower().replace("-", "_").replace(" ", "_")
    found = QUANTIZATION_IDS.get(plain, plain)
    return (found if found in known else None), known


def speed_type(quantization: str) -> str:
    """Return the stored type whose speed a stored type has."""
    return SPEED_TYPES.get(quantization, quantization)


def with_quantization(con: duckdb.DuckDBPyConnection, question: Question, quantization: str) -> Question:
    """Return the question with weights stored in this type, and their measured size where one is known."""
    rows = con.execute(_MEASURED, [question.llm_model_id, quantization]).fetchall()
    return replace(question, quantization=quantization, weight_bytes=rows[0][0] if rows else None)


def faults(question: Question) -> Iterator[tuple[str, str]]:
    """Yield each field that no model can have, with the reason."""
    for name, (low, high) in LIMITS.items():
        value = getattr(question, name)
        if value is not None and not low <= value <= high:
            yield name, f"{value:,.10g} is not between {low:,.10g} and {high:,.10g}"
    if question.n_heads and question.n_kv_heads and question.n_kv_heads > question.n_heads:
        yield "n_kv_heads", f"{question.n_kv_heads} KV heads are more than the {question.n_heads} attention heads"
    elif question.n_heads and question.n_kv_heads and question.n_heads % question.n_kv_heads:
        yield "n_kv_heads", f"{question.n_kv_heads} KV heads do not divide the {question.n_heads} attention heads"
    if question.model_context_tokens and question.context_tokens > question.model_context_tokens:
        yield (
            "context_tokens",
            f"the model reads at most {question.model_context_tokens:,} tokens, not {question.context_tokens:,}",
        )
    if question.tune and not has_sizes(question):
        yield "hidden_size", "tuning needs the hidden size, the vocabulary and the attention heads"


def has_sizes(question: Question) -> bool:
    """Return whether the sizes are known that tuning and speed depend on, beside those that memory needs."""
    return bool(question.hidden_size and question.vocabulary_size and question.n_heads)


@functools.cache
def _statement() -> str:
    """Return the statement of llm_fit over the questions, whose fields are lists of parameters."""
    columns = ", ".join(f"unnest(${name}::{sql}[]) AS {name}" for name, sql in sql_types(Question).items())
    rules = metric_sql("llm_fit")
    return (
        f"WITH llm_fit_case AS (SELECT unnest($case_id::INTEGER[]) AS case_id, {columns}) "
        f"FROM ({rules}) WHERE $gpu IS NULL OR gpu_id = $gpu ORDER BY case_id, gpu_id"
    )


_MEASURED = "SELECT weight_bytes FROM llm_weight WHERE llm_model_id = ? AND quantization = ?"
_SIZES = re.compile(r"(-?a?\d+(\.\d+)?[bme])+")  # 17b128e, a22b: numbers of parameters, of active ones, and of experts
_TUNED = re.compile(r"^meta[ _-](?=llama)|[ _-](instruct|chat|it)(?![a-z0-9])")  # same sizes as the model without
_NAMES = """
    SELECT llm_model_id, alias FROM llm_model_alias
    UNION ALL SELECT llm_model_id, name FROM llm_model UNION ALL SELECT llm_model_id, llm_model_id FROM llm_model
"""
