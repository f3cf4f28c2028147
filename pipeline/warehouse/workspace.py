"""The folders of a build, and what its steps keep for one another."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from pipeline.warehouse import publish

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Workspace:
    """Where a build reads and writes: the committed data, and the build folder that may be deleted at any time.

    `site` says whether the run builds it too. `kept` is what was read of the sources: every step of a run sees the same bytes.
    Make a new one for each run.
    """

    data: Path
    out: Path
    as_of: dt.date | None = None
    site: bool = True
    kept: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    def once(self, key: str, make: Callable[[], T]) -> T:
        """What is kept under the key; made the first time."""
        if key not in self.kept:
            self.kept[key] = make()
        found: T = self.kept[key]
        return found

    def take_over(self, kept: dict[str, Any]) -> None:
        """Keep what another process has read."""
        self.kept.update(kept)

    @property
    def working(self) -> Path:
        return self.out / "work" / publish.DATABASE

    @property
    def release(self) -> Path:
        return self.out / "work" / "release"

    @property
    def site_cache(self) -> Path:
        return self.out / "site_cache"

    @property
    def parsed(self) -> Path:
        return self.out / "parsed"
