"""vLLM's serving benchmark of Spare Cores: one figure per line, the count of GPUs where the line states it."""

import json
from typing import Any

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline.readers import RefusedError

LINE: dict[str, Any] = {
    "benchmark": "vllm_serving", "model": "smol-135m", "model_id": "HuggingFaceTB/SmolLM2-135M-Instruct", "workload": "chat",
    "prompt_tokens": 256, "output_tokens": 128, "profile": "sweep", "mode": "gpu", "arch": "amd64", "max_model_len": 2048,
    "tuning": {"dtype": "bfloat16"}, "vllm_version": "0.22.1", "guidellm_version": "0.6.0", "tensor_parallel": 3, "gpu_count": 8,
    "gpu_model": "NVIDIA A100-SXM4-40GB", "strategy": "synchronous", "target_rate": None, "concurrency": 0.998621,
    "measurement": "ttft", "percentile": "p50", "score": 17.517805, "unit": "ms",
}  # fmt: skip
THROUGHPUT = {"measurement": "output_throughput", "percentile": None, "score": 12716.187, "unit": "tokens/sec"}


def only(*changes: dict[str, Any]) -> ParsedRun:
    (run,) = read("\n".join(json.dumps(LINE | change) for change in changes))
    return run


def test_figures_keep_model_load_and_printed_unit() -> None:
    run = only({}, THROUGHPUT, {"percentile": "p99", "score": 20})
    assert [(m.test, m.metric, m.value, m.unit, m.unit_raw, m.statistic) for m in run.measurements] == [
        ("ttft", "time_to_first_token", 17.517805, "ms", "ms", "median"),
        ("output_throughput", "generation_throughput", 12716.187, "tokens/s", "tokens/sec", "single"),
        ("ttft", "time_to_first_token", 20.0, "ms", "ms", "p99"),
    ]
    workload = str(run.measurements[0].workload)
    assert workload.startswith("model=HuggingFaceTB/SmolLM2-135M-Instruct; task=chat; prompt_tokens=256; output_tokens=128")
    assert "strategy=synchronous; concurrency=0.9986; dtype=bfloat16; tensor_parallel=3" in workload
    assert (run.run.tool_version, len(run.devices), run.devices[0].name_raw) == ("0.22.1", 8, "NVIDIA A100-SXM4-40GB")


@pytest.mark.parametrize(
    ("change", "n_gpus", "flag"),
    [
        ({}, None, "gpu_count_unknown"),  # 3 of 8: data parallelism is not stated
        ({"pipeline_parallel": 1}, None, "gpu_count_unknown"),
        ({"pipeline_parallel": 1, "data_parallel": 2}, 6, None),
        ({"tensor_parallel": 8}, 8, None),
        ({"tensor_parallel": 1, "gpu_count": 1}, 1, None),
        ({"tensor_parallel": 0, "gpu_count": 0, "gpu_model": None, "mode": "cpu"}, None, "non_cuda"),
    ],
)
def test_the_count_is_what_the_line_states(change: dict[str, Any], n_gpus: int | None, flag: str | None) -> None:
    (figure,) = only(change).measurements
    assert (figure.n_gpus, figure.flags) == (n_gpus, flag)


def test_a_load_that_finished_no_request_has_no_result() -> None:
    """As in the upload of UpCloud's L4: latencies of 0 ms and rates of 0, as printed, count in no figure."""
    alone = {"tensor_parallel": 1, "gpu_count": 1, "gpu_model": "NVIDIA L4", "strategy": "throughput", "score": 0.0}
    rate = THROUGHPUT | {"measurement": "request_throughput", "unit": "requests/sec", "score": 0.0}
    run = only(LINE | {"gpu_count": 1, "gpu_model": "NVIDIA L4", "tensor_parallel": 1}, alone, alone | rate)
    assert [(m.value, m.flags, m.status) for m in run.measurements] == [
        (17.517805, None, "ok"),
        (0.0, "no_result", "failed"),
        (0.0, "no_result", "failed"),
    ]
    (unknown,) = only({"score": 0}).measurements
    assert unknown.flags == "gpu_count_unknown,no_result"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"score": "NaN"}, "PARSE"),
        ({"score": True}, "PARSE"),
        ({"score": -1.0}, "RANGE"),
        ({"unit": "seconds"}, "SCHEMA"),
        ({"measurement": "vibes"}, "PARSE"),
        ({"percentile": "p42"}, "PARSE"),
        ({"gpu_count": 10**6}, "RANGE"),
        ({"gpu_count": -1}, "RANGE"),
        ({"gpu_model": ["a"]}, "PARSE"),
    ],
)
def test_a_line_that_is_not_whole_refuses_the_file(change: dict[str, Any], code: str) -> None:
    with pytest.raises(RefusedError, match=code):
        only(LINE, change)


def test_a_line_without_its_figure_refuses_the_file() -> None:
    cut = {key: value for key, value in LINE.items() if key != "score"}
    with pytest.raises(RefusedError, match="PARSE"):
        read(json.dumps(LINE) + "\n" + json.dumps(cut))
