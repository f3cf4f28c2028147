"""A text that holds several tools' outputs: JSON documents among other output, and what is broken there."""

import json

import pytest

from benchmarks.formats import read
from pipeline.readers import RefusedError
from pipeline.readers.strict_json import extract_documents
from tests.unit.formats.test_llama_bench import MARKDOWN, RECORD

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
    return [(run.run.tool, len(run.measurements)) for run, _ in read(text)]


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
