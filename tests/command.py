"""The command line as a user runs it."""

import csv
import io
import os
import signal
import subprocess
import sys
from pathlib import Path
from unittest import mock

from typer.testing import CliRunner

from pipeline import paths
from pipeline.cli import app

ROOT = Path(__file__).resolve().parent.parent
IN_THIS_PROCESS = {
    "query",
    "audit",
    "sources",
    "recommend",
    "break-even",
    "fits",
    "resolve",
    "seal",
    "serve",
    "ingest",
    "aggregate",
    "parse",
}


def gpuledger(*arguments: str, data: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run one command to its end; `data` is another data folder.

    Commands that only ask run in this process; what builds runs as a user's process does.
    """
    if arguments[0] in IN_THIS_PROCESS:
        return run_here(*arguments, data=data)
    environment = os.environ | ({"GPULEDGER_DATA": str(data)} if data else {})
    command = [sys.executable, "-m", "pipeline", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)


def run_here(*arguments: str, data: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run one command in this process, which saves starting Python: one that only asks, or that is refused before it builds."""
    folder = data or paths.DATA
    with mock.patch.multiple(paths, DATA=folder, BUILD=folder / "build"):
        done = CliRunner().invoke(app, list(arguments), prog_name="gpuledger")
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)


def press_ctrl_c(code: str, folder: Path) -> tuple[str, str]:
    """Run Python code on the folder, press Ctrl-C as in a terminal when it prints `started`; return what else it prints."""
    command = [sys.executable, "-c", code, str(folder)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True) as program:
        assert program.stdout
        assert program.stdout.readline() == "started\n"
        os.killpg(program.pid, signal.SIGINT)
        return program.communicate(timeout=60)


def ask(built: Path, *arguments: str) -> list[dict[str, str]]:
    """Return the rows that a command prints as CSV, on the database of a build folder."""
    result = gpuledger(*arguments, "--format", "csv", "--db", str(built / "gpuledger.duckdb"))
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))
