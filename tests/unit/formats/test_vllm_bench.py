"""vLLM's serving benchmark: old and new keys, units, failures, and a home-made neighbour under the same file name."""

import datetime as dt
import json
from typing import Any

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

RESULT: dict[str, Any] = {
    "date": "2026-01-02T03:04:05Z", "backend": "openai", "model_id": "/mnt/someone/models/Example-1B", "num_prompts": 4,
    "request_rate": "inf", "max_concurrency": 2, "duration": 2.0, "completed": 4, "failed": 0, "total_input_tokens": 400,
    "total_output_tokens": 800, "request_throughput": 2.0, "output_throughput": 400.0, "total_token_throughput": 600.0,
    "mean_ttft_ms": 20.0, "std_ttft_ms": 1.5, "p99_ttft_ms": 30.0, "p75_ttft_ms": 25.0, "median_itl_ms": 0.0,
    "mean_tpot_ms": None,
}  # fmt: skip


def only(result: dict[str, Any]) -> ParsedRun:
    (run,) = read(json.dumps(result))
    return run


def figures(run: ParsedRun) -> dict[tuple[str, str], float]:
    return {(m.test, m.statistic): m.value for m in run.measurements}


@pytest.mark.parametrize("file", ["h200nvl_c1", "h200nvl_c32", "pro6000_c1", "inferencex_glm5_tp8_c4", "inferencex_glm5_tp8_c16"])
def test_samples(file: str) -> None:
    (run,) = runs(f"vllm/{file}.json")
    wanted = expected(f"vllm/{file}.json")
    found = figures(run)
    for key in ("request_throughput", "output_throughput", "total_token_throughput"):
        assert found.get((key, "single")) == wanted[key]
    for key, place in (("mean_ttft_ms", ("ttft", "mean")), ("mean_tpot_ms", ("tpot", "mean")), ("p99_itl_ms", ("itl", "p99"))):
        assert found.get(place) == wanted[key]
    workload = run.measurements[0].workload or ""
    for key in ("num_prompts", "max_concurrency", "request_rate"):
        assert f"{key}={wanted[key]}" in workload
    assert f"model={wanted['model_id']}" in workload
    assert (run.run.status, run.devices) == ("ok", [])


def test_a_home_made_file_under_the_same_name_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        runs("vllm/pro6000x2_solar_c1.json")
    assert refused.value.code == "SCHEMA"


def test_figures_and_workload() -> None:
    run = only(RESULT)
    assert figures(run) == {
        ("request_throughput", "single"): 2, ("output_throughput", "single"): 400, ("total_token_throughput", "single"): 600,
        ("ttft", "mean"): 20, ("ttft", "p99"): 30,
    }  # fmt: skip
    mean = next(m for m in run.measurements if m.statistic == "mean")
    assert (mean.stddev, mean.n_samples, mean.unit, mean.metric) == (1.5, 4, "ms", "time_to_first_token")
    assert mean.workload == (
        "model=Example-1B; backend=openai; request_rate=inf; max_concurrency=2; num_prompts=4; "
        "input_tokens=100; output_tokens=200"
    )
    assert run.run.started_at == dt.datetime(2026, 1, 2, 3, 4, 5)
    assert "someone" not in repr(run)


def test_the_keys_of_inferencex_are_in_seconds() -> None:
    run = only(
        {key: value for key, value in RESULT.items() if not key.endswith("_ms")}
        | {"median_ttft": 0.25, "date": "20260102-030405"}
    )
    figure = run.measurements[-1]
    assert (figure.value, figure.unit, figure.value_raw, figure.unit_raw) == (250, "ms", "0.25", "s")
    assert (run.run.layout_version, run.run.started_at) == ("seconds", dt.datetime(2026, 1, 2, 3, 4, 5))


def test_results_saved_to_one_file_are_one_run_each() -> None:
    assert len(read("\n".join([json.dumps(RESULT)] * 2))) == 2


def test_requests_that_failed_fail_the_run() -> None:
    run = only(RESULT | {"completed": 3, "failed": 1})
    assert {run.run.status, *(m.status for m in run.measurements)} == {"failed"}


def test_a_run_without_a_figure_is_refused() -> None:
    nothing = dict.fromkeys([key for key in RESULT if "throughput" in key or key.endswith("_ms")], 0.0)
    with pytest.raises(RefusedError) as refused:
        only(RESULT | nothing)
    assert refused.value.code == "NO_ROWS"


@pytest.mark.parametrize(
    ("change", "code"), [({"mean_ttft_ms": "20"}, "PARSE"), ({"duration": 2, "output_throughput": -1}, "RANGE")]
)
def test_refusals(change: dict[str, Any], code: str) -> None:
    with pytest.raises(RefusedError) as refused:
        only(RESULT | change)
    assert refused.value.code == code
