"""A text that holds several tools' outputs: JSON documents among other output, and what is broken there."""

import json
from dataclasses import replace

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from pipeline.readers.strict_json import extract_documents
from tests.unit.formats.test_dllogger import CONSOLE
from tests.unit.formats.test_llama_bench import MARKDOWN, RECORD
from tests.unit.formats.test_mlperf import LOG, event
from tests.unit.formats.test_nccl_tests import NEW
from tests.unit.uploads.upload_texts import SMI

NVBANDWIDTH = {
    "nvbandwidth": {
        "version": "v0.6",
        "testcases": [
            {
                "name": "host_to_device_memcpy_ce",
                "status": "Passed",
                "bandwidth_description": "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)",
                "bandwidth_matrix": [["10.0", "20.0"]],
                "sum": 30.0,
            }
        ],
    }
}
PRETTY = json.dumps(NVBANDWIDTH, indent=2)
LINES = json.dumps(RECORD) + "\n" + json.dumps(RECORD | {"n_prompt": 0, "n_gen": 128}) + "\n"


def tools(text: str) -> list[tuple[str, int]]:
    return [(run.run.tool, len(run.measurements)) for run in read(text)]


@pytest.mark.parametrize(
    "text", [PRETTY + "\n" + MARKDOWN, PRETTY + MARKDOWN, MARKDOWN + "\n" + PRETTY, f"```\n{PRETTY}\n```\n" + MARKDOWN]
)
def test_a_document_beside_another_tools_text_is_read(text: str) -> None:
    assert tools(text) == [("nvbandwidth", 3), ("llama_bench", 3)]


def test_lines_of_json_beside_text_stay_one_run() -> None:
    assert tools(LINES + MARKDOWN) == [("llama_bench", 2), ("llama_bench", 3)]
    assert tools(LINES + PRETTY + "\n" + PRETTY + MARKDOWN) == [
        ("llama_bench", 2),
        ("nvbandwidth", 3),
        ("nvbandwidth", 3),
        ("llama_bench", 3),
    ]


def test_a_document_below_a_log_is_read() -> None:
    assert tools("loading the model\n" + json.dumps([RECORD], indent=1)) == [("llama_bench", 1)]


def test_a_document_of_no_tool_is_passed_over_as_a_log_is() -> None:
    assert tools('{"level": "info"}\n' + MARKDOWN + '{"level": "info"}\n') == [("llama_bench", 3)]


@pytest.mark.parametrize("text", [MARKDOWN + PRETTY[:-40], PRETTY[:-40] + "\n" + MARKDOWN])
def test_a_broken_document_beside_text_is_refused(text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(text)
    assert (refused.value.code, refused.value.line is None) == ("PARSE", False)


def test_lines_of_text_keep_their_numbers() -> None:
    with pytest.raises(RefusedError) as refused:
        read(PRETTY + "\n" + MARKDOWN.replace("50.25 ± 0.25 |", "50.25"))
    assert refused.value.line == PRETTY.count("\n") + 1 + 8
    _, rest = extract_documents(MARKDOWN + PRETTY + "\n" + MARKDOWN)
    assert rest == MARKDOWN + "\n" * (PRETTY.count("\n") + 1) + MARKDOWN


def test_a_rank_before_each_line_is_no_document() -> None:
    assert extract_documents("[1,0]<stdout>: a\n") == ([], "[1,0]<stdout>: a\n")


def test_documents_within_documents_without_end_are_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        extract_documents("a log\n" + '{"a":' * 100_000)
    assert refused.value.code == "TOO_DEEP"


STEP = "DLL 2024-05-06 07:08:09.1 - Training Epoch: 0  step_loss : 5.9  learning_rate : 0.0 "


def test_logs_whose_lines_alternate_are_each_read_whole() -> None:
    mixed = "\n".join(line + "\n" + STEP for line in LOG.split("\n"))
    (run,), (alone,) = read(mixed), read(LOG)
    (figure,), (same) = run.measurements, alone.measurements
    assert [replace(figure, line=same[0].line)] == same
    assert (run.run, run.devices) == (alone.run, alone.devices)
    assert mixed.split("\n")[(figure.line or 0) - 1] == LOG.split("\n")[(same[0].line or 0) - 1]
    assert tools(mixed + "\n" + CONSOLE) == [("dllogger", 3), ("mlperf_training", 1)]


def test_a_log_between_the_rows_of_a_table_takes_none_of_them() -> None:
    lines = NEW.split("\n")
    for place in range(len(lines)):
        with_log = "\n".join([*lines[:place], event("step", 1), *lines[place:]])
        assert tools(with_log + LOG) == [*sorted([("nccl_tests", 13), ("mlperf_training", 1)], reverse=place > 0)]


def test_a_tool_without_figures_is_left_out_beside_one_with_figures() -> None:
    assert tools(STEP + "\n" + MARKDOWN) == [("llama_bench", 3)]
    for text in (STEP, STEP + "\n" + SMI):
        with pytest.raises(RefusedError) as refused:
            read(text)
        assert refused.value.code == "NO_ROWS"


def test_a_header_without_figures_is_refused_and_a_failed_run_is_not() -> None:
    head = NEW[: NEW.index("#       size")]
    with pytest.raises(RefusedError) as refused:
        read(head)
    assert refused.value.code == "NO_ROWS"
    assert tools(head + "secret: Test NCCL failure common.cu:1\n") == [("nccl_tests", 0)]
    assert tools(LOG.replace("success", "aborted")) == [("mlperf_training", 0)]
