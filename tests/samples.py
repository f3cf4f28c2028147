"""The shared samples of benchmark outputs with the values that others read off them; tests skip where they are not at hand."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline.paths import ROOT

SAMPLES = Path(os.environ.get("GPULEDGER_SAMPLES", ROOT.parent / "shared" / "samples")) / "bench"


def expected(file: str) -> Any:
    """Values that the manifest expects of a sample."""
    manifest = SAMPLES / "manifest.json"
    if not manifest.exists():
        pytest.skip("no samples at hand; set GPULEDGER_SAMPLES to the folder that has them")
    return next(sample["expected"] for sample in json.loads(manifest.read_text())["samples"] if sample["file"] == file)


def runs(file: str) -> list[ParsedRun]:
    """The runs that are read from a sample."""
    path = SAMPLES / file
    if not path.exists():
        pytest.skip("no samples at hand; set GPULEDGER_SAMPLES to the folder that has them")
    return read(path.read_text(encoding="utf-8"))
