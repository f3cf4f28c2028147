"""Rows of an output that gave no figure: each makes the run truncated or refuses the file, in every format."""

import contextlib
import json
from pathlib import Path

import pytest

from benchmarks.formats.detection import read
from benchmarks.project import check_folder, mutate_outputs
from pipeline.readers import RefusedError
from tests.samples import SAMPLES
from tests.unit.formats import (
    test_ai_benchmark,
    test_babelstream,
    test_cutlass_profiler,
    test_device_benchmarks,
    test_gpu_benches_roofline,
    test_gpu_benches_stream,
    test_gpu_burn,
    test_lambda_benchmark,
    test_llama_bench,
    test_mixbench,
    test_model_json,
    test_nccl_tests,
    test_opencl_benchmark,
)
from tests.unit.uploads.upload_texts import SMI

OUTPUTS = {  # and the beginning of one of its rows
    test_cutlass_profiler.TEXT: "            Math:",
    test_device_benchmarks.TEXT: "2000, ",
    test_gpu_benches_stream.TEXT: "      512 ",
    test_lambda_benchmark.V1: "SMC 4x",
    test_mixbench.TEXT: "            0,",
}


@pytest.mark.parametrize(("text", "start"), OUTPUTS.items(), ids=[start.strip() for start in OUTPUTS.values()])
def test_a_row_above_its_table_refuses_the_file(text: str, start: str) -> None:
    row = next(line for line in text.split("\n") if line.startswith(start))
    with pytest.raises(RefusedError) as refused:
        read(row + "\n" + text.replace(row + "\n", "", 1))
    assert (refused.value.code, refused.value.line) == ("PARSE", 1)


@pytest.mark.parametrize("text", [*OUTPUTS, test_babelstream.TEXT, test_llama_bench.MARKDOWN, test_nccl_tests.NEW])
def test_the_output_of_another_tool_between_the_rows_loses_none_of_them(text: str) -> None:
    lines = text.split("\n")
    both = figures(text) + figures(SMI) + figures(test_gpu_burn.TEXT)
    for place in range(len(lines)):
        with contextlib.suppress(RefusedError):
            mixed = "\n".join([*lines[:place], test_gpu_burn.TEXT, SMI, *lines[place:]])
            is_marked = any(run.run.status != "ok" for run in read(mixed))
            assert is_marked or figures(mixed) == both, f"before line {place + 1}"


def figures(text: str) -> int:
    return sum(len(run.measurements) for run in read(text))


def test_a_box_without_its_first_row_is_not_read_as_the_next_one() -> None:
    box = test_opencl_benchmark.BOX
    with pytest.raises(RefusedError) as refused:
        read("\n".join(line for line in box.split("\n") if "Device ID" not in line) + box)
    assert refused.value.code == "PARSE"


def test_a_device_number_below_zero_refuses_the_row() -> None:
    with pytest.raises(RefusedError) as refused:
        read(test_gpu_benches_roofline.TEXT.replace("\n0 ", "\n-0 ", 1))
    assert (refused.value.code, refused.value.line) == ("PARSE", 2)


def test_a_result_without_its_disposition_is_refused() -> None:
    text = test_cutlass_profiler.TEXT
    for broken in (text.replace("Disposition: Not verified", ""), text.replace("  Problem ID: 1\n", "")):
        with pytest.raises(RefusedError) as refused:
            read(broken + text)
        assert refused.value.code == "PARSE"


def test_a_score_cut_at_the_end_of_a_paste_truncates_the_run() -> None:
    (run,) = read(test_ai_benchmark.TEXT.rstrip())
    assert (run.run.status, [m.test for m in run.measurements if m.metric == "score"]) == ("truncated", ["inference score"])


def test_a_lost_statistic_or_metric_of_genai_perf_truncates_the_run() -> None:
    for lost in (
        {"request_latency": {"unit": "ms", "avg": 800.0, "p99": 900.0}},
        {"reque t_latency": {"unit": "ms", "avg": 1.0}},
    ):
        (run,) = read(json.dumps(test_model_json.GENAI | lost))
        assert run.run.status == "truncated"


def test_an_unknown_figure_of_a_home_made_benchmark_truncates_the_run() -> None:
    (run,) = read(json.dumps(test_model_json.IMAGE | {"xedian_latency_s": 4.5}))
    assert run.run.status == "truncated"


@pytest.mark.slow
def test_damaged_copies_of_the_samples_lose_nothing_in_silence() -> None:
    if not SAMPLES.exists():
        pytest.skip("no samples at hand; set GPULEDGER_SAMPLES to the folder that has them")
    bad = [found for found in mutate_outputs.check_copies(SAMPLES, [4], copies=200) if found[0] in mutate_outputs.BAD]
    assert bad == []


def test_a_folder_without_outputs_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="name a folder of outputs"):
        list(mutate_outputs.check_copies(tmp_path, [4]))
    with pytest.raises(SystemExit, match="name a folder of outputs"):
        check_folder.main(tmp_path / "missing", list_files=True)
