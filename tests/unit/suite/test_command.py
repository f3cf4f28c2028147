"""The other commands of `gpuledger bench`, and a machine without the suite's dependencies."""

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.cli import app
from tests.command import ROOT

pytestmark = pytest.mark.slow  # each test starts a program


def answer(*arguments: str) -> str:
    """Output of a command."""
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


SMI = """index, name, compute_cap, memory.total [MiB], clocks.max.sm [MHz], driver_version
0, NVIDIA H100 80GB HBM3, 9.0, 81559 MiB, 1980 MHz, 570.86.15
1, NVIDIA H100 80GB HBM3, 9.0, 81559 MiB, 1980 MHz, 570.86.15
"""


def without_torch(*arguments: str, path: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run a command as after `make site`, which installs no torch; `path` is the only folder with programs."""
    code = f"import sys; sys.modules['torch'] = None; sys.argv = ['gpuledger', 'bench', *{arguments!r}]; "
    command = [sys.executable, "-c", code + "from pipeline.cli import app; app()"]
    environment = os.environ | {"PATH": str(path or "/nowhere")}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def test_run_without_torch_names_the_command_that_installs_it() -> None:
    result = without_torch("run")
    assert result.returncode == 2
    assert "torch is not installed" in result.stderr
    assert "-m pip install -e '.[bench]'" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_unknown_workload_is_one_line_with_the_nearest_names() -> None:
    result = CliRunner().invoke(app, ["bench", "run", "train-resnet"])
    assert (result.exit_code, result.stderr) == (2, "no workload 'train-resnet'; did you mean train-resnet50?\n")


def test_list_needs_no_torch() -> None:
    result = without_torch("list", "--format", "csv")
    assert (result.returncode, result.stdout) == (0, answer("list", "--format", "csv"))


def test_probe_without_torch_shows_what_nvidia_smi_lists(tmp_path: Path) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\n/bin/cat <<'END'\n{SMI}END\n")
    program.chmod(0o755)
    result = without_torch("probe", "--format", "json", path=tmp_path)
    assert result.returncode == 0
    assert "pip install -e '.[bench]'" in result.stderr
    found = json.loads(result.stdout)
    assert [(device["ordinal"], device["name"], device["memory_total_mib"]) for device in found] == [
        (0, "NVIDIA H100 80GB HBM3", 81559),
        (1, "NVIDIA H100 80GB HBM3", 81559),
    ]
    assert (found[0]["compute_capability"], found[0]["driver"], found[0]["torch"]) == ("9.0", "570.86.15", None)
    assert list(found[0]) == list(json.loads(answer("probe", "--format", "json"))[0])


@pytest.mark.parametrize("program", [None, "exit 9", "echo 'No devices were found'", "echo index, name"])
def test_probe_without_torch_and_gpu_shows_the_processor(tmp_path: Path, program: str | None) -> None:
    if program:
        (tmp_path / "nvidia-smi").write_text(f"#!/bin/sh\n{program}\n")
        (tmp_path / "nvidia-smi").chmod(0o755)
    result = without_torch("probe", "--format", "json", path=tmp_path)
    assert result.returncode == 0
    assert [device["kind"] for device in json.loads(result.stdout)] == ["cpu"]


@pytest.mark.parametrize("command", ["probe", "list", "run"])
def test_every_command_shows_an_example(command: str) -> None:
    assert f"Example: gpuledger bench {command}" in " ".join(answer(command, "--help").split())
