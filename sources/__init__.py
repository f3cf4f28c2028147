"""One module per source: what it is (`SOURCE`) and how its bytes become rows (`parse`).

A module reads bytes and yields rows in the source's own words. Names, currencies and units are harmonised
later, in one place for all sources. Nothing is registered: `discover` finds every module in the folders below.
"""

import datetime as dt
import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from pipeline.schema import Record
from sources.document import Accepted, Document, Rejected, UnparsableError

__all__ = ["Accepted", "Document", "Download", "Get", "Parser", "Rejected", "Source", "UnparsableError", "discover"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What a source is.

    `yields` names the record classes that its parser gives; `folder` is the place of its snapshots below
    `data/`, `raw/<source_id>` by default.
    `stale_after_days` None marks a dated document that is never refreshed.
    """

    source_id: str
    title: str
    kind: str
    yields: tuple[type[Record], ...]
    attribution: str
    url: str | None = None
    terms_url: str | None = None
    licence: str | None = None
    automated_access: str = "not_applicable"
    parser_version: int = 1
    stale_after_days: int | None = 7
    folder: str = ""

    @property
    def snapshot_folder(self) -> str:
        return self.folder or f"raw/{self.source_id}"


class Parser(Protocol):
    """What every module below this package offers.

    A module may also have `fetch(get: Get) -> Iterator[Download]`; without it, fetching is one GET of SOURCE.url.
    """

    SOURCE: Source

    def parse(self, document: Document) -> Iterator[Accepted | Rejected]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """One file to store: its name below the source's folder, its bytes, and where and when they were published."""

    name: str
    raw: bytes
    url: str
    published_at: dt.datetime | None = None


class Get(Protocol):
    """Fetches one address with the retries, limits and checks that all sources share; returns the body as bytes.

    `expect` is what the content type must contain; gzip is undone. Raises `pipeline.fetch.refresh.FetchError`.
    """

    def __call__(
        self,
        url: str,
        *,
        expect: str,
        params: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        body: object = None,
    ) -> bytes: ...


@cache
def discover() -> dict[str, Parser]:
    """Every source module by source_id, in the order of their names."""
    found: dict[str, Parser] = {}
    for info in pkgutil.walk_packages(__path__, prefix=f"{__name__}."):
        module = importlib.import_module(info.name)
        if not hasattr(module, "SOURCE"):
            continue
        source_id = module.SOURCE.source_id
        if source_id in found:
            raise ValueError(f"{info.name}: source_id {source_id!r} is taken; give the module another one")
        found[source_id] = module
    return dict(sorted(found.items()))
