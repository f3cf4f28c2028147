"""Damage that no figure depends on empties a field with a remark; damage on a figure's line refuses the file."""

from typing import Any

import pytest

from pipeline.uploads.worker import parse_bytes
from tests.unit.formats.test_gpu_burn import TEXT as BURN
from tests.unit.formats.test_llama_bench import MARKDOWN
from tests.unit.formats.test_mixbench import TEXT as MIXBENCH
from tests.unit.uploads.upload_texts import NCCL


def torn(text: str, before: str) -> dict[str, Any]:
    """Parse a text with a torn character before the given words."""
    start, end = text.encode().split(before.encode(), 1)
    return parse_bytes(start + b"\xe2\x96" + before.encode() + end)


def figures(found: dict[str, Any]) -> list[tuple[str, float]]:
    return [(figure["test"], figure["value"]) for run in found["runs"] for figure in run["measurements"]]


@pytest.mark.parametrize(
    ("text", "before"),
    [
        (BURN, "Killing processes"),
        (BURN, "Using compare file"),
        (MARKDOWN, "build:"),
        ("model.gguf:  93%|" + "\u2588" * 8 + "| 4.2G/4.5G\n" + MARKDOWN, "| 4.2G"),
    ],
)
def test_a_torn_byte_beside_the_figures_leaves_them_as_they_are(text: str, before: str) -> None:
    found = torn(text, before)
    assert figures(found) == figures(parse_bytes(text.encode()))
    line = text[: text.index(before)].count("\n") + 1
    assert {run["run"]["args"].split("; ")[-1] for run in found["runs"]} == {f"not_utf8_lines={line}"}


@pytest.mark.parametrize(
    ("text", "before"),
    [
        (BURN, "53000 Gflop/s"),
        (BURN, "FLOATS, using"),
        (BURN.replace("GPU 1: OK", "GPU 1: FAULTY"), "GPU 1: FAULTY"),
        (MARKDOWN, "± "),
        (MIXBENCH, "Single Precision"),
        (NCCL, "busbw"),
    ],
)
def test_a_torn_byte_that_a_figure_depends_on_refuses_the_file(text: str, before: str) -> None:
    found = torn(text, before)
    assert (found["code"], found["line"]) == ("ENCODING", text[: text.index(before)].count("\n") + 1)


def test_a_torn_device_name_is_unknown() -> None:
    found = torn(BURN.replace("NVIDIA Example 1", "NVIDIA H100 PCIe"), "NVIDIA H100")
    assert figures(found) == figures(parse_bytes(BURN.encode()))
    assert {device["name_raw"] for run in found["runs"] for device in run["devices"]} == {None}


def test_bytes_of_another_encoding_on_many_lines_refuse_the_file() -> None:
    log = "\n".join(f"caf\u00e9 {n}" for n in range(40))
    assert parse_bytes((log + "\n" + BURN).encode("latin-1"))["code"] == "ENCODING"


def test_a_clock_of_zero_is_unknown_in_every_format() -> None:
    found = parse_bytes(MIXBENCH.replace("1500 MHz", "99999999999999999999 MHz").encode())
    (run,) = found["runs"]
    assert (run["devices"][0]["sm_clock_mhz"], len(run["measurements"])) == (None, 8)
    assert run["run"]["args"].endswith("not_read=sm_clock_mhz 1e+20")
