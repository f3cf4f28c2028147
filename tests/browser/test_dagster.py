"""Dagster in a real browser, over a copy of the data and of a finished build, and a source that is served from this machine.

Runs are launched through the API that the buttons of the UI use; what users read is read from the pages.
"""

import os
import shutil
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from pipeline import build_lock, paths
from pipeline.fetch import snapshots
from tests.browser.dagster_location import fake_source
from tests.browser.dagster_server import LOCATION, PATIENCE_S, DagsterServer, serving_dagster, wait_for
from tests.build.workbench import copy_build
from tests.unit.fetch.misbehaving_host import Answer, Handler, Host, body, rows, serving, stalls, status

pytestmark = [pytest.mark.full, pytest.mark.long]

DAYS = ("2026-09-01", "2026-09-02", "2026-09-03")
GPUS = Path("specs") / "gpus.csv"
CURATED = ("snapshots/gpuledger-compiled", "rows/gpuledger-compiled", "gpu")


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    with serving() as host:
        host.says(rows(10))
        yield host


@pytest.fixture(scope="module")
def dagster(built: Path, host: Host, tmp_path_factory: pytest.TempPathFactory) -> Iterator[DagsterServer]:
    data = tmp_path_factory.mktemp("dagster") / "data"
    shutil.copytree(paths.DATA, data, ignore=shutil.ignore_patterns("build"))
    copy_build(built, data / "build")
    shutil.copytree(built / "dagster", data / "build" / "dagster")
    with serving_dagster(data, host.url) as server:
        yield server


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    page = browser.new_context(viewport={"width": 1600, "height": 1000}).new_page()
    page.set_default_timeout(PATIENCE_S * 1000)
    yield page
    page.context.close()


def read(page: Any, url: str, *words: str) -> None:
    """Open a page and wait until all of the words can be read on it."""
    page.goto(url)
    for text in words:
        wait_for(partial(shows, page, text), f"{text!r} on {url}")


def shows(page: Any, text: str) -> str:
    return text if text in page.inner_text("body") else ""


def slow(request: Handler) -> None:
    """Send a few bytes at a time, for a minute."""
    request.send_response(200)
    request.send_header("Content-Type", "application/json")
    request.end_headers()
    for _ in range(120):
        request.wfile.write(b" ")
        request.wfile.flush()
        time.sleep(0.5)


def late(request: Handler) -> None:
    """Answer shortly before the limit."""
    time.sleep(1.5)
    rows(10)(request)


def wait_for_cleanup(dagster: DagsterServer) -> None:
    """Wait until no scratch folder is left and nobody holds the lock: the process of a run ends after its last event."""
    scratch = (".new", ".wal")
    wait_for(lambda: "" if any(path.name.endswith(scratch) for path in (dagster.out / "work").iterdir()) else "gone", "cleanup")
    wait_for(lambda: is_free(dagster.out), "the lock")


def is_free(out: Path) -> str:
    try:
        with build_lock.hold(out):
            return "free"
    except build_lock.BuildLockedError:
        return ""


def edit_gpus(dagster: DagsterServer, old: str, new: str) -> None:
    file = dagster.data / GPUS
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    snapshots.write_sidecar(file)


def stored(dagster: DagsterServer) -> list[Path]:
    return sorted(path for path in (dagster.data / "raw" / "fake").rglob("*") if path.is_file())


def test_the_lineage_can_be_read(dagster: DagsterServer, page: Any) -> None:
    """Groups in the overview, assets of a group by name, and what an asset depends on."""
    read(page, f"{dagster.url}/asset-groups", "snapshots", "rows", "specs", "prices", "performance", "publication")
    group = f"{dagster.url}/locations/{LOCATION}/asset-groups/publication/lineage"
    read(page, group, "database", "site", "publication", "Materialized")  # the UI draws only what fits the window
    read(page, f"{dagster.url}/assets/spec_coverage?view=lineage", "gpu", "spec_coverage", "database")
    read(page, f"{dagster.url}/assets/price_daily?view=lineage", "price_history", "price_daily", "database")


def test_a_build_of_the_command_line_is_in_the_history(dagster: DagsterServer, page: Any) -> None:
    read(page, f"{dagster.url}/runs", "gpuledger/process", "started_by: command line", "build", "Success")
    read(page, f"{dagster.url}/assets/gpu?view=checks", "as_declared", "Passed")


def test_stale_sources_are_warnings(dagster: DagsterServer, page: Any) -> None:
    read(page, f"{dagster.url}/assets/source_health?view=checks", "fresh_ecb\nFailed", "as_declared\nSucceeded")


def test_a_table_shows_what_it_means(dagster: DagsterServer, page: Any) -> None:
    words = ("GPUs and accelerators", "Row count", "Memory, as the vendor states it [GB]", "DOUBLE", "specs", "gpuledger")
    read(page, f"{dagster.url}/assets/gpu?view=overview", *words)
    page.get_by_text("Compute details").first.click()
    page.get_by_text("Code version").first.wait_for()


def test_the_button_of_an_asset_materializes_it(dagster: DagsterServer, page: Any) -> None:
    page.goto(f"{dagster.url}/assets/snapshots/ecb")
    page.get_by_role("button", name="Materialize").first.click()
    run = wait_for(lambda: dagster.newest_run("snapshots/ecb"), "the run of the button")
    assert dagster.wait(run) == "SUCCESS", dagster.failures(run)


def test_a_source_is_fetched(dagster: DagsterServer, host: Host, page: Any) -> None:
    host.says(rows(10))
    run, end = dagster.execute("snapshots/fake", fetch=True)
    assert end == "SUCCESS", dagster.failures(run)
    assert len(stored(dagster)) == 2
    read(page, f"{dagster.url}/runs/{run}", "Success")
    read(page, f"{dagster.url}/assets/snapshots/fake?view=overview", "A fake", "raw/fake/")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(status(500), "500"), (stalls(5), "4 s"), (body(b'{"list": []}'), "no `items`"), (rows(2), "2 rows")],
    ids=["error 500", "no answer", "changed form", "shrunk file"],
)
def test_a_failed_fetch_shows_its_reason(dagster: DagsterServer, host: Host, page: Any, answer: Answer, reason: str) -> None:
    before = stored(dagster)
    host.says(answer)
    run, end = dagster.execute("snapshots/fake", "snapshots/gpuledger-names", fetch=True)
    assert end == "FAILURE"
    (line,) = dagster.failures(run)
    assert line.startswith("fake: ")
    assert reason in line
    assert stored(dagster) == before
    read(page, f"{dagster.url}/runs/{run}", reason, "Errored (1)", "Succeeded (1)")  # the other source is a step of its own


def list_of_day(request: Handler) -> None:
    """Other rows for each day of DAYS."""
    rows(10 + int(request.path.removesuffix(".json")[-1]))(request)


def test_two_backfills_at_once_store_the_list_of_each_day_once(dagster: DagsterServer, host: Host, page: Any) -> None:
    host.says(list_of_day)
    backfills = [dagster.backfill("daily/fake", days)["backfillId"] for days in (DAYS, DAYS[1:])]
    assert [dagster.wait_for_backfill(one) for one in backfills] == ["COMPLETED_SUCCESS", "COMPLETED_SUCCESS"]
    read(page, f"{dagster.url}/runs/b/{backfills[0]}", "Succeeded", "100% completed")
    files = snapshots.stored_files(fake_source(host.url), dagster.data)
    assert sorted(f"{file.published_at:%Y-%m-%d}" for file in files if file.published_at) == list(DAYS)


def test_a_day_that_the_source_does_not_have_is_refused(dagster: DagsterServer, host: Host) -> None:
    host.says(list_of_day)
    assert dagster.backfill("daily/fake", ["2026-08-31"])["__typename"] != "LaunchBackfillSuccess"
    assert host.paths == []


def test_a_canceled_fetch_leaves_nothing_behind(dagster: DagsterServer, host: Host, page: Any) -> None:
    before = stored(dagster)
    host.says(slow)
    run = dagster.launch("snapshots/fake", fetch=True)
    wait_for(lambda: "requested" if host.paths else "", "the request")
    dagster.cancel(run)
    assert dagster.wait(run) == "CANCELED"
    read(page, f"{dagster.url}/runs/{run}", "Canceled")
    wait_for_cleanup(dagster)
    assert stored(dagster) == before
    assert dagster.execute("snapshots/fake")[1] == "SUCCESS"


def test_two_runs_at_once_queue(dagster: DagsterServer, host: Host) -> None:
    host.says(late)
    first, second = dagster.launch("snapshots/fake", fetch=True), dagster.launch("snapshots/ecb")
    assert [dagster.wait(run) for run in (first, second)] == ["SUCCESS", "SUCCESS"]
    assert dagster.times(second)[0] >= dagster.times(first)[1]


def test_a_fetch_waits_for_a_build_of_the_command_line(dagster: DagsterServer, host: Host, page: Any) -> None:
    host.says(rows(10))
    with build_lock.hold(dagster.out):
        run = dagster.launch("snapshots/fake", fetch=True)
        read(page, f"{dagster.url}/runs/{run}", f"Waiting for process {os.getpid()}")
        assert host.paths == []
    assert dagster.wait(run) == "SUCCESS", dagster.failures(run)
    assert host.paths


def test_a_failing_check_shows_the_lines(dagster: DagsterServer, page: Any) -> None:
    one, two = (line.split(",")[0] for line in (dagster.data / GPUS).read_text().splitlines()[1:3])
    edit_gpus(dagster, f"\n{two},", f"\n{one},")
    assert dagster.execute(*CURATED, "spec_coverage")[1] == "FAILURE"
    restore_gpus(dagster)
    read(page, f"{dagster.url}/assets/gpu?view=checks", "as_declared", "Failed", f"gpus.csv line 2: {one}")


def restore_gpus(dagster: DagsterServer) -> None:
    shutil.copyfile(paths.DATA / GPUS, dagster.data / GPUS)
    snapshots.write_sidecar(dagster.data / GPUS)


def test_the_database_and_then_the_publication_publish_the_new_data(dagster: DagsterServer, host: Host) -> None:
    host.says(rows(10))
    assert dagster.execute("snapshots/fake", fetch=True)[1] == "SUCCESS"
    assert dagster.execute("rows/fake")[1] == "SUCCESS"  # a release needs the rows of every source
    header, first = (line.split(",") for line in (dagster.data / GPUS).read_text().splitlines()[:2])
    edit_gpus(dagster, first[header.index("name")], "Renamed For A Test")
    assert dagster.execute(*CURATED)[1] == "SUCCESS"
    assert "Renamed For A Test" not in published(dagster, "SELECT name FROM gpu")
    for asset in ("database", "publication"):
        run, end = dagster.execute(asset)
        assert end == "SUCCESS", dagster.failures(run)
    assert "Renamed For A Test" in published(dagster, "SELECT name FROM gpu")


def published(dagster: DagsterServer, query: str) -> list[Any]:
    with duckdb.connect(str((dagster.out / "gpuledger.duckdb").resolve()), read_only=True) as con:
        return [row[0] for row in con.execute(query).fetchall()]


def test_a_canceled_site_leaves_the_last_one(dagster: DagsterServer) -> None:
    (dagster.out / "work" / "assets" / "site.json").unlink()  # else the site is up to date
    run = dagster.launch("site")
    wait_for(lambda: "begun" if (dagster.out / "work" / ".site.new").exists() else "", "the site")
    dagster.cancel(run)
    assert dagster.wait(run) == "CANCELED"
    wait_for_cleanup(dagster)
    assert (dagster.out / "site" / "index.html").exists()


def test_a_changed_source_refreshes_all_that_depends_on_it(dagster: DagsterServer, host: Host, page: Any) -> None:
    (dagster.out / "work/assets/source.json").unlink()  # stale, as by the code of a source that is added
    assert dagster.execute("source")[1] == "SUCCESS"
    dagster.start_sensor("refresh")
    host.says(rows(15))
    assert dagster.execute("snapshots/fake", fetch=True)[1] == "SUCCESS"
    run = wait_for(lambda: dagster.newest_run("rows/fake", "guide_run", "publication"), "a run of the sensor")
    assert dagster.wait(run) == "SUCCESS", dagster.failures(run)
    assert published(dagster, "SELECT count(*) FROM guide_run WHERE machine LIKE 'GPU 14 of %'") == [1]
    read(page, f"{dagster.url}/runs/{run}", "Success", "publication")
