"""The branch of snapshots: restored, extended, and never rewritten unseen."""

import json
import shutil
from pathlib import Path

import pytest

from pipeline.publishing import snapshot_branch
from pipeline.publishing.git import Repository
from pipeline.publishing.programs import PublishError
from pipeline.release.expectations import RowCounts, write_expectations
from tests.unit.publishing.test_destination import git

pytestmark = pytest.mark.slow  # each test starts git

OLD, NEW = "raw/verda/2026-01-01/list.json", "raw/verda/2026-02-01/list.json"


def store(data: Path, name: str, text: str = "[]") -> None:
    """A snapshot with its sidecar."""
    path = data / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.with_name(path.name + ".json").write_text("{}")


def checkout(folder: Path) -> Path:
    """The data folder of a fresh clone: one committed snapshot."""
    folder.mkdir()
    write_expectations(folder / "expectations.csv", RowCounts({}, {"verda": {f"data/{OLD}": 1}}))
    store(folder, OLD)
    return folder


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    git("init", "--bare", "--quiet", tmp_path / "remote.git")
    return tmp_path / "remote.git"


def test_new_snapshots_reach_the_next_machine_and_committed_ones_stay_out(tmp_path: Path, remote: Path) -> None:
    first, here = checkout(tmp_path / "first"), Repository(tmp_path / "here.git", str(remote))
    assert snapshot_branch.restore(here, first, "") == 0
    assert snapshot_branch.push(here, first) == 0
    store(first, NEW)
    assert snapshot_branch.push(here, first) == 2
    assert snapshot_branch.push(here, first) == 0
    assert git("--git-dir", remote, "ls-tree", "-r", "--name-only", "data").split() == [NEW, f"{NEW}.json"]
    second = checkout(tmp_path / "second")
    assert snapshot_branch.restore(Repository(tmp_path / "there.git", str(remote)), second, "") == 2
    assert (second / NEW).read_text() == "[]"


def test_the_branch_grows_from_several_machines(tmp_path: Path, remote: Path) -> None:
    for day in ("2026-02-01", "2026-02-02"):
        data, repository = checkout(tmp_path / day), Repository(tmp_path / f"{day}.git", str(remote))
        snapshot_branch.restore(repository, data, "")
        store(data, f"raw/verda/{day}/list.json")
        assert snapshot_branch.push(repository, data) == 2
    assert len(git("--git-dir", remote, "ls-tree", "-r", "--name-only", "data").split()) == 4
    assert git("--git-dir", remote, "rev-list", "--count", "data") == "2"


def test_the_return_to_a_committed_snapshot_reaches_the_next_machine(tmp_path: Path, remote: Path) -> None:
    """Its host returned its bytes again after others, so that they are a new observation."""
    first, here = checkout(tmp_path / "first"), Repository(tmp_path / "here.git", str(remote))
    facts = {"sha256": "a", "returned_at": "2026-03-01T00:00:00", "checked_at": "2026-03-02T00:00:00"}
    (first / f"{OLD}.json").write_text(json.dumps(facts | {"licence": "old"}))
    assert snapshot_branch.push(here, first) == 1
    assert git("--git-dir", remote, "ls-tree", "-r", "--name-only", "data").split() == [f"{OLD}.json"]
    second, there = checkout(tmp_path / "second"), Repository(tmp_path / "there.git", str(remote))
    (second / f"{OLD}.json").write_text('{"sha256": "a", "licence": "new"}')
    assert snapshot_branch.restore(there, second, "") == 1
    assert json.loads((second / f"{OLD}.json").read_text()) == facts | {"licence": "new"}
    assert (snapshot_branch.restore(there, second, ""), snapshot_branch.push(there, second)) == (0, 0)
    (second / OLD).unlink()
    (second / f"{OLD}.json").unlink()
    assert snapshot_branch.restore(there, second, "") == 0
    assert not (second / f"{OLD}.json").exists()


@pytest.mark.parametrize("change", ["rewritten", "deleted"])
def test_a_rewritten_branch_is_refused(tmp_path: Path, remote: Path, change: str) -> None:
    data, here = checkout(tmp_path / "data"), Repository(tmp_path / "here.git", str(remote))
    store(data, NEW)
    snapshot_branch.restore(here, data, "")
    snapshot_branch.push(here, data)
    git("--git-dir", remote, "update-ref", "-d", "refs/heads/data")
    if change == "rewritten":
        other, there = checkout(tmp_path / "other"), Repository(tmp_path / "there.git", str(remote))
        store(other, NEW, "other bytes")
        snapshot_branch.push(there, other)
    with pytest.raises(PublishError, match="was rewritten"):
        snapshot_branch.restore(here, data, "")
    shutil.rmtree(here.folder)
    if change == "rewritten":  # the stored bytes still contradict it
        with pytest.raises(PublishError, match="never changes"):
            snapshot_branch.restore(here, data, "")
    assert (data / NEW).read_text() == "[]"


@pytest.mark.parametrize("change", ["rewritten", "deleted"])
def test_a_new_machine_refuses_a_branch_without_the_commit_of_the_release(tmp_path: Path, remote: Path, change: str) -> None:
    data, here = checkout(tmp_path / "data"), Repository(tmp_path / "here.git", str(remote))
    for name in (NEW, NEW.replace("list", "lost")):
        store(data, name)
        snapshot_branch.push(here, data)
    recorded = git("--git-dir", remote, "rev-parse", "data")
    assert snapshot_branch.restore(Repository(tmp_path / "new.git", str(remote)), checkout(tmp_path / "new"), recorded) == 4
    git(
        "--git-dir",
        remote,
        "update-ref",
        *(("refs/heads/data", "data~1") if change == "rewritten" else ("-d", "refs/heads/data")),
    )
    newer, there = checkout(tmp_path / "newer"), Repository(tmp_path / "newer.git", str(remote))
    with pytest.raises(PublishError, match=rf"was rewritten: commit {recorded[:12]} .* delete data-commit\.txt from"):
        snapshot_branch.restore(there, newer, recorded)
    assert not (newer / NEW).exists()


def test_snapshots_that_were_added_since_the_release_are_restored(tmp_path: Path, remote: Path) -> None:
    data, here = checkout(tmp_path / "data"), Repository(tmp_path / "here.git", str(remote))
    store(data, NEW)
    snapshot_branch.push(here, data)
    recorded = git("--git-dir", remote, "rev-parse", "data")
    store(data, NEW.replace("list", "next"))
    snapshot_branch.push(here, data)
    assert snapshot_branch.restore(Repository(tmp_path / "new.git", str(remote)), checkout(tmp_path / "new"), recorded) == 4


def test_two_runs_at_once_do_not_lose_a_snapshot(tmp_path: Path, remote: Path) -> None:
    runs = [(checkout(tmp_path / name), Repository(tmp_path / f"{name}.git", str(remote))) for name in ("a", "b")]
    for day, (data, repository) in enumerate(runs, start=1):
        snapshot_branch.restore(repository, data, "")
        store(data, f"raw/verda/2026-02-0{day}/list.json")
    assert snapshot_branch.push(runs[0][1], runs[0][0]) == 2
    with pytest.raises(PublishError, match="run `gpuledger publish` again"):
        snapshot_branch.push(runs[1][1], runs[1][0])
    snapshot_branch.restore(runs[1][1], runs[1][0], "")
    assert snapshot_branch.push(runs[1][1], runs[1][0]) == 2


def test_a_link_or_another_folder_in_the_branch_is_refused(tmp_path: Path, remote: Path) -> None:
    for number, name in enumerate(("names/rules/x.csv", "raw/verda/link")):
        data = tmp_path / str(number)
        (data / name).parent.mkdir(parents=True)
        (data / name).symlink_to("/etc/passwd") if "link" in name else (data / name).write_text("x")
        here = Repository(tmp_path / f"{number}.git", str(remote))
        git("--git-dir", remote, "update-ref", "-d", "refs/heads/data")
        commit = here.commit(here.tree_of(data), "bad")
        here.git("push", "--quiet", remote, f"{commit}:refs/heads/data")
        with pytest.raises(PublishError, match="not a snapshot"):
            snapshot_branch.restore(here, checkout(tmp_path / f"clone{number}"), "")
