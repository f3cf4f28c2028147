"""Download of paged lists: a list with missing rows is an error, and of a list that fails nothing is kept."""

import datetime as dt
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pipeline.errors import BuildError
from sources import Document, Download, Get, UnparsableError

MAX_PAGES = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """Description of a paged list: its address, the paths of rows and total in a response, and the next request.

    `total` is empty where the host does not state the number of rows; `following` alone then determines the last page.
    `following` returns the parameters of the next page, or None, from a response, its number (the first is 1), and the number of
    rows so far.
    """

    url: str
    name: str
    rows: tuple[str, ...]
    following: Callable[[dict[str, Any], int, int], dict[str, Any] | None]
    total: tuple[str, ...] = ()
    first: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    post: bool = False


def fetch_pages(get: Get, pages: Pages) -> Iterator[Download]:
    """Download every page as a document of its own, unchanged. Raises UnparsableError as `_each`."""
    for number, (raw, _) in enumerate(_each(get, pages), start=1):
        yield Download(name=f"{pages.name}-{number:03}.json", raw=raw, url=pages.url)


def fetch_joined(get: Get, pages: Pages) -> Iterator[Download]:
    """Download every page, as one document with the rows of all. Raises UnparsableError as `_each`."""
    (field_of_rows,) = pages.rows
    whole = {field_of_rows: [row for _, rows in _each(get, pages) for row in rows]}
    yield Download(name=f"{pages.name}.json", raw=json.dumps(whole, indent=1).encode(), url=pages.url)


def _each(get: Get, pages: Pages) -> Iterator[tuple[bytes, list[Any]]]:
    """Yield bytes and rows of every page.

    Raises UnparsableError where the pages do not end, one before the last is empty, or they have fewer rows than the host states.
    """
    asked: list[dict[str, Any]] = []
    parameters: dict[str, Any] | None = pages.first
    n_rows = 0
    while parameters is not None:
        if parameters in asked or len(asked) == MAX_PAGES:
            raise UnparsableError(f"{pages.url}: the pages do not end: one comes again, or there are more than {MAX_PAGES} pages")
        asked.append(parameters)
        request = {"body" if pages.post else "params": parameters}
        raw = get(pages.url, expect="json", headers=pages.headers, **request)
        page = Document(pages.url, raw, dt.date.min).json()
        rows = _part(pages.url, page, pages.rows)
        if not isinstance(rows, list):
            raise UnparsableError(f"{pages.url}: {'.'.join(pages.rows)} is not a list; the layout has changed")
        n_rows += len(rows)
        parameters = pages.following(page, len(asked), n_rows)
        if parameters is not None and not rows:
            raise UnparsableError(f"{pages.url}: an empty page in the middle of the list")
        yield raw, rows
    if pages.total and n_rows < (total := int(_part(pages.url, page, pages.total))):
        raise UnparsableError(f"{pages.url}: {n_rows} rows in {len(asked)} pages, but the host states {total}")


def read_token(variable: str, where: str) -> str:
    """Return the key of a host from an environment variable. Raises BuildError with the place to get one."""
    if not (value := os.environ.get(variable)):
        raise BuildError(f"set {variable} to fetch this source; {where}")
    return value


def _part(url: str, page: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if not isinstance(page, dict) or name not in page:
            raise UnparsableError(f"{url}: the response has no {'.'.join(path)}; it is an error or its layout has changed")
        page = page[name]
    return page
