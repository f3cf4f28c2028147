"""Checks of one HTTP response: status, redirects, content type, gzip and error pages.

Pure functions over one response; each raises ResponseError. Retries and waits belong in `client`.
A message never contains a query string, because keys travel there.
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
TRY_LATER = "try again later"
UPDATE_URL = "if the source has moved, change its url in sources/"
CHECK_ADDRESS = "open the address to see its response now; the module in sources/ may need a change"


class ResponseError(Exception):
    """One failed attempt. `retryable`: another attempt may succeed; `retry_after`: seconds that the host asks to wait."""

    def __init__(self, message: str, hint: str = CHECK_ADDRESS, *, retryable: bool = False, retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.message, self.hint, self.retryable, self.retry_after = message, hint, retryable, retry_after


def check_status(response: httpx.Response) -> None:
    """Raise ResponseError unless the status is 200."""
    status = response.status_code
    if status == 200:
        return
    message = f"status {status} {response.reason_phrase[:60]}".rstrip()
    if status in _TRANSIENT:
        longest = max(_parse_seconds(response.headers.get(name, "")) for name in _WAIT_HEADERS)
        raise ResponseError(message, TRY_LATER, retryable=True, retry_after=longest)
    if status in (401, 403):
        raise ResponseError(message, "the host requires a key or refuses programs; see the source's terms")
    raise ResponseError(message)


def _parse_seconds(text: str) -> float:
    """Return the wait in seconds that a header asks for; 0 without a readable one."""
    if re.fullmatch(r"\s*\d{1,9}(\.\d{1,6})?\s*", text):
        return float(text)
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return 0.0
    moment = moment if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    return max(0.0, (moment - dt.datetime.now(dt.UTC)).total_seconds())


def next_hop(response: httpx.Response, url: httpx.URL) -> httpx.URL:
    """Return the target of a redirect, which must stay on the same host and must not drop https."""
    try:
        target = url.join(response.headers["location"])
    except httpx.InvalidURL:
        raise ResponseError("redirect to an invalid address") from None
    if _LOGIN.search(target.path) or _LOGIN.search(target.host):
        message = f"redirect to a login page, {redact_url(target)}"
        raise ResponseError(message, "the page is no longer public, or try later", retryable=True)
    if target.host != url.host:
        raise ResponseError(f"redirect to another host, {target.host}", UPDATE_URL)
    if url.scheme == "https" and target.scheme != "https":
        raise ResponseError("redirect from https to an unprotected address")
    return target


def check_same_host(url: httpx.URL, home: httpx.URL) -> None:
    """Refuse an address off the source's own host or https: it may have been read from a response."""
    if url.host != home.host:
        raise ResponseError(f"an address on another host than the source's, {home.host}", UPDATE_URL)
    if home.scheme == "https" and url.scheme != "https":
        raise ResponseError("an unprotected address where the source's own is https", UPDATE_URL)


def check_type(response: httpx.Response, expect: str) -> None:
    """Refuse a response whose content type does not contain `expect`."""
    content_type = response.headers.get("content-type", "")
    if expect.lower() not in content_type.lower():
        raise ResponseError(f"content type {content_type[:80]!r} where {expect} is expected", retryable=True)


def check_body(body: bytes, expect: str) -> None:
    """Refuse an empty body, and an HTML error page where data is expected."""
    if not body.strip():
        raise ResponseError("empty response", retryable=True)
    if "html" not in expect.lower() and _is_html(body):
        raise ResponseError(f"an HTML page with status 200 where {expect or 'data'} is expected", retryable=True)


def _is_html(body: bytes) -> bool:
    head = body[:4096].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"<?xml"):
        head = head.partition(b"?>")[2].lstrip()
    while head.startswith(b"<!--"):
        head = head.partition(b"-->")[2].lstrip()
    return head.lower().startswith(_HTML)


def decompress(raw: bytes, response: httpx.Response, max_bytes: int) -> bytes:
    """Undo gzip, declared or not: some hosts send stored gzip without declaring it."""
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip", "x-gzip"):
        raise ResponseError(f"content encoding {encoding[:40]!r}, which was not requested", retryable=True)
    if encoding.endswith("gzip") and not raw.startswith(_GZIP):
        raise ResponseError("broken gzip (no gzip at all)", TRY_LATER, retryable=True)
    for _ in range(2):
        if not raw.startswith(_GZIP):
            break
        raw = b"".join(_gunzip_members(raw, max_bytes))
    return raw


def _gunzip_members(raw: bytes, max_bytes: int) -> Iterator[bytes]:
    """Yield each member of a gzip file, at most `max_bytes` in total, because a small file may unpack to a huge one."""
    bytes_left = max_bytes
    for _ in range(_MAX_MEMBERS):
        if not raw:
            return
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            content = member.decompress(raw, bytes_left + 1)
        except zlib.error:
            raise ResponseError("broken gzip", TRY_LATER, retryable=True) from None
        bytes_left -= len(content)
        if bytes_left < 0:
            raise too_large_error(max_bytes)
        if not member.eof:
            raise ResponseError("broken gzip (it ends too early)", TRY_LATER, retryable=True)
        yield content
        raw = member.unused_data
    raise ResponseError(f"gzip in more than {_MAX_MEMBERS} parts")


def too_large_error(max_bytes: int) -> ResponseError:
    """Return the error for a body above the size limit."""
    return ResponseError(f"more than {max_bytes:,} bytes")


def redact_url(url: httpx.URL) -> str:
    """Format an address without user, password and query, any of which may contain a key."""
    port = f":{url.port}" if url.port else ""
    return f"{url.scheme}://{url.host}{port}{url.path}" + ("?…" if url.query else "")
