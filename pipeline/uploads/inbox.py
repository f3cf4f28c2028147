"""The folder that the sensor watches: a file in data/uploads/inbox/ is ingested as soon as its writer is done.

A folder in it is one upload of several files; a file directly in it is an upload of its own.
"""

import time
from collections.abc import Iterator
from pathlib import Path

from pipeline.uploads import precheck
from pipeline.uploads.ingest import Group, Outcome, group_files, ingest, one_at_a_time
from pipeline.uploads.store import FOLDER, Store

QUIET_S = 30.0
_RETRIED_CODES = ("UNREADABLE", "TRUNCATED")  # the file was not read whole and stays in the inbox


def folder(data: Path) -> Path:
    """The inbox of a data folder."""
    return data / FOLDER / "inbox"


def pending(inbox: Path) -> list[Group]:
    """Groups whose files all have a marker NAME.done or have not changed for QUIET_S seconds."""
    if not inbox.is_dir():
        return []
    at = time.time()
    return [group for group in group_files([inbox], inbox) if all(precheck.is_settled(path, at, QUIET_S) for path in group.files)]


def drain(data: Path) -> Iterator[Outcome]:
    """Ingest the pending files of the data folder, and remove each from the inbox afterwards.

    Waits while another process ingests, and then takes the files that are left.
    """
    with one_at_a_time(data):
        for outcome in ingest(data, pending(folder(data))):
            if outcome.is_stored or outcome.code not in _RETRIED_CODES:
                _remove(outcome, Store(data))
            yield outcome


def _remove(outcome: Outcome, store: Store) -> None:
    """Remove a file from the inbox. A regular file that is not stored moves to the quarantine; one that changed stays."""
    file = outcome.file
    if not file.is_symlink() and not precheck.is_settled(file, time.time(), QUIET_S):
        return
    if not outcome.is_stored and file.is_file() and not file.is_symlink():
        store.set_aside(file)
    file.unlink(missing_ok=True)
    precheck.marker(file).unlink(missing_ok=True)
