"""A run of the build job in this process, as `gpuledger build` starts it.

The job runs on an instance in memory, because the storage in files takes longer for the events of each step than most steps do.
The history of the build folder receives one run for it with what was made and the results of its checks.
"""

from collections.abc import Callable, Iterator

import dagster as dg

from pipeline.errors import BuildError
from pipeline.orchestration.command_line import QUIET, record_run
from pipeline.orchestration.graph import make_definitions
from pipeline.orchestration.jobs import EVERY_STEP, build_job
from pipeline.orchestration.materialize import UNCHANGED
from pipeline.orchestration.resources import BuildResource
from pipeline.orchestration.up_to_date import asset_name, stale_assets
from pipeline.warehouse.build_records import BuildRecords
from pipeline.warehouse.connection import QUERY_INTERRUPTED

PARTS = {
    "all": EVERY_STEP,
    "data": EVERY_STEP - dg.AssetSelection.assets("site"),
    "site": dg.AssetSelection.assets("site", "publication"),
}


class BuildRun:
    """One run over those assets of a selection that are not up to date. The caller holds the lock of the build folder."""

    def __init__(self, build: BuildResource, selection: dg.AssetSelection) -> None:
        """Raises BuildError where a stored file and its sidecar disagree."""
        self._build, self._definitions = build, make_definitions(build)
        keys = selection.resolve(self._definitions.resolve_asset_graph())
        specs = [spec for spec in self._definitions.resolve_all_asset_specs() if spec.key in keys]
        self.selected = stale_assets(specs, build)
        self.n_steps = len({self._definitions.resolve_assets_def(key).op.name for key in self.selected})

    def execute(self, on_step: Callable[[str], object] | None = None) -> list[str]:
        """Run the selected assets; return what went wrong, one line each. An empty list means that the release is published.

        `on_step` is called with the name of each step that ended well, which takes half a second in a whole build.
        """
        if not self.selected:
            return []
        problems: list[str] = []

        def work(context: dg.OpExecutionContext) -> list[str]:
            result = self._execute_in_memory(on_step)
            if _is_interrupted(result):
                raise KeyboardInterrupt
            problems.extend(_problems(result))
            _log_events(context, result)
            return problems

        try:
            record_run(self._build.make_workspace().out, build_job.name, work)
        except BuildError as error:
            return problems or [str(error)]
        return problems

    def _execute_in_memory(self, on_step: Callable[[str], object] | None) -> dg.ExecuteInProcessResult:
        job = self._definitions.resolve_job_def(build_job.name)
        if on_step:
            job = job.with_hooks({dg.success_hook(name="report")(lambda context: on_step(context.step_key))})
        with dg.DagsterInstance.ephemeral() as memory:
            self._log_inputs(memory)
            return job.execute_in_process(instance=memory, asset_selection=self.selected, run_config=QUIET, raise_on_error=False)

    def _log_inputs(self, memory: dg.DagsterInstance) -> None:
        """Log the inputs that this run does not make: Dagster notes their versions, by which the UI says what is out of date."""
        records = BuildRecords(self._build.make_workspace().records)
        graph, made = self._definitions.resolve_asset_graph(), set(self.selected)
        for key in sorted({parent for made_key in made for parent in graph.get(made_key).parent_keys} - made):
            if record := records.get(asset_name(key)):
                version = {"dagster/data_version": record.data_version}
                memory.report_runless_asset_event(dg.AssetMaterialization(key, tags=version))


def _is_interrupted(result: dg.ExecuteInProcessResult) -> bool:
    """Return whether a step failed because of Ctrl-C, as Dagster or DuckDB reports it."""
    errors = [data.error for event in result.get_step_failure_events() if (data := event.step_failure_data) and data.error]
    signs = (dg.DagsterExecutionInterruptedError.__name__, QUERY_INTERRUPTED)
    return any(sign in error.to_string() for error in errors for sign in signs)


def _log_events(context: dg.OpExecutionContext, result: dg.ExecuteInProcessResult) -> None:
    """Log the materializations and the results of checks of a run, except those that the history has of an unchanged asset."""
    events = [event.step_materialization_data.materialization for event in result.all_events if event.is_step_materialization]
    logged = _logged_versions(context.instance, [event.asset_key for event in events if UNCHANGED in event.metadata])
    new = {event.asset_key: event for event in events if _data_version(event) != logged.get(event.asset_key)}
    for event in new.values():
        context.log_event(event)
    for check in result.get_asset_check_evaluations():
        if check.asset_key in new:
            context.log_event(check)  # type: ignore[arg-type]  # accepted, although its annotation omits it


def _logged_versions(history: dg.DagsterInstance, keys: list[dg.AssetKey]) -> dict[dg.AssetKey, str]:
    """Return the data version of the newest materialization of each asset in the history; that of a killed build is not there."""
    records = history.get_asset_records(keys) if keys else ()  # of every asset where no key is given
    newest = {record.asset_entry.asset_key: record.asset_entry.last_materialization for record in records}
    return {key: _data_version(last.asset_materialization) for key, last in newest.items() if last and last.asset_materialization}


def _data_version(event: dg.AssetMaterialization) -> str:
    return (event.tags or {})["dagster/data_version"]


def _problems(result: dg.ExecuteInProcessResult) -> list[str]:
    """Lines of failed checks, then of failed steps, each once; an empty list for a run that succeeded."""
    if result.success:
        return []
    failure = f"the run failed outside its steps: {result.get_run_failure_event().message}"
    return list(dict.fromkeys([*_check_problems(result), *_step_problems(result)])) or [failure]


def _check_problems(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    for check in result.get_asset_check_evaluations():
        if not check.passed and check.severity is dg.AssetCheckSeverity.ERROR:
            yield from (f"{asset_name(check.asset_key)}: {line}" for line in (check.description or "").split("\n"))


def _step_problems(result: dg.ExecuteInProcessResult) -> Iterator[str]:
    for event in result.get_step_failure_events():
        data = event.step_failure_data
        if data.user_failure_data and data.user_failure_data.description:
            yield from data.user_failure_data.description.split("\n")
        elif data.error and data.error.cls_name != "DagsterAssetCheckFailedError":  # its lines come from the check
            yield f"step {event.step_key}: {data.error.to_string()}"
