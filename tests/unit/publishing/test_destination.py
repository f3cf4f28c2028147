"""Uploads of a release to a folder and to a Git repository, whole or not at all."""

import json
import os
import select
import shutil
import socket
import subprocess
import time
from pathlib import Path

import pytest

from pipeline.cli.publishing.publish import refuse_older
from pipeline.publishing import destination, programs
from pipeline.publishing.destination import (
    current_version,
    download_last,
    is_git,
    recorded_snapshots,
    refuse_unreachable,
    refuse_unusable,
    release_name,
    upload,
    verify,
)
from pipeline.publishing.git import GITHUB_LIMIT, Repository
from pipeline.publishing.programs import PublishError
from pipeline.release import exports
from tests.tools import require_rsync

pytestmark = pytest.mark.slow  # most tests start git or rsync


def make_release(folder: Path, mark: str, as_of: str = "2026-01-01") -> Path:
    """A small release whose site and data carry the same mark."""
    folder.mkdir()
    (folder / "gpuledger.duckdb").write_text(mark)
    exports.write_checksums(folder)
    (folder / "site" / "data").mkdir(parents=True)
    for name in ("expectations.csv", "site/index.html", "site/data/gpuledger.duckdb"):
        (folder / name).write_text(mark)
    (folder / "site" / "data" / "release_diff.json").write_text(json.dumps({"previous_as_of": None, "as_of": as_of}, indent=1))
    (folder / "site" / "same.css").write_text("the same in every release")
    exports.write_checksums(folder / "site")
    return folder


def published(release: Path, dest: Path, work: Path) -> bool:
    return upload(release, release_name(release, "2026.1.1"), str(dest), work)


def git(*arguments: object) -> str:
    return subprocess.run(["git", *map(str, arguments)], capture_output=True, text=True, check=True).stdout.strip()


@pytest.fixture
def rsync() -> None:
    require_rsync()


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    git("init", "--bare", "--quiet", tmp_path / "remote.git")
    return tmp_path / "remote.git"


@pytest.mark.usefixtures("rsync")
def test_a_folder_shows_the_newest_release_and_keeps_three(tmp_path: Path) -> None:
    dest = tmp_path / "www"
    for mark in "abcde":
        assert published(make_release(tmp_path / mark, mark), dest, tmp_path)
        assert (dest / "current" / "site" / "index.html").read_text() == mark
    assert len(list((dest / "releases").iterdir())) == 3


@pytest.mark.usefixtures("rsync")
def test_a_clock_that_jumps_back_does_not_remove_what_is_shown(tmp_path: Path) -> None:
    dest = tmp_path / "www"
    for mark in "abcde":
        assert published(make_release(tmp_path / mark, mark), dest, tmp_path)
        for folder in (dest / "releases").iterdir():
            os.utime(folder, (2e9, 2e9))
        assert (dest / "current" / "site" / "index.html").read_text() == mark


@pytest.mark.usefixtures("rsync")
def test_a_removed_release_is_sent_again(tmp_path: Path) -> None:
    dest, release = tmp_path / "www", make_release(tmp_path / "a", "a")
    assert published(release, dest, tmp_path)
    shutil.rmtree((dest / "current").resolve())
    assert published(release, dest, tmp_path)
    assert (dest / "current" / "site" / "index.html").read_text() == "a"


@pytest.mark.usefixtures("rsync")
def test_a_download_that_was_cut_off_is_repeated(tmp_path: Path) -> None:
    dest, last = tmp_path / "www", tmp_path / "last"
    assert published(make_release(tmp_path / "a", "a"), dest, tmp_path)
    (tmp_path / "hidden.csv").write_bytes((dest / "current" / "expectations.csv").read_bytes())
    (dest / "current" / "expectations.csv").unlink()
    with pytest.raises(PublishError):
        download_last(str(dest), last, tmp_path)
    assert not last.exists()
    (tmp_path / "hidden.csv").rename(dest / "current" / "expectations.csv")
    assert download_last(str(dest), last, tmp_path)
    assert (last / "gpuledger.duckdb").read_text() == "a"


@pytest.mark.usefixtures("rsync")
def test_a_machine_with_older_data_does_not_replace_a_newer_release(tmp_path: Path, bare: Path) -> None:
    """The second machine has never seen the destination before, or saw an older release there."""
    for dest in (str(tmp_path / "www"), str(bare)):
        first, second = tmp_path / f"{dest[-3:]}-first", tmp_path / f"{dest[-3:]}-second"
        assert current_version(dest, second) == ()
        for day in (3, 4):
            release = make_release(tmp_path / f"{dest[-3:]}-{day}", str(day), f"2026-10-0{day}")
            upload(release, release_name(release, f"2026.10.{day}"), dest, first)
            assert current_version(dest, second) == (2026, 10, day)
        refuse_older(dest, "2026.10.4-another", second)
        with pytest.raises(PublishError, match=r"newer release 2026\.10\.4"):
            refuse_older(dest, "2026.10.3-another", second)


def test_a_branch_without_a_date_is_no_newer_release(tmp_path: Path, bare: Path) -> None:
    release = make_release(tmp_path / "a", "a")
    (release / "site" / "data" / "release_diff.json").unlink()
    published(release, bare, tmp_path / "first")
    refuse_older(str(bare), "2026.10.3-another", tmp_path / "second")


def test_the_branch_records_the_commit_of_the_snapshots(tmp_path: Path, bare: Path) -> None:
    release, work = make_release(tmp_path / "a", "a"), tmp_path / "work"
    assert recorded_snapshots(str(bare), work) == ""
    published(release, bare, work)
    assert recorded_snapshots(str(bare), work) == ""
    assert upload(release, "name", str(bare), work, "c0ffee")
    assert recorded_snapshots(str(bare), tmp_path / "new") == recorded_snapshots(str(bare), work) == "c0ffee"
    assert not upload(release, "name", str(bare), work, "c0ffee")


@pytest.mark.usefixtures("rsync")
def test_a_release_that_exists_is_not_sent_again(tmp_path: Path, bare: Path) -> None:
    release = make_release(tmp_path / "a", "a")
    for dest in (tmp_path / "www", bare):
        assert published(release, dest, tmp_path)
        assert not published(release, dest, tmp_path)


@pytest.mark.usefixtures("rsync")
@pytest.mark.parametrize("name", ["gpuledger.duckdb", "site/index.html", "site/same.css"])
def test_a_damaged_release_at_the_destination_is_repaired(tmp_path: Path, name: str) -> None:
    dest, release = tmp_path / "www", make_release(tmp_path / "b", "b")
    published(make_release(tmp_path / "a", "a"), dest, tmp_path)
    published(release, dest, tmp_path)
    damaged = dest / "current" / name
    damaged.write_bytes(b"?" * damaged.stat().st_size)
    assert published(release, dest, tmp_path)
    assert damaged.read_bytes() == (release / name).read_bytes()
    assert not published(release, dest, tmp_path)


@pytest.mark.usefixtures("rsync")
def test_a_damaged_database_is_no_release_to_compare_with(tmp_path: Path) -> None:
    dest = tmp_path / "www"
    published(make_release(tmp_path / "a", "a"), dest, tmp_path)
    (dest / "current" / "gpuledger.duckdb").write_text("x")
    with pytest.raises(PublishError, match=r"is damaged; restore gpuledger\.duckdb there"):
        download_last(str(dest), tmp_path / "last", tmp_path)
    assert not (tmp_path / "last").exists()


def test_what_cannot_be_a_destination_is_refused(tmp_path: Path) -> None:
    build = tmp_path / "data" / "build"
    (build / "publishing").mkdir(parents=True)
    (tmp_path / "link").symlink_to(build)
    (tmp_path / "file").touch()
    refusals = {
        "": "DEST is empty",
        str(build): "is in the build folder",
        str(tmp_path / "link" / "current" / "site"): "is in the build folder",
        str(build / "publishing" / "site.git"): "is in the build folder",
        str(tmp_path / "file"): "is a file",
    }
    for dest, message in refusals.items():
        with pytest.raises(PublishError, match=message):
            refuse_unusable(dest, build)
    for dest in (str(tmp_path / "www"), f"host:{build}", "git@host:me/x.git"):
        refuse_unusable(dest, build)


@pytest.mark.usefixtures("rsync")
def test_files_of_the_last_release_are_not_stored_again(tmp_path: Path) -> None:
    """A build writes files with the same bytes at another time."""
    dest, second = tmp_path / "www", make_release(tmp_path / "b", "b")
    published(make_release(tmp_path / "a", "a"), dest, tmp_path)
    os.utime(second / "site" / "same.css", (2e9, 2e9))
    before = (dest / "current").resolve()
    published(second, dest, tmp_path)
    assert (dest / "current" / "site" / "same.css").samefile(before / "site" / "same.css")


@pytest.mark.usefixtures("rsync")
def test_an_interrupted_upload_leaves_the_last_release_and_is_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dest = tmp_path / "www"
    published(make_release(tmp_path / "a", "a"), dest, tmp_path)
    release = make_release(tmp_path / "b", "b")
    name = release_name(release, "2026.1.1")
    real = programs.run

    def interrupted(*command: str | Path, **options: object) -> str:
        if "--mkpath" in command:
            (dest / "releases" / name / "site").mkdir(parents=True)
            (dest / "releases" / name / "site" / "index.html").write_text("half")
            raise PublishError("rsync: connection lost")
        return real(*command, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(destination, "run", interrupted)
    with pytest.raises(PublishError, match="connection lost"):
        published(release, dest, tmp_path)
    assert (dest / "current" / "site" / "index.html").read_text() == "a"
    monkeypatch.undo()
    assert published(release, dest, tmp_path)
    assert (dest / "current" / "site" / "index.html").read_text() == "b"


def test_a_repository_has_one_commit_of_the_site(tmp_path: Path, bare: Path) -> None:
    for mark in "ab":
        assert published(make_release(tmp_path / mark, mark), bare, tmp_path / "work")
        assert git("--git-dir", bare, "show", "site:index.html") == mark
        assert git("--git-dir", tmp_path / "work" / "site.git", "rev-parse", "site") == git(
            "--git-dir", bare, "rev-parse", "site"
        )
    assert git("--git-dir", bare, "rev-list", "--count", "site") == "1"


def test_a_push_that_meets_another_one_changes_nothing(tmp_path: Path, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    published(make_release(tmp_path / "a", "a"), bare, tmp_path / "work")
    monkeypatch.setattr(destination.Repository, "remote_commit", lambda *_: "0" * 40)
    with pytest.raises(PublishError, match="run `gpuledger publish` again"):
        published(make_release(tmp_path / "b", "b"), bare, tmp_path / "work")
    assert git("--git-dir", bare, "show", "site:index.html") == "a"


@pytest.mark.usefixtures("rsync")
def test_the_last_release_is_downloaded_for_comparison(tmp_path: Path, bare: Path) -> None:
    release = make_release(tmp_path / "a", "a")
    for number, dest in enumerate((tmp_path / "www", bare)):
        target = tmp_path / "last" / str(number)
        assert not download_last(str(dest), target, tmp_path / "work")
        published(release, dest, tmp_path)
        assert download_last(str(dest), target, tmp_path / "work")
        assert (target / "gpuledger.duckdb").read_text() == (target / "expectations.csv").read_text() == "a"


def test_a_branch_without_expectations_is_downloaded(tmp_path: Path, bare: Path) -> None:
    release = make_release(tmp_path / "a", "a")
    (release / "expectations.csv").unlink()
    published(release, bare, tmp_path)
    assert download_last(str(bare), tmp_path / "last", tmp_path / "work")
    assert [path.name for path in (tmp_path / "last").iterdir()] == ["gpuledger.duckdb"]


@pytest.mark.parametrize(
    "remote", ["https://github.com/me/x.git", "git@github.com:me/x.git", "ssh://git@github.example.org/me/x"]
)
def test_a_file_that_github_refuses_stops_before_the_transfer(tmp_path: Path, remote: str) -> None:
    with (tmp_path / "large.zip").open("wb") as file:
        file.truncate(GITHUB_LIMIT + 1)
    for paths in (None, ["large.zip"]):
        with pytest.raises(PublishError, match=r"large\.zip has 100\.0 MiB, and GitHub refuses files above 100 MiB; choose"):
            Repository(tmp_path / "work.git", remote).tree_of(tmp_path, paths)
    assert not (tmp_path / "work.git").exists()


@pytest.mark.parametrize("remote", ["/srv/github.com/x.git", "git@example.org:me/github.git", "https://example.org/github.git"])
def test_other_hosts_take_large_files(tmp_path: Path, remote: str) -> None:
    with (tmp_path / "large.zip").open("wb") as file:
        file.truncate(GITHUB_LIMIT + 1)
    assert Repository(tmp_path / "work.git", remote).tree_of(tmp_path, ["large.zip"])


@pytest.mark.parametrize("dest", ["rsync://127.0.0.1:9/x", "git://127.0.0.1:9/x.git"])
def test_an_unreachable_destination_is_one_line(tmp_path: Path, dest: str) -> None:
    with pytest.raises(PublishError, match="does not answer") as caught:
        upload(make_release(tmp_path / "a", "a"), "name", dest, tmp_path / "work")
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("rsync")
@pytest.mark.parametrize(
    ("dest", "problem"),
    [
        ("rsync://127.0.0.1:9/x", "does not answer"),
        ("git://127.0.0.1:9/x.git", "does not answer"),
        ("/proc/www", "choose a folder that can be written"),
    ],
)
def test_a_destination_that_takes_nothing_is_known_before_there_is_a_release(tmp_path: Path, dest: str, problem: str) -> None:
    with pytest.raises(PublishError, match=problem) as caught:
        refuse_unreachable(dest, tmp_path / "work")
    assert "\n" not in str(caught.value)


def test_a_key_that_may_read_alone_is_known_too(tmp_path: Path, bare: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    answers = f'case "$*" in *upload-pack*) exec git upload-pack {bare};; *) echo "this key is read only" >&2; exit 1;; esac'
    (tmp_path / "ssh").write_text(f"#!/bin/sh\n{answers}\n")
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("GIT_SSH_COMMAND", str(tmp_path / "ssh"))
    with pytest.raises(PublishError, match=r"git@example\.org:x\.git takes no push \(git: this key is read only"):
        refuse_unreachable("git@example.org:x.git", tmp_path / "work")


def test_a_destination_is_left_as_it_is_when_it_is_tried(tmp_path: Path, bare: Path) -> None:
    for dest in (bare, tmp_path / "new" / "www"):
        refuse_unreachable(str(dest), tmp_path / "work")
    assert git("--git-dir", bare, "for-each-ref") == ""
    assert not (tmp_path / "new").exists()


def test_a_silent_destination_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setattr("pipeline.publishing.git.ANSWER_S", 1)
        with pytest.raises(PublishError, match="stopped after 1 s"):
            upload(
                make_release(tmp_path / "a", "a"), "name", f"git://127.0.0.1:{silent.getsockname()[1]}/x.git", tmp_path / "work"
            )


@pytest.mark.parametrize("name", ["gpuledger.duckdb", "site/index.html"])
def test_a_damaged_file_is_not_published(tmp_path: Path, name: str) -> None:
    release = make_release(tmp_path / "a", "a")
    verify(release)
    (release / name).write_text("damaged")
    with pytest.raises(PublishError, match="damaged"):
        verify(release)


@pytest.mark.parametrize(
    ("dest", "expected"),
    [("/srv/www", False), ("host:/srv/www", False), ("rsync://host/www", False), ("git@host:me/x.git", True), ("../x.git", True)],
)
def test_the_form_of_a_destination_names_its_program(dest: str, expected: bool) -> None:
    assert is_git(dest) is expected


def test_a_program_that_is_missing_is_named() -> None:
    with pytest.raises(PublishError, match="no-such-program is not installed"):
        programs.run("no-such-program")


def test_time_is_limited() -> None:
    begin = time.monotonic()
    with pytest.raises(PublishError, match="sleep was stopped"):
        programs.run("sleep", "60", timeout_s=0.1)
    assert time.monotonic() - begin < 60


def test_a_program_that_takes_too_long_ends_with_its_children(tmp_path: Path) -> None:
    """As `git remote-https`, a child of git, would go on sending."""
    os.mkfifo(tmp_path / "alive")
    reader = os.open(tmp_path / "alive", os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(PublishError, match="sh was stopped"):
        programs.run("sh", "-c", f"sleep 60 > {tmp_path / 'alive'} & wait", timeout_s=1)
    assert select.select([reader], [], [], 10)[0], "the pipe ends when no child has it open"
    os.close(reader)
