"""Whatever is done to a real output: rows that keep their tables' declarations and say what was printed, or a reason."""

import contextlib
import math
import random
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from benchmarks.formats import units
from benchmarks.project.mutate_outputs import cut
from pipeline.readers import RefusedError
from pipeline.uploads import precheck
from pipeline.uploads.worker import parse_bytes
from tests.samples import SAMPLES
from tests.unit.uploads.upload_texts import H100, HEADER, NAMELESS, NCCL, SIMPLEST, SMI

OURS = (SIMPLEST, NAMELESS.format(rate="1680000.0"), NCCL, SMI)
CODES = set(
    "ENCODING CONTROL_CHAR EMPTY NO_ROWS SCHEMA TOO_WIDE TOO_DEEP LINE_TOO_LONG SIZE RATIO CONTENT_TYPE PARSE DUP_KEY RANGE "  # noqa: SIM905
    "NOT_FINITE UNKNOWN_FORMAT TRUNCATED NAME_NOT_ALLOWED IMPLAUSIBLE".split()
)
SIGNS = (
    "\0",
    "\x1b[31m",
    "\u202e",
    "\u200b",
    "\ufeff",
    "\ufffe",
    "NaN",
    "-1",
    "1e999",
    "9" * 50,
    "1_000",
    "١٢",
    '"',
    "{",
    "<",
    ",",
    "|",
)
SWAPS = (
    ("GB/s", "GiB/s"),
    ("GB/s", "furlongs"),
    ("MBytes/sec", "GBytes/sec"),
    ("ms", "us"),
    ("MiB", "MB"),
    (".", ","),
    ("t/s", "s/t"),
)
_TRAINING = {"images/s", "sequences/s", "tokens/s", "samples/s"}
# units that a layout does not print, because the tool's source defines them
UNPRINTED_UNITS = {
    ("adhoc_bench_json", "json"): {"tokens/s", "images/s", "s", "GB"},
    ("ai_benchmark", "text"): {"points"},
    ("cutlass_profiler", "csv"): {"ms", "GFLOP/s", "GOP/s", "GiB/s"},
    ("device_benchmarks", "text"): {"TFLOP/s", "TOP/s", "GB/s"},
    ("dllogger", "console"): _TRAINING,
    ("gpuledger_csv", "csv"): {"GB/s"},
    ("gpuledger_csv", "json"): {"GB/s"},
    ("lambda_benchmark", "para"): {"items"},
    ("lambda_benchmark", "v1"): _TRAINING | {"items"},
    ("lambda_benchmark", "v2"): _TRAINING | {"items"},
    ("llama_bench", "csv"): {"t/s"},
    ("llama_bench", "json"): {"t/s"},
    ("llama_bench", "sql"): {"t/s"},
    ("superbench_gpu_stream", "text"): {"GB/s"},
    ("vllm_bench", "milliseconds"): {"tokens/s", "requests/s"},
    ("vllm_bench", "seconds"): {"tokens/s", "requests/s", "s"},
}
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252")


def originals() -> list[str]:
    samples = sorted(path for path in SAMPLES.rglob("*") if path.is_file() and path.name != "manifest.json")
    return [*OURS, *(path.read_text(encoding="utf-8") for path in samples)]


def double(text: str, dice: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    place = dice.randrange(len(lines)) if lines else 0
    return dice.choice((text * 2, "".join(lines[: place + 1] + lines[place:])))


def shuffle(text: str, dice: random.Random) -> str:
    lines = text.splitlines(keepends=True)
    dice.shuffle(lines)
    return "".join(lines)


def insert(text: str, dice: random.Random) -> str:
    place = dice.randrange(len(text) + 1)
    return text[:place] + dice.choice(SIGNS) + text[place + dice.randrange(3) :]


def swap_units(text: str, dice: random.Random) -> str:
    old, new = dice.choice(SWAPS)
    return text.replace(old, new)


def change_digits(text: str, dice: random.Random) -> str:
    return "".join(dice.choice("0123456789") if sign.isdigit() and dice.random() < 0.05 else sign for sign in text)


def join(text: str, dice: random.Random) -> str:
    return text + dice.choice(("", "\n")) + dice.choice(OURS)


MUTATIONS = (cut, double, shuffle, insert, swap_units, change_digits, join)


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    text = draw(st.sampled_from(originals()))
    dice = random.Random(draw(st.integers(0, 2**32)))  # noqa: S311 - no secret
    for mutation in draw(st.lists(st.sampled_from(MUTATIONS), min_size=1, max_size=3)):
        text = mutation(text, dice)
    encoding = draw(st.sampled_from(ENCODINGS)) if draw(st.integers(0, 5)) == 0 else "utf-8"
    return text.encode(encoding, errors="replace")


@pytest.mark.slow
@settings(max_examples=200)
@given(mutated())
@example(HEADER.encode())
@example(b"\xff")
@example(SMI.encode()[:-200])
def test_a_mutated_output_gives_rows_or_a_reason(raw: bytes) -> None:
    with contextlib.suppress(RefusedError):
        precheck.refuse_binary(raw)
        found = parse_bytes(raw)
        if "code" in found:
            assert found["code"] in CODES, found
            assert found["reason"]
        else:
            assert any(run["devices"] or run["measurements"] for run in found["runs"])
            for run in found["runs"]:
                for figure in run["measurements"]:
                    _says_what_was_printed(figure)
                    assert _prints_unit(run["run"], figure, raw.decode())


@pytest.mark.slow
@settings(max_examples=100)
@given(st.data())
def test_two_outputs_in_one_file_give_the_figures_of_both_or_a_reason(data: st.DataObject) -> None:
    first, second = (data.draw(st.sampled_from(originals())) for _ in range(2))
    figures = [_figures(text) for text in (first, second)]
    both = _figures(first + "\n" + second)
    assert both is None or None in figures or both == sum(figures)


def test_a_document_and_a_table_in_one_file_give_the_figures_of_both() -> None:
    document = f'{{"device_name": "{H100}", "kernel": "copy", "size_bytes": 1073741824, "time_ms": 0.8, "gbps": 1342.2}}'
    alone = [_figures(text) for text in (f"[{document}]", NCCL)]
    assert [_figures(f"[{document}]\n{NCCL}"), _figures(f"{NCCL}\n[{document}]")] == [sum(alone)] * 2


def _figures(text: str) -> int | None:
    """Number of figures in a text; None if it is refused."""
    found = parse_bytes(text.encode())
    return None if "code" in found else sum(len(run["measurements"]) for run in found["runs"])


@pytest.mark.parametrize("text", originals(), ids=range(len(originals())))
def test_the_unit_of_each_figure_is_in_the_text(text: str) -> None:
    found = parse_bytes(text.encode())
    for run in found.get("runs", ()):
        assert all(_prints_unit(run["run"], figure, text) for figure in run["measurements"]), run["run"]["tool"]


@pytest.mark.parametrize("text", originals(), ids=range(len(originals())))
def test_the_line_of_each_figure_has_its_value(text: str) -> None:
    found = parse_bytes(text.encode())
    lines = (found.get("redacted") or text).replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for run in found.get("runs", ()):
        for figure in run["measurements"]:
            is_computed = run["run"]["tool"] == "mlperf_training"  # the time from the line of its start to this one
            assert is_computed or figure["value_raw"] in lines[figure["line"] - 1], (run["run"]["tool"], figure["value_raw"])


def _prints_unit(run: dict[str, Any], figure: dict[str, Any], text: str) -> bool:
    """Return whether the unit is in the text, is flagged as assumed, or is defined by the source of the layout."""
    is_defined = figure["unit_raw"] in UNPRINTED_UNITS.get((run["tool"], run["layout_version"]), ())
    return figure["unit_raw"] in text or is_defined or "unit_assumed" in (figure["flags"] or "")


def _says_what_was_printed(figure: dict[str, Any]) -> None:
    """The value is the printed one in another unit."""
    assert math.isfinite(figure["value"])
    assert figure["value"] >= 0
    factor = units.factor(figure["metric"], figure["unit_raw"])
    assert figure["value"] == pytest.approx(float(figure["value_raw"]) * factor)
