"""How lists in pages are fetched: every page is kept as it came, and a list that lacks rows is an error, never a short list."""

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from pipeline.errors import BuildError
from pipeline.readers import RefusedError, strict_json
from pipeline.readers.text import decode_utf8
from sources import Download, Get, UnparsableError

MAX_PAGES = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Pages:
    """One list: where it is asked for, where in an answer its rows and their number stand, and what asks for the rest.

    `total` is empty where the host does not say how many there are; then the last page is known by `following` alone.
    `following` gives the parameters of the next page from an answer and its number (the first is 1), or None after the last.
    """

    url: str
    name: str
    rows: tuple[str, ...]
    following: Callable[[dict[str, Any], int], dict[str, Any] | None]
    total: tuple[str, ...] = ()
    first: dict[str, Any] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    post: bool = False


def fetch_pages(get: Get, pages: Pages) -> Iterator[Download]:
    """One download for each page. Raises UnparsableError where the pages hold fewer rows than the host says there are."""
    asked: dict[str, Any] | None = pages.first
    number = found = 0
    while asked is not None:
        number += 1
        if number > MAX_PAGES:
            raise UnparsableError(f"{pages.url}: more than {MAX_PAGES} pages; the paging has changed")
        raw = _get(get, pages, asked)
        page = answer(pages.url, raw)
        rows = _part(pages.url, page, pages.rows)
        found += len(rows)
        yield Download(name=f"{pages.name}-{number:03}.json", raw=raw, url=pages.url)
        asked = pages.following(page, number)
    if pages.total and found < (total := int(_part(pages.url, page, pages.total))):
        raise UnparsableError(f"{pages.url}: {found} rows in {number} pages, but the host speaks of {total}")


def token(variable: str, where: str) -> str:
    """The key to a host from the environment. Raises BuildError that says where to get one."""
    if not (value := os.environ.get(variable)):
        raise BuildError(f"set {variable} to fetch this source; {where}")
    return value


def _get(get: Get, pages: Pages, asked: dict[str, Any]) -> bytes:
    if pages.post:
        return get(pages.url, expect="json", headers=pages.headers, body=asked)
    return get(pages.url, expect="json", headers=pages.headers, params=asked)


def answer(url: str, raw: bytes) -> dict[str, Any]:
    """The body of an answer as an object, for what only paging needs; rows are read by the parser."""
    try:
        found = strict_json.parse_json(decode_utf8(raw))
    except RefusedError as refused:
        raise UnparsableError(f"{url}: no JSON ({refused.reason})") from None
    if not isinstance(found, dict):
        raise UnparsableError(f"{url}: the answer is no JSON object")
    return found


def _part(url: str, page: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if not isinstance(page, dict) or name not in page:
            raise UnparsableError(f"{url}: the answer has no {'.'.join(path)}; it is an error or its form has changed")
        page = page[name]
    return page
