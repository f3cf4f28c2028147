"""One process at a time in a folder: a file lock that a build, a fetch or an ingest holds while it works there."""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import BuildError

_held: set[Path] = set()


class BuildLockedError(BuildError):
    """Another process is building into the same folder."""


@contextmanager
def hold(folder: Path, wait: Callable[[str], object] | None = None) -> Iterator[None]:
    """Hold the folder's lock; a second call in the same process joins the first. The lock ends with the process.

    Where another process holds it: tells `wait` its number and waits for its end; without `wait` raises BuildLockedError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = (folder / "build.lock").resolve()
    if path in _held:
        yield
        return
    with path.open("a+") as file:
        _take(file.fileno(), path, wait)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        _held.add(path)
        try:
            yield
        finally:
            _held.discard(path)


def _take(descriptor: int, path: Path, wait: Callable[[str], object] | None) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = path.read_text() or "unknown"
        if wait:
            wait(holder)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            return
        message = f"another build (process {holder}) is at work in {path.parent}; wait for it to end, then try again"
        raise BuildLockedError(message) from None
