"""`gpuledger build` where it cannot work: it ends before it starts, with one line that says what to do."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline import paths
from pipeline.cli import app, build
from tests.command import ROOT, run_here

pytestmark = pytest.mark.slow  # most tests start a program


@pytest.mark.parametrize(("kib", "part"), [(1_500_000, []), (1_500_000, ["--only", "data"]), (700_000, []), (400_000, [])])
def test_too_little_address_space_is_one_line(tmp_path: Path, kib: int, part: list[str]) -> None:
    """With 1.5 GB, libraries of the build crash, report a lack of memory, or hang; with less, those of every command."""
    limited = ["sh", "-c", f'ulimit -v {kib}; exec "$@"', "sh", sys.executable, "-m", "pipeline"]
    command = [*limited, "build", "--out", str(tmp_path / "out"), *part]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    *heading, problem = result.stderr.splitlines()
    assert len(heading) <= 1
    assert f"allows {kib * 1024 // 1_000_000} MB of address space" in problem
    assert "run `ulimit -v unlimited`" in problem
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(("limit", "is_said"), [("600000000", True), ("9000000000", False), ("max", False)])
def test_a_build_with_too_little_memory_begins_with_a_warning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, is_said: bool
) -> None:
    (tmp_path / "memory.max").write_text(f"{limit}\n")
    (tmp_path / "out").write_text("a file, so that the build ends at once")
    monkeypatch.setattr(build, "MEMORY_LIMITS", (tmp_path / "memory.max", tmp_path / "missing"))
    result = CliRunner().invoke(app, ["build", "--out", str(tmp_path / "out")])
    assert ("There are 600 MB of memory, a build takes up to" in result.stderr) == is_said
    assert ("killed it for lack of memory" in result.stderr) == is_said


def test_a_day_in_the_future_is_refused(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["build", "--as-of", "2999-01-01", "--out", str(tmp_path / "out")])
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert re.fullmatch(r"--as-of 2999-01-01: is in the future; choose \d{4}-\d\d-\d\d or an earlier day\n", result.stderr)
    assert not (tmp_path / "out").exists()


def test_a_file_in_place_of_the_build_folder_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    result = run_here("build", "--out", str(tmp_path / "out"))
    assert result.returncode == 1
    problem = f"--out {tmp_path}/out: Not a directory; choose a folder that can be written"
    assert result.stderr.splitlines() == ["Not published: 1 problem.", problem]  # and no word of a release
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize("folder", [".", "raw", "names/rules", "performance", "mine"])
def test_no_build_writes_among_the_stored_files(tmp_path: Path, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build.paths, "DATA", tmp_path / "data")
    result = CliRunner().invoke(app, ["build", "--out", str(tmp_path / "data" / folder)])
    assert result.exit_code == 1
    assert "has the stored files; choose a folder of its own, such as" in result.stderr
    assert not (tmp_path / "data").exists()


def test_no_build_replaces_files_of_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as the README of the folder in which it runs."""
    (tmp_path / "README.md").write_text("mine")
    monkeypatch.chdir(tmp_path)
    for out in (".", str(tmp_path)):
        result = CliRunner().invoke(app, ["build", "--only", "data", "--out", out])
        assert result.exit_code == 1
        assert "has other files, which a build would replace; choose an empty folder" in " ".join(result.stderr.split())
    assert [path.name for path in tmp_path.iterdir()] == ["README.md"]
    monkeypatch.setattr(build, "_run", lambda *_: ([], True))
    (tmp_path / "build.lock").touch()  # a build folder, where all names are those of builds
    assert CliRunner().invoke(app, ["build", "--out", str(tmp_path)]).exit_code == 0


def test_a_folder_in_which_nothing_can_be_written_is_one_line() -> None:
    result = run_here("build", "--out", "/sys/gpuledger")  # root may not write there either
    assert result.returncode == 1
    _, problem = result.stderr.splitlines()
    assert re.fullmatch(r"--out /sys/gpuledger: .+; choose a folder that can be written", problem)


def test_a_disk_without_room_for_a_build_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(build.NEEDED_MB, "site", 10**12)
    result = CliRunner().invoke(app, ["build", "--out", str(tmp_path)])
    assert result.exit_code == 1
    _, problem = result.stderr.splitlines()
    assert problem.endswith("MB free, a build needs 1000000000000; free space or choose another --out")


@pytest.mark.parametrize("command", [[], ["build"], ["bench", "run"]])
def test_help_is_printed_for_a_data_folder_that_does_not_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("GPULEDGER_DATA", str(tmp_path / "mistyped"))
    monkeypatch.setattr(paths, "DATA", tmp_path / "mistyped")
    result = CliRunner().invoke(app, [*command, "--help"])
    assert result.exit_code == 0
    assert "Usage:" in result.stdout


@pytest.mark.parametrize("command", [["build"], ["fetch", "ecb"], ["query", "SELECT 1"]])
def test_a_data_folder_that_does_not_exist_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv("GPULEDGER_DATA", str(tmp_path / "mistyped"))
    monkeypatch.setattr(paths, "DATA", tmp_path / "mistyped")
    result = CliRunner().invoke(app, command)
    assert result.exit_code == 2
    said = "GPULEDGER_DATA: no folder {}; set it to a copy of data/, or unset it".format(tmp_path / "mistyped")
    assert result.stderr.split() == said.split()
