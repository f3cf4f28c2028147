"""Whether a host's answer is what was asked for: status, redirects, content type, gzip, error pages.

Pure functions over one response; each raises AnswerError. When to ask again is decided in `client`.
A message never holds a query string: keys travel there.
"""

import datetime as dt
import email.utils
import re
import zlib
from collections.abc import Iterator

import httpx

_WAIT_HEADERS = ("retry-after", "x-ms-ratelimit-retailprices-retry-after")
_TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
_LOGIN = re.compile(r"(?<![a-z])(log-?in|sign-?in|sso|auth|oauth2?)(?![a-z])", re.IGNORECASE)
_HTML = (b"<!doctype html", b"<html", b"<head")
_GZIP = b"\x1f\x8b\x08"
_MAX_MEMBERS = 64
LATER = "try again later"
MOVED = "if the source has moved, change its url in sources/"
LOOK = "open the address and see what it answers now; the module in sources/ may need a change"


class AnswerError(Exception):
    """One attempt that failed. `again` = another may succeed; `wait` = seconds that the host asks for."""

    def __init__(self, what: str, todo: str = LOOK, *, again: bool = False, wait: float = 0.0) -> None:
        super().__init__(what)
        self.what, self.todo, self.again, self.wait = what, todo, again, wait


def check_status(response: httpx.Response) -> None:
    status = response.status_code
    if status == 200:
        return
    what = f"status {status} {response.reason_phrase[:60]}".rstrip()
    if status in _TRANSIENT:
        raise AnswerError(what, LATER, again=True, wait=_asked_wait(response.headers))
    if status in (401, 403):
        raise AnswerError(what, "the host wants a key or refuses programs; see the source's terms")
    raise AnswerError(what)


def _asked_wait(headers: httpx.Headers) -> float:
    """Seconds that the host asks to wait, the longest where it says so twice; 0 where it says nothing readable."""
    return max(_seconds(headers.get(name, "")) for name in _WAIT_HEADERS)


def _seconds(text: str) -> float:
    if re.fullmatch(r"\s*\d{1,9}(\.\d{1,6})?\s*", text):
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    return max(0.0, (moment - dt.datetime.now(dt.UTC)).total_seconds())


def next_hop(response: httpx.Response, url: httpx.URL) -> httpx.URL:
    """Where a redirect leads, if that is still the same host over a connection that is no less safe."""
    try:
        target = url.join(response.headers["location"])
    except httpx.InvalidURL:
        raise AnswerError("redirect to no valid address") from None
    if _LOGIN.search(target.path) or _LOGIN.search(target.host):
        raise AnswerError(f"redirect to a login page, {shown(target)}", "the page is no longer public, or try later", again=True)
    if target.host != url.host:
        raise AnswerError(f"redirect to another host, {target.host}", MOVED)
    if url.scheme == "https" and target.scheme != "https":
        raise AnswerError("redirect from https to an unprotected address")
    return target


def check_home(url: httpx.URL, home: httpx.URL) -> None:
    """Whether an address, which may come out of an answer, is on the source's own host over a connection that is no less safe."""
    if url.host != home.host:
        raise AnswerError(f"an address on another host than the source's, {home.host}", MOVED)
    if home.scheme == "https" and url.scheme != "https":
        raise AnswerError("an unprotected address where the source's own is https", MOVED)


def check_type(response: httpx.Response, expect: str) -> None:
    found = response.headers.get("content-type", "")
    if expect.lower() not in found.lower():
        raise AnswerError(f"content type {found[:80]!r} where {expect} is expected", again=True)


def check_body(body: bytes, expect: str) -> None:
    if not body.strip():
        raise AnswerError("empty answer", again=True)
    if "html" not in expect.lower() and _is_html(body):
        raise AnswerError(f"an HTML page with status 200 where {expect or 'data'} is expected", again=True)


def _is_html(body: bytes) -> bool:
    head = body[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"<?xml"):
        head = head.partition(b"?>")[2].lstrip()
    while head.startswith(b"<!--"):
        head = head.partition(b"-->")[2].lstrip()
    return head.lower().startswith(_HTML)


def unpacked(raw: bytes, response: httpx.Response, max_bytes: int) -> bytes:
    """The body without gzip, declared or not: some hosts send stored gzip without saying so."""
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise AnswerError(f"content encoding {encoding[:40]!r}, which was not asked for", again=True)
    if encoding.endswith("gzip") and not raw.startswith(_GZIP):
        raise AnswerError("broken gzip (no gzip at all)", LATER, again=True)
    for _ in range(2):
        if not raw.startswith(_GZIP):
            break
        raw = b"".join(_inflated(raw, max_bytes))
    return raw


def _inflated(raw: bytes, max_bytes: int) -> Iterator[bytes]:
    """Each member of a gzip file, never more than `max_bytes` in all: a small file may hold a huge one."""
    room = max_bytes
    for _ in range(_MAX_MEMBERS):
        if not raw:
            return
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            text = member.decompress(raw, room + 1)
        except zlib.error:
            raise AnswerError("broken gzip", LATER, again=True) from None
        room -= len(text)
        if room < 0:
            raise too_big(max_bytes)
        if not member.eof:
            raise AnswerError("broken gzip (it ends too early)", LATER, again=True)
        yield text
        raw = member.unused_data
    raise AnswerError(f"gzip in more than {_MAX_MEMBERS} parts")


def too_big(max_bytes: int) -> AnswerError:
    return AnswerError(f"more than {max_bytes:,} bytes")


def shown(url: httpx.URL) -> str:
    """An address without user, password and query, any of which may hold a key."""
    port = f":{url.port}" if url.port else ""
    return f"{url.scheme}://{url.host}{port}{url.path}" + ("?…" if url.query else "")
