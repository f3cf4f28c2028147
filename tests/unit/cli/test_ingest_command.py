"""The contract of `gpuledger ingest`: exit codes, one clear line per refusal, JSON with the tables' columns."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement
from tests.command import ROOT, gpuledger
from tests.unit.uploads.upload_texts import NAMELESS, SIMPLEST, SMI, data_folder

pytestmark = pytest.mark.slow  # each test starts a program


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_folder(tmp_path)


def test_an_accepted_file_is_printed_and_stored(data: Path, tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_text(SIMPLEST)
    result = gpuledger("ingest", str(tmp_path / "run.csv"), data=data)
    assert result.returncode == 0, result.stderr
    assert "run.csv: accepted: gpuledger_csv, 2 figures of 1 x nvidia-h100-sxm5-80gb" in result.stdout
    assert result.stderr.strip() == "1 accepted"
    (tmp_path / "one.csv").write_text("\n".join(SIMPLEST.splitlines()[:2]) + "\n")
    assert "1 figure of 1 x" in gpuledger("ingest", "--dry-run", str(tmp_path / "one.csv"), data=data).stdout
    again = gpuledger("ingest", str(tmp_path / "run.csv"), data=data)
    assert (again.returncode, again.stderr.strip()) == (0, "1 known")
    assert len(list((data / "uploads" / "accepted").iterdir())) == 2


def test_a_refusal_is_one_line_with_code_line_and_next_step(data: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text(SIMPLEST + "NVIDIA L4,copy,1\n")
    result = gpuledger("ingest", str(tmp_path / "bad.csv"), data=data)
    assert result.returncode == 2
    assert result.stdout == ""
    refusal, summary = result.stderr.strip().splitlines()
    assert refusal.startswith(f"{tmp_path / 'bad.csv'} line 4: PARSE: ")
    assert summary == "1 rejected"


def test_json_has_the_columns_of_the_tables(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "good.csv").write_text(SIMPLEST)
    (folder / "bad\x1b[31m.csv").write_text("x")
    result = gpuledger("ingest", str(folder), "--json", "--dry-run", data=data)
    assert result.returncode == 2
    bad, good = json.loads(result.stdout)
    assert set(bad) == set(good) == {"file", "status", "code", "line", "reason", "runs"}
    assert (bad["status"], bad["code"], bad["runs"]) == ("rejected", "UNKNOWN_FORMAT", [])
    assert (good["status"], good["code"]) == ("accepted", None)
    (run,) = good["runs"]
    devices, measurements = run.pop("devices"), run.pop("measurements")
    for row, record in ((run, BenchmarkRun), (devices[0], BenchmarkDevice), (measurements[0], Measurement)):
        assert tuple(row) == record.__table__.column_names
    assert "\x1b" not in result.stdout + result.stderr
    assert not (data / "uploads").exists()


def test_a_folder_a_pipe_and_a_named_gpu(data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "stream.csv").write_text(NAMELESS.format(rate="1680000.0"))
    (folder / "smi.xml").write_text(SMI)
    result = gpuledger("ingest", str(folder), data=data)
    assert "stream.csv: accepted: babelstream, 4 figures of 1 x nvidia-a100-sxm4-80gb" in result.stdout
    command = [sys.executable, "-m", "pipeline", "ingest", "-", "--gpu", "NVIDIA L4", "--json"]
    environment = os.environ | {"GPULEDGER_DATA": str(data)}
    text = NAMELESS.format(rate="240000.0").replace("168", "23").replace("170", "24")
    piped = subprocess.run(command, cwd=ROOT, input=text, capture_output=True, text=True, check=True, env=environment)
    (outcome,) = json.loads(piped.stdout)
    assert outcome["file"] == "-"
    assert outcome["runs"][0]["devices"][0]["gpu_id"] == "nvidia-l4-24gb"
    assert outcome["runs"][0]["devices"][0]["identity_source"] == "user"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([""], "'': no such file or folder"),
        (["nothing.csv"], "nothing.csv: no such file or folder"),
        ([str(ROOT / "README.md"), "--manifest", str(ROOT / "README.md")], "README.md line 2: 0 fields where the header names 1"),
        (["*.csv"], "*.csv: no such file or folder"),
        (["../nowhere/x"], "../nowhere/x: no such file or folder"),
        ([str(ROOT / "README.md"), "--gpu", "Voodoo 2"], "`gpuledger resolve` shows what a name means"),
    ],
)
def test_a_wrong_call_is_one_line(data: Path, arguments: list[str], said: str) -> None:
    result = gpuledger("ingest", *arguments, data=data)
    assert result.returncode == 2
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_an_empty_folder_is_an_error(data: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    result = gpuledger("ingest", str(tmp_path / "in"), data=data)
    assert (result.returncode, "no file in there" in result.stderr) == (2, True)


def test_help_shows_an_example() -> None:
    assert "gpuledger ingest - --gpu" in " ".join(gpuledger("ingest", "--help").stdout.split())
