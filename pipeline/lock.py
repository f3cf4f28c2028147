"""One build at a time: a file lock that a process holds while it works in a build folder."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pipeline.errors import BuildError

_held: set[Path] = set()


class BuildLockedError(BuildError):
    """Another process is building into the same folder."""


@contextmanager
def hold(folder: Path) -> Iterator[None]:
    """Hold the folder's lock; a second call in the same process joins the first.

    Raises BuildLockedError at once where another process holds it. The lock ends with the process.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = (folder / "build.lock").resolve()
    if path in _held:
        yield
        return
    with path.open("a+") as file:
        _take(file.fileno(), path)
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        _held.add(path)
        try:
            yield
        finally:
            _held.discard(path)


def _take(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        holder = path.read_text() or "unknown"
        message = f"another build (process {holder}) is at work in {path.parent}; wait for it to end, then try again"
        raise BuildLockedError(message) from None
