"""Folders of a build."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path


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

    @property
    def parsed(self) -> Path:
        """Parsed rows of every snapshot, cached by content hash."""
        return self.out / "parsed"

    @property
    def work(self) -> Path:
        """Materialized assets of the build that are not published yet."""
        return self.out / "work"

    @property
    def database(self) -> Path:
        """The working database: every table, published or not."""
        return self.work / "gpuledger.duckdb"

    @property
    def source_rows(self) -> Path:
        """One manifest per source: its snapshots and their parsed files."""
        return self.work / "sources"

    @property
    def records(self) -> Path:
        """One record per materialized asset: the versions of its result, its code and its inputs."""
        return self.work / "assets"

    @property
    def last_release(self) -> Path:
        """The release that users see."""
        return self.out / "current"

    @property
    def staged_data(self) -> Path:
        """Data files of the next release, written by asset `database`."""
        return self.work / "data"

    @property
    def staged_site(self) -> Path:
        """Site of the next release, written by asset `site`."""
        return self.work / "site"

    @property
    def site_cache(self) -> Path:
        """Chart pictures and compiled templates that later builds reuse."""
        return self.out / "site-cache"
