"""Gate of publication: comparison of a build with the committed expectations and with the last release."""

from dataclasses import replace
from pathlib import Path

import pytest

from pipeline.fetch import snapshots
from pipeline.release import gate
from pipeline.release.expectations import RowCounts, read_expectations, write_expectations
from pipeline.release.publish import DATABASE, EXPECTATIONS, CheckFailedError
from pipeline.warehouse import connection
from pipeline.warehouse.workspace import Workspace

OLD, NEW = "data/raw/verda/2026-01-01/list.json", "data/raw/verda/2026-02-01/list.json"
Snapshots = dict[str, int]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """A data folder that expects one snapshot of 100 rows, without any build."""
    (tmp_path / "data").mkdir()
    workspace = Workspace(tmp_path / "data", tmp_path / "build")
    expect(workspace, {OLD: 100})
    return workspace


def expect(workspace: Workspace, files: Snapshots) -> None:
    write_expectations(workspace.data / EXPECTATIONS, RowCounts({"price": sum(files.values())}, {"verda": files}))


def staged(folder: Path, files: Snapshots, *, prices: int | None = None, date: str = "2026-01-01", problem: str = "") -> Path:
    """A database of one source with the accepted rows of each file."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = sum(files.values()) if prices is None else prices
    (folder / DATABASE).unlink(missing_ok=True)
    with connection.connect(folder / DATABASE) as con:
        con.execute("CREATE TABLE snapshot (snapshot_id VARCHAR, source_id VARCHAR, path VARCHAR, rows_accepted BIGINT)")
        con.execute("CREATE TABLE source_problem (path VARCHAR, problem VARCHAR)")
        con.execute("CREATE TABLE exchange_rate (snapshot_id VARCHAR, locator VARCHAR, date DATE)")
        for path, count in files.items():
            con.execute("INSERT INTO snapshot VALUES (?, 'verda', ?, ?)", [path, path, count])
        if problem:
            con.execute("INSERT INTO source_problem VALUES (?, ?)", [OLD, problem])
        con.execute(
            "CREATE TABLE price AS SELECT ? AS snapshot_id, 'line ' || i AS locator, ?::DATE AS observed_at FROM range(?) r(i)",
            [next(iter(files), OLD), date, rows],
        )
    return folder / DATABASE


def release(workspace: Workspace, files: Snapshots) -> None:
    """The last release, with the expectations of its build."""
    staged(workspace.out / "current", files)
    (workspace.out / "current" / EXPECTATIONS).write_bytes((workspace.data / EXPECTATIONS).read_bytes())


def problems(workspace: Workspace, database: Path) -> list[str]:
    try:
        gate.refuse_losses(workspace, database)
    except CheckFailedError as error:
        return str(error).splitlines()
    return []


def test_expectations_are_read_as_they_are_written(tmp_path: Path) -> None:
    counts = RowCounts({"gpu": 7, "price": 3}, {"a": {"data/raw/a/x, y.csv": 2, "data/raw/a/z.csv": 0}, "b": {"data/b.csv": 1}})
    write_expectations(tmp_path / EXPECTATIONS, counts)
    assert read_expectations(tmp_path / EXPECTATIONS) == counts


@pytest.mark.parametrize("files", [{OLD: 100}, {OLD: 98}, {OLD: 100, NEW: 40}, {OLD: 500}])
def test_growth_and_a_loss_within_the_limit_pass(workspace: Workspace, tmp_path: Path, files: Snapshots) -> None:
    assert problems(workspace, staged(tmp_path / "new", files)) == []


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        ({OLD: 97}, f"{OLD}: 97 rows accepted where 100 are expected (source verda loses 3%, limit 2%)"),
        ({OLD: 97, NEW: 1000}, f"{OLD}: 97 rows accepted"),
        ({NEW: 1000}, f"{OLD}: the snapshot is missing"),
        ({}, f"{OLD}: the snapshot is missing"),
    ],
    ids=["fewer rows", "fewer rows beside a new file", "replaced by a new file", "all files removed"],
)
def test_a_loss_is_one_line_with_file_and_next_command(
    workspace: Workspace, tmp_path: Path, files: Snapshots, shown: str
) -> None:
    (line,) = problems(workspace, staged(tmp_path / "new", files))
    assert line.startswith(shown)
    assert "--accept-loss verda" in line
    accepting = replace(workspace, accept_loss=frozenset({"verda"}))
    assert problems(accepting, staged(tmp_path / "new", files)) == []


def test_an_unreadable_snapshot_is_a_loss_with_its_reason(workspace: Workspace, tmp_path: Path) -> None:
    (line,) = problems(workspace, staged(tmp_path / "new", {NEW: 100}, problem="no `items`"))
    assert line.startswith(f"{OLD}: no `items`")


def test_a_table_that_loses_rows_although_its_sources_lost_none(workspace: Workspace, tmp_path: Path) -> None:
    (line,) = problems(workspace, staged(tmp_path / "new", {OLD: 100}, prices=90))
    assert line.startswith("table price: 90 rows where 100 are expected (loses 10%, limit 2%)")


def test_a_snapshot_of_the_last_release_counts_although_it_is_not_committed(workspace: Workspace, tmp_path: Path) -> None:
    release(workspace, {OLD: 100, NEW: 40})
    (line,) = problems(workspace, staged(tmp_path / "new", {OLD: 100}))
    assert line.startswith(f"{NEW}: the snapshot is missing")
    assert problems(workspace, staged(tmp_path / "new", {OLD: 100, NEW: 40})) == []


def test_a_reviewed_removal_needs_no_consent_after_a_release(workspace: Workspace, tmp_path: Path) -> None:
    expect(workspace, {OLD: 100, NEW: 40})
    release(workspace, {OLD: 100, NEW: 40})
    expect(workspace, {OLD: 60})
    assert problems(workspace, staged(tmp_path / "new", {OLD: 60})) == []
    assert len(problems(workspace, staged(tmp_path / "new", {OLD: 50}))) == 1


def test_a_reviewed_removal_needs_no_consent_after_normal_growth(workspace: Workspace, tmp_path: Path) -> None:
    """The release has 40 rows of a snapshot that was fetched, and never was among the expectations."""
    release(workspace, {OLD: 120, NEW: 40})
    smaller = staged(tmp_path / "new", {OLD: 90, NEW: 40})
    (line,) = problems(workspace, smaller)
    assert "run `make expected`, or add --accept-loss verda" in line
    expect(workspace, {OLD: 90, NEW: 40})
    assert problems(workspace, smaller) == []
    assert len(problems(workspace, staged(tmp_path / "new", {OLD: 90, NEW: 30}))) == 1


@pytest.mark.parametrize("files", [{OLD: 100}, {OLD: 100, NEW: 30}])
def test_make_expected_is_not_advised_for_a_loss_that_it_does_not_accept(
    workspace: Workspace, tmp_path: Path, files: Snapshots
) -> None:
    release(workspace, {OLD: 100, NEW: 40})
    (line,) = problems(workspace, staged(tmp_path / "new", files))
    assert line.endswith("if the loss is meant, add --accept-loss verda to the command")
    expect(workspace, files)
    assert problems(workspace, tmp_path / "new" / DATABASE) == [line]


def test_an_unreadable_release_leaves_the_expectations(workspace: Workspace, tmp_path: Path) -> None:
    (workspace.out / "current").mkdir(parents=True)
    (workspace.out / "current" / DATABASE).write_bytes(b"not a database")
    assert problems(workspace, staged(tmp_path / "new", {OLD: 100})) == []
    assert len(problems(workspace, staged(tmp_path / "new", {OLD: 10}))) == 1


def test_a_sidecar_accepts_the_loss_of_its_own_bytes_alone(workspace: Workspace, tmp_path: Path) -> None:
    file = workspace.data.parent / OLD
    file.parent.mkdir(parents=True)
    file.write_text("fewer rows")
    facts = {"origin": "transcribed", "extent": "excerpt"}
    snapshots.write_sidecar(file, **facts, accepted_shrink="the publisher withdrew these rows")
    assert problems(workspace, staged(tmp_path / "new", {OLD: 60})) == []
    file.write_text("even fewer rows")
    snapshots.write_sidecar(file)
    assert len(problems(workspace, staged(tmp_path / "new", {OLD: 10}))) == 1


def test_a_future_price_is_refused_with_file_and_line(workspace: Workspace, tmp_path: Path) -> None:
    (line,) = problems(workspace, staged(tmp_path / "new", {OLD: 100}, date="2099-01-01"))
    assert line.startswith(f"{OLD} line 0: observed_at 2099-01-01 is more than one day after today")
    assert "gpuledger seal" in line


@pytest.mark.parametrize("text", [None, "kind,source_id,name,rows\ntable,,price,many\n", "kind,source_id,name,rows\nprice,3\n"])
def test_missing_or_damaged_expectations_are_no_consent(workspace: Workspace, tmp_path: Path, text: str | None) -> None:
    file = workspace.data / EXPECTATIONS
    file.unlink() if text is None else file.write_text(text)
    with pytest.raises(gate.BuildError, match=r"data/expectations\.csv.*make expected"):
        gate.refuse_losses(workspace, staged(tmp_path / "new", {OLD: 100}))


def test_names_of_sources_and_uploads_may_be_accepted(workspace: Workspace) -> None:
    expect(workspace, {OLD: 1})
    write_expectations(workspace.data / EXPECTATIONS, RowCounts({}, {"removed-source": {"data/x.csv": 1}}))
    assert {"verda", "uploads", "removed-source"} <= gate.names(workspace)
    assert "verdaa" not in gate.names(workspace)
