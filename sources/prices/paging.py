"""Download of paged lists: each page is stored unchanged, and a list with missing rows is an error."""

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
    """Description of a paged list: its address, the paths of rows and total in a response, and the next request.

    `total` is empty where the host does not state the number of rows; `following` alone then determines the last page.
    `following` returns the parameters of the next page from a response and its number (the first is 1), or None.
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
    """Download every page. Raises UnparsableError where the pages contain fewer rows than the host states."""
    parameters: dict[str, Any] | None = pages.first
    number = n_rows = 0
    while parameters is not None:
        number += 1
        if number > MAX_PAGES:
            raise UnparsableError(f"{pages.url}: more than {MAX_PAGES} pages; the paging has changed")
        raw = _get_page(get, pages, parameters)
        page = parse_object(pages.url, raw)
        rows = _part(pages.url, page, pages.rows)
        n_rows += len(rows)
        yield Download(name=f"{pages.name}-{number:03}.json", raw=raw, url=pages.url)
        parameters = pages.following(page, number)
    if pages.total and n_rows < (total := int(_part(pages.url, page, pages.total))):
        raise UnparsableError(f"{pages.url}: {n_rows} rows in {number} pages, but the host states {total}")


def read_token(variable: str, where: str) -> str:
    """Return the key of a host from an environment variable. Raises BuildError with the place to get one."""
    if not (value := os.environ.get(variable)):
        raise BuildError(f"set {variable} to fetch this source; {where}")
    return value


def _get_page(get: Get, pages: Pages, parameters: dict[str, Any]) -> bytes:
    if pages.post:
        return get(pages.url, expect="json", headers=pages.headers, body=parameters)
    return get(pages.url, expect="json", headers=pages.headers, params=parameters)


def parse_object(url: str, raw: bytes) -> dict[str, Any]:
    """Parse a response as a JSON object for paging; its rows are read by the parser."""
    try:
        content = strict_json.parse_json(decode_utf8(raw))
    except RefusedError as refused:
        raise UnparsableError(f"{url}: not JSON ({refused.reason})") from None
    if not isinstance(content, dict):
        raise UnparsableError(f"{url}: the response is not a JSON object")
    return content


def _part(url: str, page: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if not isinstance(page, dict) or name not in page:
            raise UnparsableError(f"{url}: the response has no {'.'.join(path)}; it is an error or its layout has changed")
        page = page[name]
    return page
