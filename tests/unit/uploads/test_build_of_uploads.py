"""Accepted uploads reach the tables of a build, and the sensor reads the inbox."""

import shutil
from pathlib import Path

import dagster as dg
import pytest

from pipeline import paths
from pipeline.orchestration import inbox as sensor
from pipeline.orchestration.graph import make_definitions
from pipeline.orchestration.resources import BuildResource
from pipeline.tables import build_tables
from pipeline.uploads import inbox, load_accepted
from pipeline.uploads.ingest import group_files, ingest
from pipeline.warehouse import connection
from pipeline.warehouse.workspace import Workspace
from tests.unit.uploads.upload_texts import SIMPLEST

pytestmark = pytest.mark.slow  # each test starts the sandbox


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder of the GPUs alone, with an inbox."""
    folder = tmp_path / "data"
    for name in ("specs", "names", "raw/llm-model-configs"):
        shutil.copytree(paths.DATA / name, folder / name)
    (folder / "uploads" / "inbox").mkdir(parents=True)
    return folder


def test_an_accepted_upload_is_in_the_tables_with_its_gpu_and_flags(data: Path, tmp_path: Path) -> None:
    (tmp_path / "copy.csv").write_text(SIMPLEST.replace("2684.4\n", "9684.4\n", 1))
    assert [outcome.status for outcome in ingest(data, group_files([tmp_path / "copy.csv"], inbox.folder(data)))] == ["accepted"]
    workspace = Workspace(data, tmp_path / "build")
    connection.create(workspace.database)
    with connection.connect(workspace.database) as con:
        con.execute("CREATE TABLE gpu AS SELECT 'nvidia-h100-sxm5-80gb' AS gpu_id")
        built = build_tables.build_upload_tables(con, workspace)
    assert {name: made.rows for name, made in built.items()} == {
        "upload": 1,
        "benchmark_run": 1,
        "benchmark_device": 1,
        "measurement": 2,
    }
    with connection.connect(workspace.database, read_only=True) as con:
        sql = "SELECT gpu_id, test, value, flags FROM measurement JOIN benchmark_device USING (run_id) ORDER BY test"
        fast, plain = con.execute(sql).fetchall()
    assert fast[:3] == ("nvidia-h100-sxm5-80gb", "copy", 9684.4)
    assert "exceeds_peak" in fast[3]
    assert plain == ("nvidia-h100-sxm5-80gb", "triad", 2684.4, None)


def ingest_inbox(data: Path, out: Path) -> dg.ExecuteInProcessResult:
    """Run the job as the sensor does, over other folders."""
    build = {"config": {"data": str(data), "out": str(out), "ingest": True}}
    job = make_definitions(BuildResource.configure_at_launch()).resolve_job_def("ingest_inbox")
    return job.execute_in_process(run_config={"resources": {"build": build}}, raise_on_error=False)


def test_the_sensor_asks_for_a_run_that_empties_the_inbox(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "DATA", data)
    inbox = data / "uploads" / "inbox"
    assert isinstance(sensor.inbox_sensor(), dg.SkipReason)
    for name, text in (("good.csv", SIMPLEST), ("bad.csv", "a,b\n1,2\n")):
        (inbox / name).write_text(text)
        (inbox / f"{name}.done").touch()
    asked = sensor.inbox_sensor()
    assert isinstance(asked, dg.RunRequest)
    ended = ingest_inbox(data, tmp_path / "build")
    assert ended.success
    (event,) = ended.get_asset_materialization_events()
    assert event.step_materialization_data.materialization.tags["dagster/data_version"] == load_accepted.fingerprint(data)
    assert list(inbox.iterdir()) == []
    stored = {folder: len(list((data / "uploads" / folder).glob("*.json"))) for folder in ("accepted", "quarantine")}
    assert stored == {"accepted": 1, "quarantine": 1}


def test_an_inbox_that_cannot_be_read_is_one_line(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_data: Path) -> None:
        raise PermissionError(13, "Permission denied", "data/uploads/inbox")

    monkeypatch.setattr("pipeline.uploads.inbox.drain", refused)
    (event,) = ingest_inbox(data, tmp_path / "build").get_step_failure_events()
    failure = event.step_failure_data.user_failure_data
    told = "inbox: data/uploads/inbox: Permission denied; free space or correct the permissions"
    assert failure
    assert failure.description == f"{told}, then start the job `ingest_inbox` again"
