"""One module per source: its description (`SOURCE`) and its parser (`parse`). Sources of one form may share a module (`PARSERS`).

A parser reads bytes and yields rows in the source's own words. Names, currencies and units are normalized
later, in one place for all sources. Nothing is registered: `discover` finds every module in the folders below.
"""

import datetime as dt
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Protocol, cast

from pipeline.schema import Record
from pipeline.schema.prices import Price
from sources.document import (
    Accepted,
    Document,
    Line,
    Parse,
    Rejected,
    UnparsableError,
    by_file_name,
    lines_of,
    part_locator,
    rows_of,
)  # fmt: skip

__all__ = [
    "Accepted", "Document", "Download", "Get", "Line", "Parse", "Parser", "Rejected", "Source", "UnparsableError", "by_file_name",
    "discover", "file_of", "lines_of", "part_locator", "rows_of",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Description of a source, a price list unless `kind` and `yields` state otherwise.

    `yields` names the record classes that its parser yields; `folder` is the folder of its snapshots below
    `data/`, `raw/<source_id>` by default.
    `limit_days` is the age from which a fetched source is stale; None marks a list that its publisher no longer changes.
    `daily_url` is the address of the list of one day, with `{day}` for the ISO date; `daily_from` is its first day.
    A source without them publishes only its current list.
    `republish` is True where `licence` allows everybody to publish the stored files; of others, pages show excerpts alone.
    `own_list_of` is the provider whose own price list this is, as `price.provider` names it; empty for a list of several
    providers by somebody else.
    """

    source_id: str
    title: str
    kind: str = "prices"
    yields: tuple[type[Record], ...] = (Price,)
    attribution: str
    url: str | None = None
    terms_url: str | None = None
    licence: str | None = None
    republish: bool = False
    automated_access: str = "not_applicable"
    parser_version: int = 1
    limit_days: int | None = 7
    folder: str = ""
    daily_from: dt.date | None = None
    daily_url: str = ""
    own_list_of: str = ""

    @property
    def stale_after_days(self) -> int | None:
        """Limit of a source that is fetched; None for a dated document, which is never refreshed."""
        return None if self.automated_access == "not_applicable" else self.limit_days

    @property
    def snapshot_folder(self) -> str:
        return self.folder or f"raw/{self.source_id}"


class Parser(Protocol):
    """Interface of a source module, and of each of the `PARSERS` of a module.

    `parse` may be made by a function such as `rows_of` for a file that is a table of one record.
    A module may also have `fetch(get: Get) -> Iterator[Download]`; without it, fetching is one GET of SOURCE.url.
    """

    SOURCE: Source

    def parse(self, document: Document) -> Iterator[Accepted | Rejected]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """One file to store: its name below the source's folder, its bytes, and the address and time of publication."""

    name: str
    raw: bytes
    url: str
    published_at: dt.datetime | None = None


class Get(Protocol):
    """Function that downloads one address with shared retries, limits and checks, and returns the body as bytes.

    The content type must contain `expect`; gzip is undone. Raises `pipeline.fetch.client.FetchError`.
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


def file_of(parser: Parser) -> Path:
    """Return the file of a source's module."""
    return Path(inspect.getfile(cast(ModuleType, inspect.getmodule(parser))))


@cache
def discover() -> dict[str, Parser]:
    """Return the parser of every source by source_id, sorted by source_id."""
    parsers: dict[str, Parser] = {}
    for info in pkgutil.walk_packages(__path__, prefix=f"{__name__}."):
        module = importlib.import_module(info.name)
        for parser in getattr(module, "PARSERS", [module] if hasattr(module, "SOURCE") else []):
            source_id = parser.SOURCE.source_id
            if source_id in parsers:
                raise ValueError(f"{info.name}: source_id {source_id!r} is used already; choose another one")
            parsers[source_id] = parser
    return dict(sorted(parsers.items()))
