"""Runs of the command line in the history of the build folder: one run of one step for each command that builds or fetches."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path

import dagster as dg
from sqlalchemy.exc import SQLAlchemyError

from pipeline.errors import BuildError
from pipeline.fetch.refresh import Outcome, Status
from pipeline.orchestration.instance import PROCESS_TAG, open_instance
from pipeline.orchestration.jobs import fetch_job
from pipeline.orchestration.source_assets import snapshot_key

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
STARTED_BY = {"started_by": "command line"}


def record_run(out: Path, name: str, work: Callable[[dg.OpExecutionContext], list[str]]) -> None:
    """Do the work as a run of this name. The work logs events and returns its problems, one line each, which fail the run.

    Raises BuildError where the history cannot be written, and what the work raises. The caller holds the lock.
    """
    raised: list[BaseException] = []

    @dg.op(name="command_line")
    def step(context: dg.OpExecutionContext) -> None:
        try:
            problems = work(context)
        except BaseException as error:  # Dagster would record it and go on
            raised.append(error)
            raise
        if problems:
            raise dg.Failure(description="\n".join(problems), allow_retries=False)

    job = dg.GraphDefinition(name=name, node_defs=[step]).to_job()
    try:
        with open_instance(out) as history:
            tags = {PROCESS_TAG: str(os.getpid()), **STARTED_BY}
            job.execute_in_process(instance=history, run_config=QUIET, tags=tags, raise_on_error=False)
    except SQLAlchemyError as error:
        cause = f"the history of runs cannot be written ({str(error).splitlines()[0]})"
        raise BuildError(f"{out}: {cause}; free space, then run the command again") from None
    if raised:
        raise KeyboardInterrupt if isinstance(raised[0], dg.DagsterExecutionInterruptedError) else raised[0]


def record_fetch(out: Path, fetch: Callable[[], Iterable[Outcome]]) -> list[Outcome]:
    """Fetch as a run of the history, in which each source is an observation of its snapshots; return all outcomes."""
    outcomes: list[Outcome] = []

    def work(context: dg.OpExecutionContext) -> list[str]:
        for outcome in fetch():
            outcomes.append(outcome)
            context.log_event(_observation(outcome))
        return [one.reason for one in outcomes if one.status in (Status.failed, Status.refused)]

    record_run(out, fetch_job.name, work)
    return outcomes


def _observation(outcome: Outcome) -> dg.AssetObservation:
    facts = {"status": dg.MetadataValue.text(outcome.status.value), "files": dg.MetadataValue.int(len(outcome.files))}
    return dg.AssetObservation(snapshot_key(outcome.source_id), outcome.reason, metadata=facts)
