"""Answers of a host that are no data: what is asked again, what is refused, and what the outcome says."""

import datetime as dt
import errno
import gzip
import socket
from dataclasses import replace
from unittest.mock import Mock

import pytest

from pipeline.fetch.refresh import Status
from tests.unit.fetch.fetcher import LIMITS, Fetcher, Paged
from tests.unit.fetch.misbehaving_host import body, drops, endless, packed, rows, stalls, status, table


@pytest.mark.parametrize("header", ["Retry-After", "x-ms-ratelimit-retailprices-retry-after"])
def test_429_is_waited_out(fetcher: Fetcher, header: str) -> None:
    assert fetcher.fetch(status(429, **{header: "7"}), rows(3)).status is Status.stored
    assert fetcher.slept == [7.0]


def test_429_with_a_date_is_waited_out(fetcher: Fetcher) -> None:
    moment = dt.datetime.now(dt.UTC) + dt.timedelta(seconds=40)
    assert fetcher.fetch(status(429, Retry_After=moment.strftime("%a, %d %b %Y %H:%M:%S GMT")), rows(3)).status is Status.stored
    assert 30 < fetcher.slept[0] <= 40


def test_a_host_that_asks_to_wait_for_long_is_left_alone(fetcher_with_snapshot: Fetcher) -> None:
    assert "status 429 Too Many Requests and asks to wait 86400 s; try again later" in fetcher_with_snapshot.fails(
        status(429, Retry_After="86400")
    )
    assert (fetcher_with_snapshot.slept, len(fetcher_with_snapshot.host.requests)) == ([], 1)


def test_5xx_is_asked_again_with_growing_waits_and_then_reported(fetcher_with_snapshot: Fetcher) -> None:
    assert fetcher_with_snapshot.fetch(status(500), status(502), status(503), rows(9)).status is Status.stored
    first, second, third = fetcher_with_snapshot.slept
    assert 0.5 <= first <= 1.0 <= second <= 2.0 <= third <= 4.0
    assert "status 503 Service Unavailable (4 attempts); try again later" in fetcher_with_snapshot.fails(status(503))
    assert len(fetcher_with_snapshot.host.requests) == 4


@pytest.mark.parametrize(
    ("code", "words"), [(404, "status 404 Not Found"), (403, "requires a key"), (204, "status 204"), (304, "304")]
)
def test_other_statuses_are_reported_at_once(fetcher: Fetcher, code: int, words: str) -> None:
    fetcher.fetch(rows(10))  # without an ETag nothing was asked conditionally: a 304 has nothing to mean
    assert words in fetcher.fails(status(code))
    assert len(fetcher.host.requests) == 1


def test_a_time_out_and_a_dropped_connection_are_asked_again(fetcher_with_snapshot: Fetcher) -> None:
    assert fetcher_with_snapshot.fetch(stalls(1.5), drops, rows(9)).status is Status.stored
    fetcher_with_snapshot.limits = replace(LIMITS, attempts=2, timeout_s=0.1)
    assert "no response within 0.1 s" in fetcher_with_snapshot.fails(stalls(0.2))
    fetcher_with_snapshot.limits = replace(LIMITS, attempts=2)
    assert "connection failed" in fetcher_with_snapshot.fails(drops)


def test_a_host_that_is_not_there_is_reported(fetcher_with_snapshot: Fetcher) -> None:
    fetcher_with_snapshot.module.SOURCE = replace(fetcher_with_snapshot.module.SOURCE, url="http://127.0.0.1:9/api")
    assert "connection failed" in fetcher_with_snapshot.fails(rows(10))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"), "Temporary failure in name resolution"),
        (OSError(errno.ENETUNREACH, "Network is unreachable"), "Network is unreachable"),
    ],
)
def test_without_a_network_nothing_is_tried_again(
    fetcher_with_snapshot: Fetcher, monkeypatch: pytest.MonkeyPatch, error: OSError, words: str
) -> None:
    monkeypatch.setattr(socket, "getaddrinfo", Mock(side_effect=error))
    reason = fetcher_with_snapshot.fails(rows(10))
    assert reason.endswith(f": the host is unreachable ({words}); check the network and the address, then try again")
    assert not fetcher_with_snapshot.slept


def test_a_wrong_content_type_is_asked_again_and_then_reported(fetcher_with_snapshot: Fetcher) -> None:
    fetcher_with_snapshot.module = Paged(fetcher_with_snapshot.module.SOURCE)
    assert "content type 'text/plain' where json is expected (4 attempts)" in fetcher_with_snapshot.fails(
        body(table(10), "text/plain")
    )


def test_an_empty_answer_is_reported(fetcher_with_snapshot: Fetcher) -> None:
    assert "empty response" in fetcher_with_snapshot.fails(body(b" \n"))


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("/account/login?next=/api", "redirect to a login page"),
        ("https://accounts.example.org/sign-in", "redirect to a login page"),
        ("http://example.org/api", "redirect to another host, example.org"),
        ("/again", "more than 5 redirects"),
    ],
)
def test_redirects_away_are_refused(fetcher_with_snapshot: Fetcher, target: str, words: str) -> None:
    reason = fetcher_with_snapshot.fails(status(302, Location=target))
    assert words in reason
    assert "next=" not in reason


def test_a_redirect_within_the_host_is_followed(fetcher: Fetcher) -> None:
    assert fetcher.fetch(status(301, Location="/v2/api"), rows(3)).status is Status.stored
    assert fetcher.host.paths == ["/api", "/v2/api"]


def test_gzip_is_undone_whether_the_host_says_so_or_not(fetcher: Fetcher) -> None:
    assert fetcher.fetch(packed(table(3))).status is Status.stored
    assert fetcher.fetch(body(gzip.compress(table(4)), Content_Encoding="gzip")).status is Status.stored
    assert {path.read_bytes() for path in fetcher.stored()} == {table(3), table(4)}


def test_broken_or_foreign_encodings_are_reported(fetcher_with_snapshot: Fetcher) -> None:
    assert "ends too early" in fetcher_with_snapshot.fails(body(gzip.compress(table(10))[:-12]))
    assert "no gzip at all" in fetcher_with_snapshot.fails(body(table(10), Content_Encoding="gzip"))
    assert "content encoding 'br'" in fetcher_with_snapshot.fails(body(table(10), Content_Encoding="br"))
    assert "broken gzip" in fetcher_with_snapshot.fails(body(gzip.compress(table(10)) + b"rest"))
    assert "in more than 64 parts" in fetcher_with_snapshot.fails(body(gzip.compress(b" ") * 65))


def test_a_gzip_bomb_is_stopped(fetcher_with_snapshot: Fetcher) -> None:
    bomb = gzip.compress(bytes(50_000_000), compresslevel=1)
    assert len(bomb) < LIMITS.max_bytes
    assert "more than 300,000 bytes" in fetcher_with_snapshot.fails(packed(bytes(50_000_000)))
    assert "more than 300,000 bytes" in fetcher_with_snapshot.fails(body(gzip.compress(bomb)))


def test_an_endless_body_is_stopped_by_size_or_by_time(fetcher_with_snapshot: Fetcher) -> None:
    fetcher_with_snapshot.limits = replace(LIMITS, attempts=1, deadline_s=0.3)
    assert "more than 300,000 bytes" in fetcher_with_snapshot.fails(endless())
    assert "did not end within 0.3 s" in fetcher_with_snapshot.fails(endless(pause=0.02))
