"""Atomic writes: whole files or the old ones, and nothing left beside them."""

import os
import signal
from pathlib import Path

import pytest

from pipeline.files import replace_folder, write_atomically


@pytest.mark.parametrize("durable", [False, True])
def test_a_file_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path, durable: bool) -> None:
    for raw in (b"old", b"new"):
        write_atomically(tmp_path / "a", raw, durable=durable)
        assert (tmp_path / "a").read_bytes() == raw
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_atomically(tmp_path / "a", b"old")

    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        write_atomically(tmp_path / "a", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"old")]


def write_and_die(path: Path) -> None:
    """Write in another process that is killed before the file has its name."""
    process = os.fork()
    if not process:
        Path.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[method-assign, assignment, return-value]
        write_atomically(path, b"killed")
    os.waitpid(process, 0)


def test_what_a_killed_process_left_is_gone_after_the_next_write(tmp_path: Path) -> None:
    write_atomically(tmp_path / "a", b"old")
    write_and_die(tmp_path / "a")
    assert (tmp_path / "a").read_bytes() == b"old"
    write_atomically(tmp_path / "a", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"new")]


def test_a_folder_is_replaced_whole_or_not_at_all(tmp_path: Path) -> None:
    target = tmp_path / "in" / "folder"
    with replace_folder(target) as scratch:
        (scratch / "a").write_text("1")
    with pytest.raises(FileNotFoundError), replace_folder(target) as scratch:
        (scratch / "b").rename(scratch / "c")
    assert [path.name for path in target.iterdir()] == ["a"]
    with replace_folder(target) as scratch:
        (scratch / "b").write_text("2")
    assert [path.name for path in target.iterdir()] == ["b"]
    assert [path.name for path in target.parent.iterdir()] == ["folder"]
