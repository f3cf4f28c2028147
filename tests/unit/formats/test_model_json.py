"""JSON of single models: GenAI-Perf's export and the home-made benchmarks."""

import json
from typing import Any

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

GENAI: dict[str, Any] = {
    "request_throughput": {"unit": "requests/sec", "avg": 2.5},
    "request_latency": {"unit": "ms", "avg": 800.0, "p99": 900.0, "p75": 850.0, "max": 950.0, "std": 6.0},
    "output_sequence_length": {"unit": "tokens", "avg": 50.0},
    "input_config": {"model": ["Example-1B"], "concurrency": 4, "u": "secret-host:8000", "artifact_dir": "/mnt/someone/x"},
}
TEXT: dict[str, Any] = {
    "model": "Example-1B",
    "engine": "example",
    "prompt": "do not keep",
    "runs": [{"latency_s": 1.0, "new_tokens": 64}] * 3,
    "mean_tok_s": 64.0,
}
IMAGE: dict[str, Any] = {
    "model": "Painter", "latencies_s": [4.0, 4.0], "mean_latency_s": 4.0, "images_per_s": 0.25, "width": 512, "height": 512,
    "steps": 20, "peak_vram_gb": 2.0,
}  # fmt: skip


IMAGE_FIGURES = {"mean_latency_s", "images_per_s", "peak_vram_gb"}


def only(document: dict[str, Any]) -> ParsedRun:
    (run,) = read(json.dumps(document))
    return run


def test_sample_of_genai_perf() -> None:
    (run,) = runs("genai-perf/llama3_8b_c10.json")
    tests = {m.test for m in run.measurements}
    lengths = {"output_sequence_length", "input_sequence_length", "input_config"}
    assert tests == set(expected("genai-perf/llama3_8b_c10.json")["keys"]) - lengths
    assert "nim:8000" not in repr(run)


@pytest.mark.parametrize(
    ("file", "figures", "samples"),
    [
        ("atlas-coder-2-0.5b_gpu_1x_a6000_transformers-bench", {"mean_tok_s", "median_tok_s"}, 5),
        ("mage-flow_gpu_1x_l40s_bench", IMAGE_FIGURES | {"load_s", "median_latency_s", "p95_latency_s"}, 5),
        ("flux1-dev-int8-convrot_gpu_1x_h200_nvl_t2i-bench", IMAGE_FIGURES, 4),
    ],
)
def test_samples_of_home_made_json(file: str, figures: set[str], samples: int) -> None:
    (run,) = runs(f"misc-json/{file}.json")
    assert {m.test for m in run.measurements} == figures
    assert figures <= set(expected(f"misc-json/{file}.json")["keys"])
    assert run.measurements[0].n_samples == samples
    assert run.devices == []  # the GPU is in the file's name alone


def test_genai_perf_units_statistics_and_what_is_not_kept() -> None:
    run = only(GENAI)
    assert [(m.metric, m.statistic, m.value, m.stddev) for m in run.measurements] == [
        ("serving_request_throughput", "mean", 2.5, None),
        ("end_to_end_latency", "mean", 800, 6),
        ("end_to_end_latency", "p99", 900, None),
        ("end_to_end_latency", "worst", 950, None),
    ]
    assert run.measurements[0].workload == "model=Example-1B; concurrency=4; output_tokens=50"
    assert "secret" not in repr(run)
    assert "someone" not in repr(run)


def test_text_and_image_figures() -> None:
    (speed,) = only(TEXT).measurements
    assert (speed.metric, speed.value, speed.n_samples, speed.item) == ("generation_throughput", 64, 3, "tokens")
    assert speed.workload == "model=Example-1B; engine=example; new_tokens=64"
    assert [(m.metric, m.value, m.unit, m.flags) for m in only(IMAGE).measurements] == [
        ("inference_throughput", 0.25, "items/s", None),
        ("inference_time", 4, "s", None),
        ("peak_memory", pytest.approx(1907.3, abs=0.1), "MiB", "unit_assumed"),
    ]


@pytest.mark.parametrize(
    ("document", "code"),
    [
        ({key: value for key, value in TEXT.items() if key != "mean_tok_s"} | {"mean_tpot_ms": 4}, "SCHEMA"),
        (TEXT | {"runs": []}, "SCHEMA"),
        (TEXT | {"mean_tok_s": "64"}, "PARSE"),
        (GENAI | {"request_latency": {"unit": "parsecs", "avg": 1}}, "SCHEMA"),
        (GENAI | {"request_latency": {"unit": "ms", "avg": "1"}}, "PARSE"),
    ],
)
def test_refusals(document: dict[str, Any], code: str) -> None:
    with pytest.raises(RefusedError) as refused:
        only(document)
    assert refused.value.code == code
