"""A run of the build job in this process, as `gpuledger build` starts it.

The job runs on an instance in memory, because the storage in files takes longer for the events of each step than most steps do.
The history of the build folder receives one run for it with the materializations and the results of checks.
"""

import os
from collections.abc import Callable, Iterator

import dagster as dg
from sqlalchemy.exc import SQLAlchemyError

from pipeline.orchestration.graph import make_definitions
from pipeline.orchestration.instance import PROCESS_TAG, open_instance
from pipeline.orchestration.jobs import build_job
from pipeline.orchestration.materialize import asset_name
from pipeline.orchestration.resources import BuildResource
from pipeline.orchestration.staleness import stale_assets

QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}
PARTS = {
    "all": dg.AssetSelection.all() - dg.AssetSelection.key_prefixes("daily"),
    "data": dg.AssetSelection.all() - dg.AssetSelection.key_prefixes("daily") - dg.AssetSelection.assets("site"),
    "site": dg.AssetSelection.assets("site", "publication"),
}


class BuildRun:
    """One run over those assets of a selection that are not up to date. The caller holds the lock of the build folder."""

    def __init__(self, build: BuildResource, selection: dg.AssetSelection = PARTS["all"]) -> None:
        """Raises BuildError where a stored file and its sidecar disagree."""
        self._build, self._definitions = build, make_definitions(build)
        keys = selection.resolve(self._definitions.resolve_asset_graph())
        specs = [spec for spec in self._definitions.resolve_all_asset_specs() if spec.key in keys]
        self.selected = stale_assets(specs, build)

    def execute(self, on_step: Callable[[str], object]) -> list[str]:
        """Run the selected assets; return what went wrong, one line each. An empty list means that the release is published."""
        if not self.selected:
            return []
        self._build.report_steps_to(on_step)
        problems: list[str] = []
        out = self._build.make_workspace().out
        try:
            with open_instance(out) as history:
                job = _recorded(self._execute_in_memory, problems)
                tags = {PROCESS_TAG: str(os.getpid())}
                job.execute_in_process(instance=history, run_config=QUIET, tags=tags, raise_on_error=False)
        except SQLAlchemyError as error:
            cause = f"the history of runs cannot be written ({str(error).splitlines()[0]})"
            return problems or [f"{out}: {cause}; free space, then run `gpuledger build` again"]
        return problems

    def _execute_in_memory(self) -> dg.ExecuteInProcessResult:
        job = self._definitions.resolve_job_def(build_job.name)
        return job.execute_in_process(asset_selection=self.selected, run_config=QUIET, raise_on_error=False)


def _recorded(execute: Callable[[], dg.ExecuteInProcessResult], problems: list[str]) -> dg.JobDefinition:
    """Return a job of one step that executes a run and logs its materializations and checks; `problems` receives errors."""

    @dg.op(name="command_line")
    def record(context: dg.OpExecutionContext) -> None:
        result = execute()
        if not result.success:
            failure = f"the run failed outside its steps: {result.get_run_failure_event().message}"
            problems.extend(_problems(result) or [failure])
        for event in result.all_events:
            if event.is_step_materialization:
                context.log_event(event.step_materialization_data.materialization)
        for check in result.get_asset_check_evaluations():
            context.log_event(check)  # type: ignore[arg-type]  # accepted, although its annotation omits it
        if problems:
            raise dg.Failure(description="\n".join(problems), allow_retries=False)

    return dg.GraphDefinition(name=build_job.name, node_defs=[record]).to_job()


def _problems(result: dg.ExecuteInProcessResult) -> list[str]:
    """Lines of failed checks, then of failed steps, each once."""
    return list(dict.fromkeys([*_check_problems(result), *_step_problems(result)]))


def _check_problems(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    for check in result.get_asset_check_evaluations():
        if not check.passed:
            yield from (f"{asset_name(check.asset_key)}: {line}" for line in (check.description or "").split("\n"))


def _step_problems(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    for event in result.get_step_failure_events():
        data = event.step_failure_data
        if data.user_failure_data and data.user_failure_data.description:
            yield from data.user_failure_data.description.split("\n")
        elif data.error and data.error.cls_name != "DagsterAssetCheckFailedError":  # its lines come from the check
            yield f"step {event.step_key}: {data.error.to_string()}"
