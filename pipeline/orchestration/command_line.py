"""Runs of the command line in the history of the build folder: one run of one step for each command that builds or fetches."""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import dagster as dg
from sqlalchemy.exc import SQLAlchemyError

from pipeline import paths
from pipeline.errors import BuildError
from pipeline.fetch import snapshots
from pipeline.fetch.refresh import Outcome, Status
from pipeline.interrupts import hold_interrupts
from pipeline.orchestration.instance import PROCESS_TAG, open_instance
from pipeline.orchestration.jobs import fetch_job
from pipeline.orchestration.source_assets import snapshot_key
from pipeline.tables import source_rows
from pipeline.warehouse.build_records import BuildRecords
from pipeline.warehouse.workspace import Workspace
from sources import discover

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
INTERRUPTS = (KeyboardInterrupt, dg.DagsterExecutionInterruptedError)
STARTED_BY = {"started_by": "command line"}


def record_run(out: Path, name: str, work: Callable[[dg.OpExecutionContext], list[str]]) -> None:
    """Do the work as a run of this name. The work logs events and returns its problems, one line each, which fail the run.

    Raises BuildError where the history cannot be written, and what the work raises. The caller holds the lock.
    """
    raised: list[BaseException] = []

    @dg.op(name="command_line")
    def step(context: dg.OpExecutionContext) -> None:
        try:
            release_interrupts()
            problems = work(context)
        except BaseException as error:  # Dagster would record it and go on
            raised.append(error)
            if isinstance(error, INTERRUPTS):
                context.instance.report_run_canceling(context.run)  # else Dagster takes Ctrl-C for a failure
            raise
        if problems:
            raise dg.Failure(description="\n".join(problems), allow_retries=False)

    job = dg.GraphDefinition(name=name, node_defs=[step]).to_job()
    try:
        # the programs that Dagster starts to copy the output of a run would print a trace on Ctrl-C
        with open_instance(out) as history, hold_interrupts() as release_interrupts:
            tags = {PROCESS_TAG: str(os.getpid()), **STARTED_BY}
            job.execute_in_process(instance=history, run_config=QUIET, tags=tags, raise_on_error=False)
    except SQLAlchemyError as error:
        cause = f"the history of runs cannot be written ({str(error).splitlines()[0]})"
        raise BuildError(f"{out}: {cause}; free space, then run the command again") from None
    if raised:
        raise KeyboardInterrupt if isinstance(raised[0], INTERRUPTS) else raised[0]


def record_fetch(out: Path, fetch: Callable[[], Iterable[Outcome]]) -> list[Outcome]:
    """Fetch as a run of the history, in which each source is an event of its snapshots; return all outcomes."""
    workspace = Workspace(paths.DATA, out)
    outcomes: list[Outcome] = []

    def work(context: dg.OpExecutionContext) -> list[str]:
        for outcome in fetch():
            outcomes.append(outcome)
            context.log_event(_event_of(outcome, workspace))
        return [one.reason for one in outcomes if one.status in (Status.failed, Status.refused)]

    record_run(out, fetch_job.name, work)
    return outcomes


def _event_of(outcome: Outcome, workspace: Workspace) -> dg.AssetObservation | dg.AssetMaterialization:
    """Return a materialization where the stored files are those of the last build, so that they count as checked today.

    New files are an observation: the next build materializes them. So is a failure.
    """
    facts = {"status": dg.MetadataValue.text(outcome.status.value), "files": dg.MetadataValue.int(len(outcome.files))}
    key, version = snapshot_key(outcome.source_id), _unchanged_version(outcome, workspace)
    if not version:
        return dg.AssetObservation(key, outcome.reason, metadata=facts)
    return dg.AssetMaterialization(key, outcome.reason, metadata=facts, tags={"dagster/data_version": version})


def _unchanged_version(outcome: Outcome, workspace: Workspace) -> str | None:
    """Return the version of the stored files if the host has the same ones and the last build read them."""
    record = BuildRecords(workspace.records).get(f"snapshots/{outcome.source_id}")
    if outcome.status is not Status.unchanged or record is None:
        return None
    with suppress(BuildError):  # the next build describes a damaged file
        files = snapshots.stored_files(discover()[outcome.source_id].SOURCE, workspace.data, workspace.accept_loss)
        version = source_rows.stored_version(files)
        return version if version == record.data_version else None
    return None
