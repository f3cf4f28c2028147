"""Stale sources in Dagster: a warning for each, in the UI and in the history of builds, that stops nothing."""

from pathlib import Path

import dagster as dg
import duckdb

from pipeline.orchestration.build_run import BuildRun
from pipeline.orchestration.resources import BuildResource
from sources import discover
from tests.build.workbench import Workbench

TABLE = dg.AssetKey("source_health")


def warnings(checks: list[dg.AssetCheckEvaluation]) -> set[str]:
    """Names of the checks of sources that did not pass, which are no errors."""
    found = [check for check in checks if check.asset_key == TABLE and not check.passed]
    assert {check.severity for check in found} <= {dg.AssetCheckSeverity.WARN}
    return {check.check_name for check in found}


def stale(database: Path) -> set[str]:
    with duckdb.connect(str(database), read_only=True) as con:
        found = con.execute("SELECT source_id FROM source_health WHERE stale").fetchall()
    return {f"fresh_{source_id.replace('-', '_')}" for (source_id,) in found}


def test_the_warnings_are_the_stale_sources_of_the_table(bench: Workbench) -> None:
    result = bench.run("source_health")
    assert result.success, "a stale source is no failure"
    checks = result.get_asset_check_evaluations()
    told = {check.check_name: check.description or "" for check in checks if check.asset_key == TABLE}
    assert all("; the limit is " in told[name] and "run `gpuledger fetch " in told[name] for name in warnings(checks))
    assert warnings(checks) == stale(bench.out / "work" / "gpuledger.duckdb") != set()
    limited = [parser for parser in discover().values() if parser.SOURCE.stale_after_days is not None]
    assert sum(1 for check in checks if check.check_name.startswith("fresh_")) == len(limited)


def test_a_later_clock_makes_more_sources_stale(bench: Workbench, built: Path) -> None:
    build = BuildResource(data=str(bench.data), out=str(bench.out), as_of="2027-12-31")
    run = BuildRun(build, dg.AssetSelection.assets("release", "source", "snapshot", "source_health"))
    assert run.execute(lambda _step: None) == [], "warnings are no problems"
    with dg.DagsterInstance.from_config(str(bench.out / "dagster")) as history:
        (last,) = history.get_runs(limit=1)
        events = [log.dagster_event for log in history.all_logs(last.run_id, of_type=dg.DagsterEventType.ASSET_CHECK_EVALUATION)]
    assert last.tags["started_by"] == "command line"
    seen = [event.asset_check_evaluation_data for event in events if event]
    assert warnings(seen) == stale(bench.out / "work" / "gpuledger.duckdb") > stale(built / "work" / "gpuledger.duckdb")
