"""Output of commands: errors of the file system are one line with the next step."""

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest
import typer
from typer.testing import CliRunner

from pipeline.cli.output import open_database, report_os_errors
from tests.command import ROOT


def run(error: OSError) -> tuple[int, str]:
    """Exit code and stderr of a command that raises the error."""
    app = typer.Typer()

    @report_os_errors
    def command() -> None:
        raise error

    app.command()(command)
    result = CliRunner().invoke(app)
    return result.exit_code, result.stderr


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (PermissionError(13, "Permission denied", "/data/build"), "/data/build: Permission denied"),
        (OSError(28, "No space left on device"), "No space left on device"),
        (OSError("the disk is gone"), "the disk is gone"),
    ],
)
def test_an_error_of_the_file_system_is_one_line(error: OSError, message: str) -> None:
    code, stderr = run(error)
    assert (code, stderr) == (1, f"{message}; check the path, its permissions and free disk space, then try again\n")


@pytest.mark.slow  # each starts a program
@pytest.mark.parametrize("command", [("bench", "list"), ("bench", "probe")])
def test_commands_of_the_suite_tell_a_full_disk_in_one_line(command: tuple[str, str]) -> None:
    with Path("/dev/full").open("w") as full:
        arguments = [sys.executable, "-m", "pipeline", *command, "--format", "csv"]
        done = subprocess.run(arguments, stdout=full, stderr=subprocess.PIPE, text=True, check=False, cwd=ROOT)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_closed_pipe_is_no_error_of_a_command() -> None:
    assert "check the path" not in run(BrokenPipeError(32, "Broken pipe"))[1]


def test_a_database_of_another_version_is_named_with_the_next_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with duckdb.connect(str(tmp_path / "old.duckdb")) as con:
        con.execute("CREATE TABLE gpu (name VARCHAR)")
    for query in ("FROM llm_use", "SELECT gpu_model_id FROM gpu"):
        with pytest.raises(typer.Exit), open_database(tmp_path / "old.duckdb") as con:
            con.execute(query)
        line = capsys.readouterr().err
        assert "is of another version of gpuledger" in line
        assert line.endswith("run `gpuledger build`\n")
