"""HTTP client that all sources share: rate limit per host, retries, time-outs and size limits.

Checks of a response belong in `http_responses`, the requests of a source in its module, and storing in `refresh`.
"""

import errno
import hashlib
import random
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field

import httpx

from pipeline.errors import BuildError
from pipeline.fetch.http_responses import (
    CHECK_ADDRESS,
    TRY_LATER,
    ResponseError,
    check_body,
    check_same_host,
    check_status,
    check_type,
    decompress,
    next_hop,
    redact_url,
    too_large_error,
)

USER_AGENT = "gpuledger/0.1 (GPU price history; conditional requests; one request at a time)"
MAX_REDIRECTS = 5
Validators = dict[str, str | None]  # etag and last_modified of a body, for a conditional request later


class FetchError(BuildError):
    """A failed download; the message names the source, the address, the problem and the next step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one request and of its retries, in seconds and bytes."""

    attempts: int = 4
    timeout_s: float = 30.0
    deadline_s: float = 600.0
    backoff_s: float = 1.0
    max_wait_s: float = 120.0
    interval_s: float = 0.5
    max_bytes: int = 512 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """Connections, limits and clock that the sources of one session share, and the time of the last request per host."""

    http: httpx.Client
    limits: Limits = field(default_factory=Limits)
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    last_request: dict[str, float] = field(default_factory=dict)

    def wait_for_turn(self, host: str) -> None:
        """Sleep until the minimum interval since the last request to the host is over."""
        due = self.last_request.get(host, -self.limits.interval_s) + self.limits.interval_s
        if (pause := due - self.clock()) > 0:
            self.sleep(pause)
        self.last_request[host] = self.clock()


@dataclass(frozen=True, slots=True)
class StoredBody:
    """A body that is stored already: its validators, and a function that reads it."""

    validators: Validators
    read: Callable[[], bytes]

    @property
    def headers(self) -> dict[str, str]:
        """Headers of a conditional request."""
        headers = {"If-None-Match": self.validators["etag"], "If-Modified-Since": self.validators["last_modified"]}
        return {name: value for name, value in headers.items() if value}


@dataclass(frozen=True, slots=True)
class _Request:
    url: httpx.URL
    expect: str
    headers: dict[str, str]
    body: object
    stored: StoredBody | None


@dataclass(slots=True)
class Client:
    """`sources.Get` for one source.

    `home` is the source's own address: requests to other hosts are refused, also where a response links to one.
    `stored` maps an address to its stored body, `on_progress` receives the number of bytes read so far.
    `validators` collects the validators of each returned body by its sha256.
    """

    source_id: str
    web: Web
    home: str | None = None
    stored: Mapping[str, StoredBody] = field(default_factory=dict)
    on_progress: Callable[[int], None] = lambda _bytes: None
    validators: dict[str, Validators] = field(default_factory=dict)

    def __call__(
        self,
        url: str,
        *,
        expect: str,
        params: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        body: object = None,
    ) -> bytes:
        is_plain = params is None and headers is None and body is None
        try:
            target = httpx.URL(url).copy_merge_params(params) if params else httpx.URL(url)
        except httpx.InvalidURL as error:
            raise FetchError(f"{self.source_id}: invalid address ({error}); {CHECK_ADDRESS}") from None
        stored = self.stored.get(url) if is_plain else None
        return self._send_with_retries(_Request(target, expect, headers or {}, body, stored))

    def _send_with_retries(self, request: _Request) -> bytes:
        limits = self.web.limits
        for attempt in range(1, limits.attempts + 1):
            try:
                if self.home:
                    check_same_host(request.url, httpx.URL(self.home))
                return self._follow_redirects(request)
            except ResponseError as error:
                if not error.retryable or attempt == limits.attempts or error.retry_after > limits.max_wait_s:
                    raise self._fetch_error(request, error, attempt) from None
                self.web.sleep(max(error.retry_after, _backoff(attempt, limits)))
        raise AssertionError("Limits.attempts is below 1")

    def _fetch_error(self, request: _Request, error: ResponseError, attempt: int) -> FetchError:
        attempts = f" ({attempt} attempts)" if attempt > 1 else ""
        wait = f" and asks to wait {error.retry_after:g} s" if error.retry_after > self.web.limits.max_wait_s else ""
        return FetchError(f"{self.source_id}: {redact_url(request.url)}: {error.message}{wait}{attempts}; {error.hint}")

    def _follow_redirects(self, request: _Request) -> bytes:
        url = request.url
        for _ in range(MAX_REDIRECTS):
            result = self._send(request, url)
            if isinstance(result, bytes):
                return result
            url = result
        raise ResponseError(f"more than {MAX_REDIRECTS} redirects")

    def _send(self, request: _Request, url: httpx.URL) -> bytes | httpx.URL:
        """Send one request; return the body, or the target of a redirect."""
        self.web.wait_for_turn(url.host)
        deadline = self.web.clock() + self.web.limits.deadline_s
        try:
            with closing(self.web.http.send(self._build(request, url), stream=True, follow_redirects=False)) as response:
                if response.has_redirect_location and request.body is None:
                    return next_hop(response, url)
                return self._read(response, request, deadline)
        except httpx.TimeoutException as error:
            message = f"no response within {self.web.limits.timeout_s:g} s ({_describe(error)})"
            raise ResponseError(message, TRY_LATER, retryable=True) from None
        except httpx.UnsupportedProtocol:
            raise ResponseError(f"{url.scheme or 'no scheme'} is not supported; use https") from None
        except httpx.LocalProtocolError:  # its message would show the header, and a header may be a key
            raise ResponseError("a request header is invalid", "check the key in the environment") from None
        except httpx.TransportError as error:
            raise _connection_error(error) from None

    def _build(self, request: _Request, url: httpx.URL) -> httpx.Request:
        conditional = request.stored.headers if request.stored else {}
        return self.web.http.build_request(
            "GET" if request.body is None else "POST",
            url,
            headers={"User-Agent": USER_AGENT, "Accept-Encoding": "gzip"} | conditional | request.headers,
            json=request.body,
            timeout=self.web.limits.timeout_s,
        )

    def _read(self, response: httpx.Response, request: _Request, deadline: float) -> bytes:
        if response.status_code == 304 and request.stored:
            return self._record(request.stored.read(), request.stored.validators)
        check_status(response)
        check_type(response, request.expect)
        body = decompress(self._read_raw(response, deadline), response, self.web.limits.max_bytes)
        check_body(body, request.expect)
        headers = response.headers
        return self._record(body, {"etag": headers.get("etag"), "last_modified": headers.get("last-modified")})

    def _record(self, body: bytes, validators: Validators) -> bytes:
        self.validators[hashlib.sha256(body).hexdigest()] = validators
        return body

    def _read_raw(self, response: httpx.Response, deadline: float) -> bytes:
        """Read the body before decompression; stop one that is too large or does not end in time."""
        body = bytearray()
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > self.web.limits.max_bytes:
                raise too_large_error(self.web.limits.max_bytes)
            if self.web.clock() > deadline:
                message = f"the response did not end within {self.web.limits.deadline_s:g} s"
                raise ResponseError(message, TRY_LATER, retryable=True)
            self.on_progress(len(body))
        return bytes(body)


def _backoff(attempt: int, limits: Limits) -> float:
    """Return 1, 2, 4 ... times the first wait, less a random part so that clients do not all retry at once."""
    longest = min(limits.max_wait_s, limits.backoff_s * 2.0 ** (attempt - 1))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, protects nothing


def _connection_error(error: httpx.TransportError) -> ResponseError:
    """Return a failure to retry, unless there is no network or no such name: the resolver has asked several times itself."""
    cause: BaseException | None = error
    while cause and not isinstance(cause, OSError):
        cause = cause.__cause__ or cause.__context__
    if isinstance(cause, OSError) and (isinstance(cause, socket.gaierror) or cause.errno == errno.ENETUNREACH):
        return ResponseError(f"the host is unreachable ({cause.strerror})", "check the network and the address, then try again")
    return ResponseError(f"connection failed ({_describe(error)})", TRY_LATER, retryable=True)


def _describe(error: Exception) -> str:
    return str(error).strip()[:120] or type(error).__name__
