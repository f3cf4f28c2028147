"""One HTTP client for all sources: whose turn it is, how often to ask again, how long to wait.

Whether an answer is what was asked for is judged in `answers`. What is asked of a host belongs in the source's
module, what becomes of the bytes in `fetch`.
"""

import hashlib
import random
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field

import httpx

from pipeline.errors import BuildError
from pipeline.fetch.http_responses import (
    LATER,
    LOOK,
    AnswerError,
    check_body,
    check_home,
    check_status,
    check_type,
    next_hop,
    shown,
    too_big,
    unpacked,
)

AGENT = "gpuledger/0.1 (GPU price history; conditional requests; one request at a time)"
MAX_HOPS = 5


class FetchError(BuildError):
    """A source that could not be fetched: which one, which address, what happened, what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How long and how much: the bounds of one request and of its repetitions, in seconds and bytes."""

    attempts: int = 4
    timeout_s: float = 30.0
    deadline_s: float = 600.0
    backoff_s: float = 1.0
    max_wait_s: float = 120.0
    interval_s: float = 0.5
    max_bytes: int = 512 * 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """What the sources of one run share: connections, limits, the time, and when each host was last asked."""

    http: httpx.Client
    limits: Limits = field(default_factory=Limits)
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic
    asked: dict[str, float] = field(default_factory=dict)

    def wait_for_turn(self, host: str) -> None:
        """Sleep until the host may be asked again."""
        due = self.asked.get(host, -self.limits.interval_s) + self.limits.interval_s
        if (pause := due - self.clock()) > 0:
            self.sleep(pause)
        self.asked[host] = self.clock()


@dataclass(frozen=True, slots=True)
class Validators:
    """What a host said of a body, to ask later whether it has changed."""

    etag: str | None = None
    last_modified: str | None = None

    @property
    def headers(self) -> dict[str, str]:
        asked = {"If-None-Match": self.etag, "If-Modified-Since": self.last_modified}
        return {name: value for name, value in asked.items() if value}


@dataclass(frozen=True, slots=True)
class Known:
    """A body that is stored already: what its host said of it, and how to read it."""

    validators: Validators
    read: Callable[[], bytes]


@dataclass(frozen=True, slots=True)
class _Call:
    url: httpx.URL
    expect: str
    headers: dict[str, str]
    body: object
    known: Known | None


@dataclass(slots=True)
class Client:
    """`sources.Get` for one source. `seen` holds the validators of each body that was handed out, by its sha256.

    `known` gives the stored body of an address, `watch` is told the bytes read so far. `home` is the source's own
    address: a module asks no other host, also where an answer says that the list goes on there.
    """

    source_id: str
    web: Web
    home: str | None = None
    known: Mapping[str, Known] = field(default_factory=dict)
    watch: Callable[[int], None] = lambda _bytes: None
    seen: dict[str, Validators] = field(default_factory=dict)

    def __call__(
        self,
        url: str,
        *,
        expect: str,
        params: dict[str, str] | None = None,
        headers: dict[str, str] | None = None,
        body: object = None,
    ) -> bytes:
        plain = params is None and headers is None and body is None
        try:
            target = httpx.URL(url).copy_merge_params(params) if params else httpx.URL(url)
        except httpx.InvalidURL as error:
            raise FetchError(f"{self.source_id}: no valid address ({error}); {LOOK}") from None
        return self._persist(_Call(target, expect, headers or {}, body, self.known.get(url) if plain else None))

    def _persist(self, call: _Call) -> bytes:
        limits = self.web.limits
        for attempt in range(1, limits.attempts + 1):
            try:
                if self.home:
                    check_home(call.url, httpx.URL(self.home))
                return self._once(call)
            except AnswerError as trouble:
                if not trouble.again or attempt == limits.attempts or trouble.wait > limits.max_wait_s:
                    raise self._error(call, trouble, attempt) from None
                self.web.sleep(max(trouble.wait, _backoff(attempt, limits)))
        raise AssertionError("Limits.attempts is below 1")

    def _error(self, call: _Call, trouble: AnswerError, attempt: int) -> FetchError:
        tries = f" ({attempt} attempts)" if attempt > 1 else ""
        asks = f" and asks to wait {trouble.wait:g} s" if trouble.wait > self.web.limits.max_wait_s else ""
        return FetchError(f"{self.source_id}: {shown(call.url)}: {trouble.what}{asks}{tries}; {trouble.todo}")

    def _once(self, call: _Call) -> bytes:
        url = call.url
        for _ in range(MAX_HOPS):
            answer = self._exchange(call, url)
            if isinstance(answer, bytes):
                return answer
            url = answer
        raise AnswerError(f"more than {MAX_HOPS} redirects")

    def _exchange(self, call: _Call, url: httpx.URL) -> bytes | httpx.URL:
        """The body, or where else to ask."""
        self.web.wait_for_turn(url.host)
        deadline = self.web.clock() + self.web.limits.deadline_s
        try:
            with closing(self.web.http.send(self._request(call, url), stream=True, follow_redirects=False)) as response:
                if response.has_redirect_location and call.body is None:
                    return next_hop(response, url)
                return self._read(response, call, deadline)
        except httpx.TimeoutException as error:
            raise AnswerError(f"no answer within {self.web.limits.timeout_s:g} s ({_kind(error)})", LATER, again=True) from None
        except httpx.UnsupportedProtocol:
            raise AnswerError(f"{url.scheme or 'no scheme'} is not fetched; use https") from None
        except httpx.LocalProtocolError:  # its message would show the header, and a header may be a key
            raise AnswerError("a request header is not valid", "check the key in the environment") from None
        except httpx.TransportError as error:
            raise AnswerError(f"connection failed ({_kind(error)})", LATER, again=True) from None

    def _request(self, call: _Call, url: httpx.URL) -> httpx.Request:
        conditional = call.known.validators.headers if call.known else {}
        return self.web.http.build_request(
            "GET" if call.body is None else "POST",
            url,
            headers={"User-Agent": AGENT, "Accept-Encoding": "gzip"} | conditional | call.headers,
            json=call.body,
            timeout=self.web.limits.timeout_s,
        )

    def _read(self, response: httpx.Response, call: _Call, deadline: float) -> bytes:
        if response.status_code == 304 and call.known:
            return self._hand_out(call.known.read(), call.known.validators)
        check_status(response)
        check_type(response, call.expect)
        body = unpacked(self._raw(response, deadline), response, self.web.limits.max_bytes)
        check_body(body, call.expect)
        return self._hand_out(body, Validators(response.headers.get("etag"), response.headers.get("last-modified")))

    def _hand_out(self, body: bytes, validators: Validators) -> bytes:
        self.seen[hashlib.sha256(body).hexdigest()] = validators
        return body

    def _raw(self, response: httpx.Response, deadline: float) -> bytes:
        """The bytes on the wire; ends an answer that is too big or never ends."""
        read = bytearray()
        for chunk in response.iter_raw():
            read += chunk
            if len(read) > self.web.limits.max_bytes:
                raise too_big(self.web.limits.max_bytes)
            if self.web.clock() > deadline:
                raise AnswerError(f"the answer did not end within {self.web.limits.deadline_s:g} s", LATER, again=True)
            self.watch(len(read))
        return bytes(read)


def _backoff(attempt: int, limits: Limits) -> float:
    """1, 2, 4 ... times the first wait, less a random part, so that clients do not come back all at once."""
    longest = min(limits.max_wait_s, limits.backoff_s * 2.0 ** (attempt - 1))
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, guards nothing


def _kind(error: Exception) -> str:
    return str(error).strip()[:120] or type(error).__name__
