"""Folders of a build."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path


class _Below:
    """A file or folder at a place below the build folder."""

    def __init__(self, place: str) -> None:
        self._place = place

    def __get__(self, workspace: "Workspace", _owner: type) -> Path:
        return workspace.out / self._place


@dataclass(frozen=True, slots=True)
class Workspace:
    """Input and output folders of a build: the committed data, and the build folder, which may be deleted at any time.

    `as_of` overrides the reference date of a release; without it the latest observation counts. `accept_loss` names sources
    that may lose rows or snapshots.
    """

    data: Path
    out: Path
    as_of: dt.date | None = None
    accept_loss: frozenset[str] = frozenset()

    parsed = _Below("parsed")  # rows of every snapshot, cached by content hash
    site_cache = _Below("site-cache")  # chart pictures and compiled templates that later builds reuse
    last_release = _Below("current")  # the release that users see
    work = _Below("work")  # materialized assets of the build that are not published yet
    database = _Below("work/gpuledger.duckdb")  # the working database: every table, published or not
    source_rows = _Below("work/sources")  # one manifest per source: its snapshots and their parsed files
    records = _Below("work/assets")  # one record per materialized asset: versions of its result, its code and its inputs
    staged_data = _Below("work/data")  # data files of the next release, written by asset `database`
    staged_site = _Below("work/site")  # site of the next release, written by asset `site`
