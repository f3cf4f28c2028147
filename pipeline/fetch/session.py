"""Settings and connections that the fetches of several sources share."""

import datetime as dt
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from pipeline import paths
from pipeline.fetch.client import Web
from pipeline.fetch.snapshots import StoredFile
from sources import Parser


def _utc_now() -> dt.datetime:
    return dt.datetime.now(dt.UTC).replace(microsecond=0, tzinfo=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class FetchSession:
    """Settings of one session: terms, folders, clock, connections.

    `count_accepted` returns the number of rows of a file that a build would accept and raises BuildError where the
    file cannot be read. `accept_terms` names sources whose terms forbid automated access and were accepted by the
    user. `on_progress` receives a source_id and the number of bytes read so far. All times are naive UTC.
    """

    count_accepted: Callable[[Parser, StoredFile], int]
    data: Path = paths.DATA
    accept_terms: Collection[str] = ()
    web: Web = field(default_factory=lambda: Web(http=httpx.Client()))
    now: Callable[[], dt.datetime] = _utc_now
    on_progress: Callable[[str, int], None] = lambda _source, _bytes: None
