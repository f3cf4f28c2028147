"""The Dagster instance that keeps the history of runs: that of DAGSTER_HOME, or else one in the build folder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import yaml

from pipeline.files import write_atomically

SETTINGS = Path(__file__).with_name("dagster.yaml")
COMMAND_LINE_SETTINGS = "command_line.yaml"
PROCESS_TAG = "gpuledger/process"
# for the command line: to copy its output to a file, Dagster starts four programs, and two of them print a trace on Ctrl-C
NO_COPIES = {"compute_logs": {"module": "dagster._core.storage.noop_compute_log_manager", "class": "NoOpComputeLogManager"}}
UNFINISHED = [dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.CANCELING]


def home_of(out: Path) -> Path:
    """Return the instance's folder, with the settings of this project; a folder of the user's own keeps those that it has."""
    ours = out.resolve() / "dagster"
    home = Path(os.environ.get("DAGSTER_HOME") or ours).resolve()
    home.mkdir(parents=True, exist_ok=True)
    settings, written = SETTINGS.read_bytes(), home / SETTINGS.name
    if not written.exists() or (home == ours and written.read_bytes() != settings):
        write_atomically(written, settings)
    return home


@contextmanager
def open_instance(out: Path) -> Iterator[dg.DagsterInstance]:
    """Open the instance. The caller holds the lock of the build folder, so that a run that was killed can be told apart."""
    home = home_of(out)
    settings = yaml.safe_load((home / SETTINGS.name).read_bytes()) or {}
    write_atomically(home / COMMAND_LINE_SETTINGS, yaml.safe_dump(settings | NO_COPIES).encode())
    with dg.DagsterInstance.from_config(str(home), COMMAND_LINE_SETTINGS) as instance:
        _cancel_killed_runs(instance)
        yield instance


def _cancel_killed_runs(instance: dg.DagsterInstance) -> None:
    """Report runs of the command line as canceled whose process is gone."""
    for run in instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)):
        process = run.tags.get(PROCESS_TAG)
        if process and not Path(f"/proc/{process}").exists():
            instance.report_run_canceled(run, message="The process of this run is gone.")
