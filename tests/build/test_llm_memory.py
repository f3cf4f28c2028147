"""The formula of memory against every measured size and every measured run of the published data."""

import itertools
from dataclasses import replace

import duckdb
import pytest

from pipeline.llm import memory
from pipeline.llm.memory import Question

H200 = "nvidia-h200-sxm-141gb"
# Files whose size follows from another rule than today's: gemma-2b is of 2024, when llama.cpp stored a shared matrix at 4 bits;
# qwen1.5-0.5b stores a matrix twice that its configuration shares.
OTHER_FILES = {("gemma-2b", "q4_k_m"), ("qwen1.5-0.5b", "q4_k_m")}
MEASURED = "SELECT llm_model_id, quantization, weight_bytes, n_runs FROM llm_weight ORDER BY ALL"
# whole GPUs alone; llama.cpp splits layers over every GPU that it sees
RUNS = """
    SELECT llm_model_id, quantization, gpu_id, coalesce(tensor_parallel, gpu_count) AS gpus,
        max(prompt_tokens + output_tokens) AS tokens
    FROM llm_measurement
    WHERE in_aggregates AND gpu_id IS NOT NULL AND coalesce(tensor_parallel, gpu_count) BETWEEN 1 AND 16
        AND coalesce(pipeline_parallel, 1) = 1 AND coalesce(expert_parallel, 1) = 1
        AND llm_model_id IN (SELECT llm_model_id FROM llm_fit_case)
        AND quantization IS NOT NULL AND gpu_id NOT IN (SELECT gpu_id FROM gpu WHERE NOT is_one_device(name))
    GROUP BY ALL ORDER BY gpu_id
"""

VLLM_COUNTS = """
    SELECT DISTINCT llm_model_id, tensor_parallel FROM llm_measurement
    WHERE in_aggregates AND lower(engine) = 'vllm' AND tensor_parallel <= 16 AND coalesce(pipeline_parallel, 1) = 1
        AND llm_model_id IN (SELECT llm_model_id FROM llm_fit_case) ORDER BY ALL
"""


def stored_question(con: duckdb.DuckDBPyConnection, model: str, quantization: str) -> Question:
    question = memory.model_question(con, model)
    assert question, model
    return memory.with_quantization(con, question, quantization)


def test_weights_are_within_3_percent_of_every_measured_size(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute(MEASURED).fetchall()
    assert sum(runs for *_, runs in rows) > 5000
    errors = {}
    for model, quantization, weight_bytes, _ in rows:
        question = stored_question(con, model, quantization)
        assert question.weight_bytes == weight_bytes
        (measured, computed) = memory.answer(con, [question, replace(question, weight_bytes=None)], H200)
        assert measured.weight_gb == pytest.approx(weight_bytes / 1e9)
        errors[model, quantization] = computed.weight_gb * 1e9 / weight_bytes - 1
    far = {key for key, error in errors.items() if abs(error) > 0.03}
    assert far == OTHER_FILES, errors


def test_the_cache_is_that_of_every_measured_model(con: duckdb.DuckDBPyConnection) -> None:
    sql = """SELECT DISTINCT llm_model_id, quantization, kv_bytes_per_token FROM llm_measurement
        WHERE kv_bytes_per_token IS NOT NULL ORDER BY ALL"""
    rows = con.execute(sql).fetchall()
    assert len(rows) == 4
    for model, quantization, kv_bytes in rows:
        question = replace(stored_question(con, model, quantization), context_tokens=1000)
        assert memory.answer(con, [question], H200)[0].kv_gb == pytest.approx(kv_bytes * 1000 / 1e9, rel=0.03)


def test_no_measured_run_is_one_that_does_not_fit(con: duckdb.DuckDBPyConnection) -> None:
    """Sequences of each run, one at a time: what ran must not be refused."""
    rows = con.execute(RUNS).fetchall()
    refused = []
    for gpu_id, group in itertools.groupby(rows, key=lambda row: row[2]):
        runs = list(group)
        questions = [
            replace(stored_question(con, model, quantization), context_tokens=tokens, gpus=gpus, model_context_tokens=None)
            for model, quantization, _, gpus, tokens in runs
        ]
        found = memory.answer(con, questions, gpu_id)
        refused += [run for run, one in zip(runs, found, strict=True) if one.fits is False]
    assert len(rows) > 250
    assert refused == []


def test_every_vllm_run_is_on_a_number_of_gpus_that_can_share_the_model(con: duckdb.DuckDBPyConnection) -> None:
    rows = con.execute(VLLM_COUNTS).fetchall()
    questions = [replace(stored_question(con, model, "bf16"), gpus=gpus) for model, gpus in rows]
    assert len(rows) > 20
    assert [row for row, found in zip(rows, memory.answer(con, questions, H200), strict=True) if found.fits is None] == []


def test_every_gpu_names_the_largest_model_that_fits_with_16_bit_weights(con: duckdb.DuckDBPyConnection) -> None:
    """Popular models come first; by memory alone, since no source says which programs run them on each GPU."""
    found = dict(con.execute("SELECT gpu_id, largest_16_bit FROM gpu_verdict").fetchall())
    known = {
        "nvidia-t4-16gb": "Qwen3-4B",
        "nvidia-quadro-rtx-8000-48gb": "Qwen2.5-14B",
        "nvidia-tesla-v100-sxm2-32gb": "Gemma-3-12B",
        "nvidia-geforce-rtx-3070-8gb": "Gemma-2B",
        "nvidia-a10-24gb": "Qwen3-8B",
        "nvidia-h100-sxm5-80gb": "Qwen3.6-35B-A3B",
    }
    assert {gpu_id: found[gpu_id] for gpu_id in known} == known
    contradicted = """SELECT gpu_id FROM gpu_verdict AS v JOIN llm_model AS m ON m.name IN (v.largest_16_bit, v.largest_4_bit)
        JOIN llm_fit_case AS c USING (llm_model_id) JOIN llm_fit AS f USING (case_id, gpu_id)
        WHERE c.tune IS NULL AND CASE WHEN m.name = v.largest_16_bit THEN c.quantization = 'bf16' AND NOT f.fits END"""
    assert con.execute(contradicted).fetchall() == []
    fits = """SELECT DISTINCT gpu_id FROM llm_fit JOIN llm_fit_case USING (case_id)
        WHERE fits AND quantization = 'bf16' AND tune IS NULL"""
    assert {gpu_id for (gpu_id,) in con.execute(fits).fetchall()} == {gpu_id for gpu_id, name in found.items() if name}
    speeds = """SELECT gpu_id FROM llm_speed AS s JOIN llm_model USING (llm_model_id) JOIN gpu_verdict AS v USING (gpu_id)
        JOIN llm_model AS largest ON largest.name = v.largest_16_bit
        WHERE s.gpu_count = 1 AND s.quantization = 'bf16' AND llm_model.n_parameters > largest.n_parameters
            AND s.use NOT IN ('single', 'batch')"""  # one request of a shorter context
    assert con.execute(speeds).fetchall() == []


def test_no_speed_verdict_or_board_is_of_several_gpus_that_count_as_one(con: duckdb.DuckDBPyConnection) -> None:
    for table in ("llm_fit", "llm_speed", "llm_cost", "llm_tuning_cost"):
        boards = f"SELECT count(*) FROM {table} JOIN gpu USING (gpu_id) WHERE NOT is_one_device(name)"
        assert con.execute(boards).fetchone() == (0,), table
    held = """SELECT count(*), count(largest_16_bit), count(largest_4_bit) FROM gpu_verdict JOIN gpu USING (gpu_id)
        WHERE NOT is_one_device(name)"""
    assert con.execute(held).fetchone() == (5, 0, 0)
    parts = "SELECT count(*) FROM board_density WHERE name LIKE '%(one of the %'"
    assert con.execute(parts).fetchone() == (0,)


def test_a_gpu_holds_no_smaller_model_in_four_bits_than_in_sixteen(con: duckdb.DuckDBPyConnection) -> None:
    """AMD GPUs too, whose speed in llama.cpp was not measured."""
    sql = """
        SELECT v.gpu_id, four.n_parameters >= sixteen.n_parameters, gpu.vendor = 'AMD'
        FROM gpu_verdict AS v JOIN gpu USING (gpu_id)
        JOIN llm_model AS sixteen ON sixteen.name = largest_16_bit LEFT JOIN llm_model AS four ON four.name = largest_4_bit
        WHERE gpu.segment <> 'accelerator'
    """
    rows = con.execute(sql).fetchall()
    assert sum(is_amd for *_, is_amd in rows) > 10
    assert [gpu for gpu, holds, _ in rows if not holds] == []
