"""Fetching in the Dagster graph: a source served from this machine, as the UI and the daily job materialize it."""

import datetime as dt
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest

from pipeline import paths
from pipeline.fetch import snapshots
from pipeline.fetch.refresh import Outcome, Status
from pipeline.orchestration import command_line
from pipeline.orchestration.source_assets import snapshot_key
from pipeline.warehouse.build_records import BuildRecords
from sources import discover
from tests.build.workbench import Workbench, failures
from tests.unit.fetch.fetcher import Module, tree
from tests.unit.fetch.misbehaving_host import Answer, Host, body, endless, late, rows, stalls, status


@pytest.fixture
def local(fake: Module, fresh: Workbench) -> Workbench:
    """A fresh build folder in whose graph `fake` is a source."""
    return fresh


@pytest.fixture
def stored(local: Workbench, host: Host) -> Workbench:
    """The source has one good snapshot of ten rows."""
    host.says(rows(10))
    result = local.run("snapshots/fake", fetch=True)
    assert result.success, failures(result)
    return local


def fake_files(bench: Workbench) -> dict[str, bytes]:
    return {name: raw for name, raw in tree(bench.data).items() if name.startswith("raw/fake/")}


def version_of(result: dg.ExecuteInProcessResult, key: str = "snapshots/fake") -> str:
    (event,) = [e for e in result.get_asset_materialization_events() if e.asset_key == dg.AssetKey(key.split("/"))]
    return event.step_materialization_data.materialization.tags["dagster/data_version"]


def test_a_fetch_stores_new_bytes_and_changes_the_data_version(stored: Workbench, host: Host) -> None:
    host.says(rows(10))
    before = version_of(stored.run("snapshots/fake", fetch=True))
    assert len(fake_files(stored)) == 2, "the same bytes are one snapshot with its sidecar"
    host.says(rows(11))
    assert version_of(stored.run("snapshots/fake", fetch=True)) != before
    assert len(fake_files(stored)) == 4


def test_without_fetching_nothing_is_requested(stored: Workbench, host: Host) -> None:
    host.says(rows(11))
    result = stored.run("snapshots/fake")
    assert result.success, failures(result)
    assert host.paths == []


def test_the_rows_of_what_was_fetched_can_be_materialized(stored: Workbench) -> None:
    result = stored.run("rows/fake")
    assert result.success, failures(result)
    (event,) = result.get_asset_materialization_events()
    assert event.step_materialization_data.materialization.metadata["dagster/row_count"].value == 10


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (status(500), "500"),
        (stalls(3), "1 s"),
        (late(2, rows(12)), "1 s"),
        (endless(0.01), "1.2 s"),
        (body(b'{"list": []}'), "no `items`"),
        (rows(2), "2 rows"),
    ],
    ids=[
        "error 500",
        "no answer",
        "an answer after the limit",
        "an answer that is not over within the limit",
        "changed form",
        "shrunk file",
    ],
)
def test_a_failed_fetch_is_one_line_and_leaves_the_stored_snapshot(
    stored: Workbench, host: Host, answer: Answer, reason: str
) -> None:
    before = fake_files(stored)
    host.says(answer)
    result = stored.run("snapshots/fake", fetch=True)
    assert not result.success
    (line,) = failures(result)
    assert line.startswith("fake: ")
    assert reason in line
    assert "\n" not in line
    assert fake_files(stored) == before
    assert stored.run("snapshots/fake").success, "the stored snapshot is as good as before"


def test_a_source_that_fails_does_not_fail_the_others(
    stored: Workbench, host: Host, monkeypatch: pytest.MonkeyPatch, fake: Module
) -> None:
    monkeypatch.setitem(discover(), "other", Module(replace(fake.SOURCE, source_id="other")))
    bench = Workbench(stored.data, stored.out)
    host.says(status(500), status(500), status(500), status(500), rows(3))
    result = bench.run("snapshots/fake", "snapshots/other", fetch=True)
    assert len(failures(result)) == 1
    assert failures(result)[0].startswith("fake: ")
    assert version_of(result, "snapshots/other")


def test_the_same_bytes_in_a_fetch_of_the_command_line_count_as_checked(
    stored: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Files that no build has read yet are an observation, so that automation waits for the build."""
    checked, records = snapshot_key("fake"), BuildRecords(stored.out / "work" / "assets")
    monkeypatch.setattr(paths, "DATA", stored.data)
    with dg.DagsterInstance.ephemeral() as history:
        monkeypatch.setattr(command_line, "open_instance", lambda _out: nullcontext(history))
        for _ in range(2):
            command_line.record_fetch(stored.out, lambda: [Outcome("fake", Status.unchanged, "fake: unchanged")])
            records.delete("snapshots/fake")
        (record,) = history.fetch_materializations(checked, limit=9).records
        assert len(history.fetch_observations(checked, limit=9).records) == 1
    assert record.asset_materialization
    assert record.asset_materialization.tags["dagster/data_version"] == version_of(stored.run("snapshots/fake"))


def test_days_are_partitions_and_a_backfill_stores_each_with_its_date(local: Workbench, host: Host) -> None:
    """A backfill is one run per partition."""
    for number, day in enumerate(("2026-09-01", "2026-09-02", "2026-09-03"), 3):
        host.says(rows(number))
        result = local.run("daily/fake", day=day)
        assert result.success, failures(result)
        assert host.paths == [f"/api/{day}.json"]
    files = snapshots.stored_files(discover()["fake"].SOURCE, local.data)
    assert [file.published_at for file in files] == [dt.datetime(2026, 9, day) for day in (1, 2, 3)]
    assert local.run("snapshots/fake").success


def test_days_that_are_stored_are_not_missing_in_another_history(local: Workbench, host: Host) -> None:
    """As after snapshots were restored on another machine."""
    days = ["2026-09-01", "2026-09-02"]
    host.says(rows(3), rows(4))
    for day in days:
        assert local.run("daily/fake", day=day).success
    daily = dg.AssetKey(["daily", "fake"])
    with dg.DagsterInstance.ephemeral() as history:
        for _ in range(2):
            assert local.run("snapshots/fake", instance=history).success
        assert sorted(history.get_materialized_partitions(daily)) == days
        assert len(history.fetch_materializations(daily, limit=9).records) == len(days), "each is reported once"


def test_a_day_before_the_first_list_is_refused(local: Workbench, host: Host) -> None:
    host.says(rows(3))
    with pytest.raises(dg.DagsterUnknownPartitionError):
        local.run("daily/fake", day="2026-08-31")
    assert host.paths == []


def test_a_day_that_the_host_does_not_have_fails_with_one_line(local: Workbench, host: Host) -> None:
    host.says(status(404))
    result = local.run("daily/fake", day="2026-09-02")
    (line,) = failures(result)
    assert line.startswith("fake: ")
    assert "404" in line
    assert fake_files(local) == {}


def test_a_source_whose_terms_forbid_it_is_fetched_only_where_its_terms_are_accepted(
    fake: Module, data_copy: Path, tmp_path: Path, host: Host
) -> None:
    fake.SOURCE = replace(fake.SOURCE, automated_access="forbidden")
    bench = Workbench(data_copy, tmp_path / "build")
    host.says(rows(3))
    (line,) = failures(bench.run("snapshots/fake", fetch=True))
    assert "its terms forbid automated access" in line
    assert host.paths == []
    assert bench.run("snapshots/fake", fetch=True, accept_terms=["fake"]).success
    assert len(fake_files(bench)) == 2
