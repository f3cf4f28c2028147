"""The lock on a folder: one build, fetch or publication at a time in a build folder. Ingests and `aggregate` lock their own."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


class BuildLockedError(Exception):
    """Another process is working in the same folder. The command line ends with its message."""


@contextmanager
def hold(folder: Path, wait: Callable[[str], object] | None = None) -> Iterator[None]:
    """Hold the folder's lock; a second call in the same process joins the first. The lock ends with the process.

    If another process holds it: call `wait` with its process id and wait for its end; without `wait` raise BuildLockedError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = (folder / "build.lock").resolve()
    lock = FileLock(path, is_singleton=True, thread_local=False, preserve_lock_file=True, on_acquired=_write_process_id)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if wait is None:
            raise BuildLockedError(
                f"another build (process {_holder(path)}) is at work in {path.parent}; wait for it to end, then try again"
            ) from None
        wait(_holder(path))
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _write_process_id(descriptor: int) -> None:
    os.ftruncate(descriptor, 0)
    os.pwrite(descriptor, str(os.getpid()).encode(), 0)


def _holder(path: Path) -> str:
    return path.read_text() or "unknown"
