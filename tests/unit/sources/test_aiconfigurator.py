"""Parallelism of InferenceX's runs in aiconfigurator's file: GPUs that two exports multiply, and runs on several nodes."""

import pytest

from pipeline.fetch.snapshots import stored_files
from pipeline.paths import DATA
from pipeline.schema.llm import LlmRun
from sources.inference import aiconfigurator_silicon as source


@pytest.fixture(scope="module")
def runs() -> list[LlmRun]:
    return [item.row for file in stored_files(source.SOURCE, DATA) for item in source.parse(file.document())]


def parallelism(run: LlmRun) -> tuple[object, ...]:
    return run.gpu_count, run.batch_size, run.tensor_parallel, run.data_parallel, run.expert_parallel, run.is_disaggregated


def of(runs: list[LlmRun], name: str) -> tuple[object, ...]:
    return next(parallelism(run) for run in runs if run.cited_from.startswith(name))


def test_a_run_in_several_exports_has_one_number_of_gpus(runs: list[LlmRun]) -> None:
    """The export of March states 8 GPUs for tp8_ep8, those of April 64."""
    shared: dict[tuple[object, ...], set[int | None]] = {}
    for run in runs:
        if "InferenceX" in run.cited_from and not run.is_disaggregated:
            key = (run.raw_gpu_name, run.model_raw, run.engine, run.quantization, run.prompt_tokens, run.output_tokens)
            shared.setdefault((*key, run.concurrency, run.ttft_ms, run.tpot_ms), set()).add(run.gpu_count)
    assert len(shared) > 1900
    assert [key for key, gpus in shared.items() if len(gpus) > 1] == []


def test_an_aggregated_run_of_inferencex_is_of_one_node(runs: list[LlmRun]) -> None:
    counts = {run.gpu_count for run in runs if "InferenceX" in run.cited_from and not run.is_disaggregated}
    assert counts == {1, 2, 4, 8}


def test_experts_and_copies_of_the_attention_share_the_gpus(runs: list[LlmRun]) -> None:
    """GPUs, batch of a copy, tensor parallelism, copies of the attention, groups of experts; stated as 64, 64, 16 and 8 GPUs."""
    b200 = "2026_04_06_deepseek_r1_b200_sxm"
    assert of(runs, f"{b200}_sglang_fp4_agg_1024x1024_c16_tp8_ep8_1036") == (8, 16, 8, 1, 8, False)
    assert of(runs, f"{b200}_trtllm_fp4_agg_1024x8192_c256_tp8_ep8_") == (8, 32, 1, 8, 8, False)
    assert of(runs, "minimaxm2_5_b200_vllm_fp8_agg_1024x1024_c256_cfg691") == (4, 64, 1, 4, 4, False)
    assert of(runs, f"{b200}_sglang_fp4_agg_1024x1024_c16_tp8_ep1_273") == (8, 16, 8, 1, 1, False)


def test_a_run_of_more_gpus_than_a_node_has_prefill_and_decode_apart(runs: list[LlmRun]) -> None:
    """72 do not divide the 128 heads of DeepSeek-R1. The same run of another day is stated as disaggregated."""
    gb200 = "2026_04_06_deepseek_r1_gb200_sglang_fp8"
    unknown = (None, None, None, None, None, True)
    assert of(runs, f"{gb200}_agg_1024x1024_c4096_tp72_ep1_59") == of(runs, f"{gb200}_disagg_1024x1024_c4096_tp72") == unknown


def test_runs_of_aiconfigurator_itself_are_as_stated(runs: list[LlmRun]) -> None:
    own = [run for run in runs if "aiconfigurator's own runs" in run.cited_from and run.tensor_parallel == 8]
    assert {run.gpu_count for run in own} == {8}


def test_counts_that_contradict_each_other_leave_the_gpus_unknown() -> None:
    stated = source._Parallelism(is_disaggregated=False, gpus=8, batch=4, tensor=1, data=1, experts=8)
    assert source._divided(stated, 2, 64) == source._Parallelism(is_disaggregated=False)
