"""The folder that the sensor looks at: files laid into data/uploads/inbox/ are ingested when their writer is done.

A folder in it is one upload of several files; a file that lies there alone is an upload of its own.
"""

import time
from collections.abc import Iterator
from pathlib import Path

from pipeline.uploads import precheck
from pipeline.uploads.ingest import Group, Outcome, groups, ingest, one_at_a_time
from pipeline.uploads.store import FOLDER, Store

QUIET_S = 30.0
_TO_TRY_AGAIN = ("UNREADABLE", "TRUNCATED")  # of a file that was not read whole: it stays


def folder(data: Path) -> Path:
    """The inbox of a data folder."""
    return data / FOLDER / "inbox"


def pending(inbox: Path, now: float | None = None) -> list[Group]:
    """What can be read now: all of a group's files have a marker NAME.done, or have not changed for half a minute."""
    if not inbox.is_dir():
        return []
    at = time.time() if now is None else now
    found = groups([inbox], inbox)
    return [group for group in found if all(precheck.is_settled(path, at, QUIET_S) for path in group.files)]


def drain(data: Path) -> Iterator[Outcome]:
    """Ingest what is pending below the data folder, and take each file out of the inbox when it is judged.

    Waits while another process ingests: what is pending is what that one leaves.
    """
    with one_at_a_time(data):
        for outcome in ingest(data, pending(folder(data))):
            if outcome.kept or outcome.code not in _TO_TRY_AGAIN:
                _take_out(outcome, Store(data))
            yield outcome


def _take_out(outcome: Outcome, store: Store) -> None:
    """Nothing of a regular file is lost: what is not stored moves to the quarantine; what changed meanwhile waits."""
    file = outcome.file
    if not file.is_symlink() and not precheck.is_settled(file, time.time(), QUIET_S):
        return
    if not outcome.kept and file.is_file() and not file.is_symlink():
        store.set_aside(file)
    file.unlink(missing_ok=True)
    precheck.marker(file).unlink(missing_ok=True)
