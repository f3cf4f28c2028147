"""Output of commands: wrong options and errors of the file system are one line with the next step."""

import datetime as dt
import enum
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated, Literal

import duckdb
import pytest
import typer
from typer.testing import CliRunner

from pipeline.__main__ import main
from pipeline.cli import app
from pipeline.cli.output import Command, DateOption, Format, open_database
from pipeline.errors import BuildError, OptionError
from pipeline.warehouse.connection import QUERY_INTERRUPTED
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
    assert run(OptionError("--as-of soon: write a date")) == (2, "--as-of soon: write a date\n")


def test_an_interrupted_query_ends_like_an_interrupted_command() -> None:
    assert run(RuntimeError(QUERY_INTERRUPTED)) == (130, "")


LONG_QUERY = "SELECT sum(a.range + b.range) FROM range(10000000) AS a, range(10000000) AS b"


def has_open(process: int, file: Path) -> bool:
    """Return whether a process has a file open, by Linux' own list."""
    try:
        return str(file) in {os.readlink(one) for one in Path(f"/proc/{process}/fd").iterdir()}
    except OSError:  # one was closed meanwhile
        return False


@pytest.mark.slow  # starts a program
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_an_interrupt_is_one_line(tmp_path: Path) -> None:
    duckdb.connect(str(tmp_path / "x.duckdb")).close()
    command = [sys.executable, "-m", "pipeline", "query", LONG_QUERY, "--db", str(tmp_path / "x.duckdb")]
    # a test runner in the background ignores Ctrl-C and passes that on
    start = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
    with subprocess.Popen([sys.executable, "-c", start, *command], stderr=subprocess.PIPE, text=True, cwd=ROOT) as program:
        while program.poll() is None and not has_open(program.pid, tmp_path / "x.duckdb"):
            time.sleep(0.05)
        time.sleep(0.5)  # the query runs
        program.send_signal(signal.SIGINT)
        _, stderr = program.communicate(timeout=60)
    assert (program.returncode, stderr) == (130, "Interrupted; run the command again\n")


def test_an_interrupt_while_libraries_load_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def load() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pipeline.cli.app", load)
    with pytest.raises(SystemExit) as end:
        main()
    assert (end.value.code, capsys.readouterr().err) == (130, "Interrupted; run the command again\n")


NOT_UTF8 = 'the statement is not UTF-8; try: gpuledger query "SELECT name FROM gpu"\n'


@pytest.mark.slow  # each starts a program
@pytest.mark.parametrize(
    ("shell", "answer"),
    [
        ("query \"SELECT 'é' AS a, NULL AS b\"", (0, "")),
        ("query 'SELECT 1' >&-", (0, "")),
        ("ingest - --dry-run <&- 2>&1 | grep -c EMPTY: >&2", (0, "1\n")),
        ("query \"SELECT '$(printf '\\377')'\"", (2, NOT_UTF8)),
    ],
)
def test_closed_streams_and_unknown_characters_are_no_defects(tmp_path: Path, shell: str, answer: tuple[int, str]) -> None:
    duckdb.connect(str(tmp_path / "x.duckdb")).close()
    arguments = shell.replace("query", f"query --db '{tmp_path / 'x.duckdb'}'", 1)
    command = ["bash", "-c", f"{sys.executable} -m pipeline {arguments}"]
    env = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, cwd=ROOT, env=env)
    assert (done.returncode, done.stderr) == answer


@pytest.mark.parametrize(
    "arguments", [["build", "--out", ""], ["build", "--out="], ["aggregate", ""], ["query", "SELECT 1", "--db", ""]]
)
def test_an_empty_path_is_not_the_working_folder(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments, prog_name="gpuledger")
    assert (result.exit_code, "the path is empty; see `gpuledger " in result.stderr) == (2, True)


@pytest.mark.parametrize("arguments", [["-v"], ["--nothing", "build"], ["bench", "--nothing"]])
def test_a_wrong_option_before_a_command_is_one_line(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, arguments, prog_name="gpuledger")
    wrong, place = ("-v", "") if arguments == ["-v"] else ("--nothing", " bench" if "bench" in arguments else "")
    assert (result.exit_code, result.stderr) == (2, f"No such option: {wrong}; see `gpuledger{place} --help`\n")


def test_the_list_of_commands_has_one_line_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal of 80 characters; and a flag is not shown as an option that takes a value."""
    monkeypatch.setenv("COLUMNS", "80")
    printed = CliRunner().invoke(app, ["--help"]).stdout
    commands = printed.partition("Choose a GPU")[2].splitlines()
    rows = [line.strip("│ ") for line in commands if line.startswith("│")]
    assert rows
    assert [row for row in rows if not row.endswith(".")] == []
    assert len(rows) == len(app.registered_commands) + len(app.registered_groups)
    assert "<bool>" not in printed + CliRunner().invoke(app, ["publish", "--help"]).stdout


@pytest.mark.slow  # each starts a program
@pytest.mark.parametrize("command", [("bench", "list"), ("bench", "probe")])
def test_commands_of_the_suite_report_a_full_disk_in_one_line(command: tuple[str, str]) -> None:
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


def test_a_named_file_that_is_not_a_database_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Building does not help where the path of --db is wrong."""
    (tmp_path / "text").write_text("no database")
    (tmp_path / "empty").touch()
    problems = {"none": "does not exist", ".": "is a folder", "empty": "is empty", "text": "cannot be opened"}
    for name, problem in problems.items():
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
        (["choose", "--day", "soon"], "--day 'soon' is not a date like 2026-11-20"),
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
