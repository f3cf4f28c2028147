"""Automation: what a change of data makes Dagster refresh, once, and what it waits for."""

from collections.abc import Callable

import dagster as dg
import pytest

from pipeline.orchestration import source_assets
from pipeline.orchestration.materialize import CHECK
from tests.build.workbench import Workbench, failures
from tests.unit.fetch.fetcher import Module
from tests.unit.fetch.misbehaving_host import Host, rows

# all sources have the same conditions; the first test evaluates those of the whole graph, which takes seconds
SOURCES = ("fake", "ecb", "vultr", "gpuledger-names")
FEW = dg.AssetSelection.assets(
    *([kind, source] for kind in ("snapshots", "rows") for source in SOURCES),
    *("release", "source", "snapshot", "guide_run", "gpu_spec", "spec_coverage"),
)


class Automation:
    """The history of a complete build of the graph, and the sensor's evaluations, each of which remembers the previous one."""

    def __init__(self, bench: Workbench) -> None:
        self.bench, self.instance, self.cursor = bench, dg.DagsterInstance.ephemeral(), None
        self.graph = bench.definitions.resolve_asset_graph()
        for spec in bench.definitions.resolve_all_asset_specs():
            if spec.key.path[0] != "daily":
                self.report(spec.key.to_user_string(), "first")

    def report(self, name: str, version: str, *, passed: bool = True, day: str | None = None) -> None:
        """Record a materialization by somebody else, and the result of its check."""
        key = dg.AssetKey(name.split("/"))
        event = dg.AssetMaterialization(key, tags={"dagster/data_version": version}, partition=day)
        self.instance.report_runless_asset_event(event)
        if any(check.asset_key == key for check in self.graph.asset_check_keys):
            check = dg.AssetCheckEvaluation(asset_key=key, check_name=CHECK, passed=passed, blocking=True)
            self.instance.report_runless_asset_event(check)

    def tick(self, selection: dg.AssetSelection = FEW) -> set[str]:
        """Evaluate the conditions once; return the assets for which a run would be launched."""
        result = dg.evaluate_automation_conditions(self.bench.definitions, self.instance, selection, cursor=self.cursor)
        self.cursor = result.cursor
        keys = selection.resolve(self.graph)
        return {key.to_user_string() for key in keys if result.get_num_requested(key)}

    def below(self, name: str, selection: dg.AssetSelection = FEW) -> set[str]:
        """The asset and all that depend on it."""
        keys = (dg.AssetSelection.assets(dg.AssetKey(name.split("/"))).downstream() & selection).resolve(self.graph)
        return {key.to_user_string() for key in keys}


@pytest.fixture
def automation(fake: Module, fresh: Workbench) -> Automation:
    return Automation(fresh)


def test_a_changed_snapshot_refreshes_its_rows_and_all_dependents_once(automation: Automation) -> None:
    everything = dg.AssetSelection.all()
    assert automation.tick(everything) == set()
    automation.report("snapshots/fake", "second")
    requested = automation.tick(everything)
    assert requested == automation.below("rows/fake", everything)
    assert {"guide_run", "database", "site", "publication"} <= requested
    assert automation.tick(everything) == set()


@pytest.mark.full
def test_after_a_fetch_and_the_refresh_nothing_is_left_to_do(fake: Module, bench: Workbench, host: Host) -> None:
    """Both are real runs here, over a finished build."""
    automation = Automation(bench)
    automation.tick()
    host.says(rows(10))
    (bench.out / "work/assets/source.json").unlink()  # stale, as by the code of a source that is added
    assert bench.run("source", "snapshots/fake", fetch=True, instance=automation.instance).success
    requested = automation.tick()
    assert {"rows/fake", "snapshot", "guide_run"} <= requested
    refreshed = bench.run(*requested, instance=automation.instance)
    assert refreshed.success, failures(refreshed)
    assert automation.tick() == set()


def test_new_declarations_of_sources_refresh_their_table(automation: Automation) -> None:
    """A source that is added has rows that refer to that table."""
    automation.tick()
    changed = dg.map_asset_specs(with_new_code_of_sources, automation.bench.definitions.assets)
    automation.bench.definitions = dg.Definitions(assets=changed, resources={"build": automation.bench.build})
    assert automation.tick() == automation.below("source")
    assert automation.tick() == set()


def with_new_code_of_sources(spec: dg.AssetSpec) -> dg.AssetSpec:
    return spec.replace_attributes(code_version="next") if spec.key == dg.AssetKey("source") else spec


def test_a_complete_build_elsewhere_leaves_nothing_to_do(automation: Automation) -> None:
    """As the command line records it: everything before the next evaluation."""
    automation.tick()
    for name in ("snapshots/fake", *automation.below("rows/fake")):
        automation.report(name, "second")
    assert automation.tick() == set()


def test_the_same_bytes_again_refresh_nothing(automation: Automation) -> None:
    automation.tick()
    automation.report("snapshots/fake", "first")
    assert automation.tick() == set()


def test_while_a_snapshot_is_being_fetched_nothing_is_refreshed(
    automation: Automation, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even the rows of a source that is done, because the tables would be made for each source that ends."""
    seen: list[set[str]] = []
    fetch_source: Callable[..., object] = source_assets.fetch_source

    def fetch_and_tick(*arguments: object) -> object:
        automation.report("snapshots/ecb", "second")
        seen.append(automation.tick())
        return fetch_source(*arguments)

    monkeypatch.setattr(source_assets, "fetch_source", fetch_and_tick)
    host.says(rows(10))
    automation.tick()
    assert automation.bench.run("snapshots/fake", fetch=True, instance=automation.instance).success
    assert seen == [set()]
    assert {"rows/ecb", "rows/fake", "guide_run"} <= automation.tick()


def test_a_failed_fetch_refreshes_nothing(automation: Automation, host: Host) -> None:
    automation.tick()
    host.says(rows(0))
    assert not automation.bench.run("snapshots/fake", fetch=True, instance=automation.instance).success
    assert automation.tick() == set()


def test_a_failed_check_stops_the_dependents_until_it_holds(automation: Automation) -> None:
    automation.tick()
    automation.report("gpu", "second", passed=False)
    assert automation.tick() == set()
    automation.report("gpu", "third")
    assert automation.tick() == automation.below("gpu") - {"gpu"}


@pytest.mark.full
def test_lists_of_days_refresh_their_source_although_most_days_are_missing(automation: Automation) -> None:
    automation.tick()
    automation.report("daily/fake", "second", day="2026-09-01")
    assert automation.tick() == automation.below("snapshots/fake")
    assert automation.tick() == set()


@pytest.mark.full
def test_days_that_a_verification_reports_as_stored_refresh_nothing_more(automation: Automation, host: Host) -> None:
    host.says(rows(3))
    assert automation.bench.run("daily/fake", day="2026-09-01").success
    automation.tick()
    assert automation.bench.run("snapshots/fake", instance=automation.instance).success
    assert automation.tick() == automation.below("rows/fake"), "its files are new"
    assert automation.tick() == set()
