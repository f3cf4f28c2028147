"""What Dagster loads: the assets, and the one job that the command line and the daily schedule share."""

import hashlib
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import dagster as dg
from dagster._core.event_api import AssetRecordsFilter, EventRecordsResult
from dagster._core.storage.event_log import InMemoryEventLogStorage
from dagster._core.storage.event_log.base import AssetRecord
from dagster._core.storage.runs import InMemoryRunStorage
from sqlalchemy import Connection

from pipeline import paths
from pipeline.orchestration import assets
from pipeline.uploads import inbox

JOB = "build"
RETRY_S = 3600  # what a failed run left in the inbox is asked for again
QUIET = {"console": {"config": {"log_level": "CRITICAL"}}}
PARTS = {
    "data": dg.AssetSelection.all() - dg.AssetSelection.assets("site"),
    "site": dg.AssetSelection.assets("site", "publication"),
}


@dg.definitions
def defs() -> dg.Definitions:
    """The graph, its job and its schedule. One process runs a whole job: DuckDB takes one writer."""
    job = dg.define_asset_job(JOB, description="Everything, from the stored bytes to the site.")
    daily = dg.ScheduleDefinition(name="daily", job=job, cron_schedule="15 5 * * *", execution_timezone="UTC")
    return dg.Definitions(
        assets=assets.all_assets(),
        jobs=[job, ingest_inbox],
        schedules=[daily],
        sensors=[inbox_sensor],
        resources={"workbench": assets.Workbench.configure_at_launch()},
        executor=dg.in_process_executor,
    )


@dg.op
def read_inbox(context: dg.OpExecutionContext) -> None:
    """Ingest what lies in the inbox, as `gpuledger ingest` does; the next build loads what was accepted."""
    counts = Counter(outcome.status for outcome in inbox.drain(paths.DATA))
    context.add_output_metadata({"files": sum(counts.values()), **counts})


@dg.job(description="Uploads in data/uploads/inbox/, read and stored or refused.")
def ingest_inbox() -> None:
    read_inbox()


@dg.sensor(name="inbox", job=ingest_inbox, minimum_interval_seconds=30)
def inbox_sensor() -> dg.RunRequest | dg.SkipReason:
    """Asks for a run when the writers of some files are done; a file that comes again, or is still there, is another."""
    files = [file for group in inbox.pending(inbox.folder(paths.DATA)) for file in group.files]
    if not files:
        return dg.SkipReason("nothing in the inbox, or still being written")
    seen = "\0".join(sorted(f"{file}:{file.lstat().st_mtime_ns}" for file in files))
    return dg.RunRequest(run_key=hashlib.sha256(f"{seen}\0{time.time() // RETRY_S}".encode()).hexdigest())


class Run:
    """One run of the job in this process, of all assets or of one part of them (`data`, `site`)."""

    def __init__(self, config: dict[str, Any], part: str | None = None) -> None:
        """`config` sets the fields of `assets.Workbench`."""
        self.config, self.part = config | {"site": part != "data"}, part
        self.definitions = defs()
        selection = PARTS[part] if part else dg.AssetSelection.all()
        self.selected = sorted(selection.resolve(self.definitions.resolve_asset_graph()))
        self.told = sum(not assets.is_stored(key) for key in self.selected)  # how often it tells of an end: once for each source

    def execute(self) -> list[str]:
        """Run; returns what went wrong, one line each. Nothing wrong = the release is published.

        The run's history is kept where DAGSTER_HOME says, else nowhere.
        """
        with _instance() as instance:
            result = self.definitions.resolve_job_def(JOB).execute_in_process(
                instance=instance,
                asset_selection=self.selected if self.part else None,
                run_config={"resources": {"workbench": {"config": self.config}}, "loggers": QUIET},
                raise_on_error=False,
            )
            if result.success:
                return []
            return list(_problems(result)) or [f"the run failed outside its steps: {result.get_run_failure_event().message}"]


class _Unkept(InMemoryEventLogStorage):
    """The events of a run that nobody keeps: what the run tells of itself it has from memory."""

    def store_event(self, event: dg.EventLogEntry) -> None: ...

    def get_asset_records(self, asset_keys: Sequence[dg.AssetKey] | None = None) -> Sequence[AssetRecord]:
        return []

    def fetch_observations(
        self, records_filter: dg.AssetKey | AssetRecordsFilter, limit: int, cursor: str | None = None, ascending: bool = False
    ) -> EventRecordsResult:
        return EventRecordsResult([], cursor=cursor or "", has_more=False)

    fetch_materializations = fetch_observations


class _Undescribed(InMemoryRunStorage):
    """The run itself, without its job and plan as documents, which take longer to write than most steps."""

    @contextmanager
    def connect(self) -> Iterator[Connection]:
        with self._held_conn.begin():  # here, foreign keys into what is not kept are not enforced
            yield self._held_conn

    def has_job_snapshot(self, job_snapshot_id: str) -> bool:
        return True

    def has_execution_plan_snapshot(self, execution_plan_snapshot_id: str) -> bool:
        return True


def _instance() -> dg.DagsterInstance:
    if not os.environ.get("DAGSTER_HOME"):
        instance = dg.DagsterInstance.ephemeral()
        instance._event_storage, instance._run_storage = _Unkept(), _Undescribed()
        instance._event_storage.register_instance(instance)
        instance._run_storage.register_instance(instance)
        return instance
    instance = dg.DagsterInstance.get()
    for run in instance.get_runs(dg.RunsFilter(job_name=JOB, statuses=[dg.DagsterRunStatus.STARTED])):
        # the lock is ours: a run that still counts as started was killed
        instance.report_run_canceled(run, message="the process of this run is gone")
    return instance


def _problems(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    for check in result.get_asset_check_evaluations():
        if not check.passed:
            yield from (f"{check.asset_key.to_user_string()}: {line}" for line in (check.description or "").split("\n"))
    for event in result.get_step_failure_events():
        data = event.step_failure_data
        if data.user_failure_data and data.user_failure_data.description:
            yield from data.user_failure_data.description.split("\n")
        elif data.error and data.error.cls_name != "DagsterAssetCheckFailedError":  # its check is told above
            yield f"step {event.step_key}: {data.error.to_string()}"
