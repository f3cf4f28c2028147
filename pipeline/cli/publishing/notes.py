"""Notes of a release: the sentences that the changes page and the feed have of it, for the page of a release on GitHub."""

import textwrap
from pathlib import Path

from pipeline.files import write_atomically
from pipeline.release.publish import DATABASE
from pipeline.website.pages.changes import feeds
from pipeline.website.writing.database import Database

NAME = "release-notes.md"
LENGTH = 10_000  # characters; GitHub refuses more than 125,000
_NEWEST = "SELECT * FROM release_history ORDER BY number DESC LIMIT 1"


def write(release: Path, folder: Path) -> None:
    """Write the notes of the newest release into the folder. Names that do not fit are left out at the end."""
    with Database(release / DATABASE) as data:
        (row,) = data.rows(_NEWEST)
    text = textwrap.shorten(" ".join(feeds.summary(row)), LENGTH, placeholder=" ...")
    write_atomically(folder / NAME, f"{text}\n".encode())
