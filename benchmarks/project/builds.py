"""Speed of this project: each step as a ratio to a baseline that is measured in the same run.

`make bench` prints the table. Ratios are comparable between machines; seconds are not.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb

from pipeline import paths
from pipeline.fetch import snapshots
from pipeline.performance import inputs
from pipeline.performance.model_inputs import ModelInputs
from pipeline.warehouse import connection, parsed_cache
from sources import discover

REPEATS = 3


@dataclass(frozen=True, slots=True)
class StepTime:
    """Median seconds of a step and of its baseline."""

    step: str
    floor: str
    seconds: float
    floor_seconds: float


def main() -> None:
    """Measure and print every figure."""
    for figure in (time_parse(), time_build(), time_model()):
        ratio = figure.seconds / figure.floor_seconds
        print(f"{figure.step}: {ratio:.1f} x {figure.floor} ({figure.seconds:.2f} s over {figure.floor_seconds:.2f} s)")
    print(f"peak memory of a whole build: {build_peak_mib():.0f} MiB")


def time_parse() -> StepTime:
    """Every stored file to typed Parquet, against DuckDB reading the same files untyped and unchecked."""
    parsers = discover().values()
    stored = [(parser, file) for parser in parsers for file in snapshots.stored_files(parser.SOURCE, paths.DATA)]

    def parse() -> None:
        with tempfile.TemporaryDirectory() as folder:
            for parser, file in stored:
                parsed_cache.parse(parser, file, Path(folder))

    def floor() -> None:
        with duckdb.connect() as con:
            for _, file in stored:
                con.execute("SELECT * FROM read_csv(?, all_varchar = true)", [str(paths.DATA.parent / file.path)]).fetchall()

    return StepTime("parse every stored file", "DuckDB reading them as text", _median(parse), _median(floor))


def time_build() -> StepTime:
    """A build of data and site, against starting Python and importing what it imports."""

    def build() -> None:
        with tempfile.TemporaryDirectory() as folder:
            _python("-m", "pipeline", "build", "--out", folder)

    def floor() -> None:
        _python("-c", "import pipeline.cli, pipeline.definitions, altair, vl_convert, mkdocs; pipeline.definitions.defs()")

    return StepTime("build data and site", "importing what that imports", _median(build), _median(floor))


def time_model() -> StepTime:
    """The whole performance model, against reading its rows."""
    with tempfile.TemporaryDirectory() as folder:
        _python("-m", "pipeline", "build", "--only", "data", "--out", folder)
        with connection.connect(Path(folder) / "gpuledger.duckdb", read_only=True) as con:
            seconds = _median(lambda: inputs.every_table(con))
            floor_seconds = _median(lambda: ModelInputs.read(con))
    return StepTime("fit and predict every table of the performance model", "reading its rows", seconds, floor_seconds)


def build_peak_mib() -> float:
    """Peak memory of a build, all processes together, with shared pages counted once."""
    peak = 0.0
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pipeline", "build", "--out", folder]
        build = subprocess.Popen(command, stderr=subprocess.DEVNULL, start_new_session=True)  # noqa: S603
        while build.poll() is None:
            peak = max(peak, sum(_held_mib(path) for path in Path("/proc").glob("[0-9]*") if session_of(path) == build.pid))
            time.sleep(0.1)
    if build.returncode:
        raise subprocess.CalledProcessError(build.returncode, command)
    return peak


def _held_mib(process: Path) -> float:
    """Its own memory and its part of what it shares; 0 where it has ended."""
    try:
        lines = (process / "smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0)


def session_of(process: Path) -> int | None:
    """The session of a process in /proc; None if it has ended."""
    try:
        state, _, _, session = (process / "stat").read_text().rpartition(")")[2].split()[:4]
    except OSError:
        return None
    return None if state == "Z" else int(session)


def _python(*arguments: str) -> None:
    subprocess.run([sys.executable, *arguments], check=True, capture_output=True)  # noqa: S603


def _median(step: Callable[[], object]) -> float:
    seconds = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


if __name__ == "__main__":
    main()
