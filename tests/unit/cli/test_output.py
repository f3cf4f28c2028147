"""Output of commands: wrong options and errors of the file system are one line with the next step."""

import datetime as dt
import enum
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Literal

import duckdb
import pytest
import typer
from typer.testing import CliRunner

from pipeline.cli.output import Command, DateOption, Format, open_database
from pipeline.errors import BuildError
from tests.command import ROOT

Form = enum.StrEnum("Form", ["table", "csv", "json"])  # Typer takes no list of literals


def run(error: Exception) -> tuple[int, str]:
    """Exit code and stderr of a command that raises the error."""
    app = typer.Typer()

    def command() -> None:
        raise error

    app.command(cls=Command)(command)
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


def test_an_error_that_a_user_can_fix_is_its_own_line() -> None:
    assert run(BuildError("x.sql line 1: reads nosuch; declare it")) == (1, "x.sql line 1: reads nosuch; declare it\n")


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


def test_a_named_file_that_is_no_database_is_said_to_be_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Building does not help where the path of --db is wrong."""
    (tmp_path / "text").write_text("no database")
    for name, problem in (("none", "does not exist"), (".", "is a folder"), ("text", "cannot be opened")):
        with pytest.raises(typer.Exit) as end, open_database(tmp_path / name):
            pass
        line = capsys.readouterr().err
        assert (end.value.exit_code, f"--db {tmp_path / name} {problem}" in line) == (2, True)
        assert line.endswith("leave --db out to use the last build\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["measure", "--share", "nan"], "--share 'nan' is not a number"),
        (["measure", "--share", "-nan"], "--share '-nan' is not a number"),
        (["measure", "--share", "x"], "--share 'x' is not a number"),
        (["measure", "--share", "2"], "--share 2 is above 1"),
        (["measure", "--share", "-1"], "--share -1 is below 0"),
        (["measure", "--count", "1.5"], "--count '1.5' is not a whole number"),
        (["measure", "--count", "0"], "--count 0 is below 1"),
        (["choose", "--form", "xml"], "--form 'xml' is not one of 'table', 'csv', 'json'"),
        (["choose", "--kind", "xml"], "--kind 'xml' is not one of 'a', 'b'"),
        (["choose", "--forms", "csv", "--forms", "xml"], "--forms 'xml' is not one of 'table', 'csv', 'json'"),
        (["choose", "--day", "soon"], "--day 'soon' is no date like 2026-11-20"),
        (["choose", "--nothing"], "No such option: --nothing"),
        (["choose", "more"], "Got unexpected extra argument(s) (more)"),
        (["choose", "--day"], "Option '--day' requires an argument"),
    ],
)
def test_a_wrong_option_is_one_plain_line(options: typer.Typer, arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(options, arguments, prog_name="x")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"{message}; see `x {arguments[0]} --help`\n")


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_a_number_without_bounds_is_finite_too(options: typer.Typer, value: str) -> None:
    result = CliRunner().invoke(options, ["measure", "--size", value])
    assert (result.exit_code, result.stderr) == (2, f"--size {value} is not a finite number\n")


def test_a_date_is_read_as_such(options: typer.Typer) -> None:
    assert CliRunner().invoke(options, ["choose", "--day", "2026-11-20"]).stdout == "2026-11-20\n"


@pytest.fixture
def options() -> typer.Typer:
    """Commands with an option of each kind."""
    app = typer.Typer()

    @app.command(cls=Command)
    def measure(
        share: Annotated[float, typer.Option(min=0, max=1)] = 0.5,
        size: float = 1.0,
        count: Annotated[int, typer.Option(min=1)] = 1,
    ) -> None:
        pass

    @app.command(cls=Command)
    def choose(
        form: Format = "table",
        forms: list[Form] | None = None,
        kind: Literal["a", "b"] = "a",
        day: Annotated[dt.date | None, DateOption()] = None,
    ) -> None:
        print(day)

    return app
