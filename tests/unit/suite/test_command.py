"""The other commands of `gpuledger bench`, and a machine without the suite's dependencies."""

import csv
import io
import json
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from pipeline.cli import app
from tests.command import ROOT


def answer(*arguments: str) -> str:
    """What a command prints."""
    result = CliRunner().invoke(app, ["bench", *arguments])
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_probe_and_list() -> None:
    (found, *_) = json.loads(answer("probe", "--format", "json"))
    assert found["kind"] in ("cpu", "cuda")
    assert found["torch"]
    assert "software" in answer("probe")
    rows = list(csv.DictReader(io.StringIO(answer("list", "--format", "csv"))))
    assert {"memory", "matmul", "train-efficientnet-b7", "data-parallel"} <= {row["workload"] for row in rows}


def test_without_torch_the_next_command_is_named() -> None:
    code = (
        "import sys; sys.modules['torch'] = None; sys.argv = ['gpuledger', 'bench', 'list']; from pipeline.cli import app; app()"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "pip install 'gpuledger[bench]'" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", ["probe", "list", "run"])
def test_every_command_shows_an_example(command: str) -> None:
    assert f"Example: gpuledger bench {command}" in " ".join(answer(command, "--help").split())
