"""A fetcher for tests of `fetch`: one fake source, its data folder, and a host that answers as the test says."""

import datetime as dt
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from pipeline.fetch import snapshots
from pipeline.fetch.client import Limits, Web
from pipeline.fetch.refresh import Outcome, Status, fetch_source
from pipeline.fetch.session import FetchSession
from pipeline.fetch.snapshots import StoredFile
from pipeline.prices.file_rows import read_file
from pipeline.schema.guides import GuideRun
from pipeline.warehouse.workspace import Workspace
from sources import Accepted, Document, Download, Get, Parser, Rejected, Source, UnparsableError
from tests.unit.fetch.misbehaving_host import Answer, Host

LIMITS = Limits(timeout_s=1.0, deadline_s=1.2, interval_s=0.0, max_bytes=300_000)
DAY = dt.datetime(2026, 11, 20, 12, 0, 0)


@dataclass
class Module:
    """A source module; reads what `misbehaving.table` makes."""

    SOURCE: Source

    def parse(self, document: Document) -> Iterator[Accepted | Rejected]:
        listing = document.json()
        if not isinstance(listing, dict) or "items" not in listing:
            raise document.error(1, "no `items`; the layout has changed")
        for locator, item in document.rows(listing["items"]):
            yield _read(document, locator, item)


def _read(document: Document, locator: str, item: dict[str, Any]) -> Accepted | Rejected:
    if "seconds" not in item:
        raise UnparsableError(f"{document.path} {locator}: no `seconds`; the layout has changed")
    if not isinstance(item["seconds"], float):
        return Rejected(locator, json.dumps(item), "PARSE", "seconds is no number")
    return Accepted(locator, GuideRun(machine=item["gpu"], task="t", status="ok", seconds=item["seconds"]))


class Paged(Module):
    """A source of two files with one address each."""

    def fetch(self, get: Get) -> Iterator[Download]:
        for name in ("east.json", "west.json"):
            url = f"{self.SOURCE.url}/{name}"
            yield Download(name=name, raw=get(url, expect="json"), url=url)


class Broken(Module):
    def fetch(self, get: Get) -> Iterator[Download]:
        get(f"{self.SOURCE.url}/first", expect="json")
        raise KeyError("nextPage")


@dataclass
class Fetcher:
    """One fake source, its data folder, its host, and the sleeps that were asked for."""

    host: Host
    data: Path
    module: Module
    slept: list[float] = field(default_factory=list)
    now: dt.datetime = DAY
    limits: Limits = LIMITS

    accept_terms: tuple[str, ...] = ()

    @property
    def session(self) -> FetchSession:
        web = Web(http=httpx.Client(trust_env=False), limits=self.limits, sleep=self.slept.append)
        return FetchSession(
            count_accepted=self.count_accepted,
            web=web,
            data=self.data,
            now=lambda: self.now,
            accept_terms=self.accept_terms,
        )

    def count_accepted(self, parser: Parser, file: StoredFile) -> int:
        return read_file(parser, file, Workspace(self.data, self.data / "build")).rows_accepted

    def fetch(self, *answers: Answer, day: dt.date | None = None) -> Outcome:
        self.host.says(*answers)
        return fetch_source(self.module, self.session, day)

    def stored(self) -> list[Path]:
        return [self.data.parent / file.path for file in snapshots.stored_files(self.module.SOURCE, self.data)]

    def fails(self, *answers: Answer, day: dt.date | None = None) -> str:
        """The reason of a fetch that fails and leaves everything that was stored as it was."""
        before = tree(self.data)
        outcome = self.fetch(*answers, day=day)
        assert (outcome.status, outcome.files) == (Status.failed, ())
        assert tree(self.data) == before
        assert outcome.reason.startswith("fake: ")
        assert "\n" not in outcome.reason
        return outcome.reason


def tree(data: Path) -> dict[str, bytes]:
    outside_build = (p for p in data.rglob("*") if p.is_file() and data / "build" not in p.parents)
    return {str(p.relative_to(data)): p.read_bytes() for p in outside_build}
