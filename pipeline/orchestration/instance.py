"""The Dagster instance that keeps the history of runs: that of DAGSTER_HOME, or else one in the build folder."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from pipeline.files import write_atomically

SETTINGS = Path(__file__).with_name("dagster.yaml")
PROCESS_TAG = "gpuledger/process"
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
    with dg.DagsterInstance.from_config(str(home_of(out))) as instance:
        _cancel_killed_runs(instance)
        yield instance


def _cancel_killed_runs(instance: dg.DagsterInstance) -> None:
    """Report runs of the command line as canceled whose process is gone."""
    for run in instance.get_runs(dg.RunsFilter(statuses=UNFINISHED)):
        process = run.tags.get(PROCESS_TAG)
        if process and not Path(f"/proc/{process}").exists():
            instance.report_run_canceled(run, message="The process of this run is gone.")
