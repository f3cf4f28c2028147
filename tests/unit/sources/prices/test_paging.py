"""Lists that come in pages: every page is asked for, and a short list is refused."""

import json

import pytest

from pipeline.errors import BuildError
from sources import UnparsableError, discover
from sources.prices import paging, vast

PAGED = {
    "vultr": lambda n, last: {
        "plans": [{}],
        "plans_metal": [{}],
        "meta": {"total": 2, "links": {"next": "" if last else f"c{n}"}},
    },
    "digitalocean": lambda n, last: {
        "sizes": [{}],
        "meta": {"total": 2},
        "links": {} if last else {"pages": {"next": f"https://x/v2/sizes?page={n + 1}&per_page=200"}},
    },
    "autodl": lambda n, last: {"code": "Success", "data": {"list": [{}], "max_page": 2}},
    "primeintellect": lambda n, last: {"items": [{}] * (1 if last else 100), "totalCount": 101},
}
SINGLE = {
    "ecb": b"<Envelope/>",
    "nebius": b"# prices",
    "verda": b"[]",
    "runpod": b'{"data": {}}',
    "vast": b'{"offers": [{}]}',
}


class Host:
    """Answers as a host with two pages would, and keeps what it was asked."""

    def __init__(self, make, last=2):
        self.make, self.last, self.asked = make, last, []

    def __call__(self, url, *, expect, params=None, headers=None, body=None):
        self.asked.append((url, params or body))
        number = sum(1 for asked, _ in self.asked if asked == url)
        return json.dumps(self.make(number, number >= self.last)).encode()


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    for name in ("DIGITALOCEAN_TOKEN", "VERDA_ACCESS_TOKEN", "AUTODL_TOKEN", "PRIME_API_KEY"):
        monkeypatch.setenv(name, "made-up")


@pytest.mark.parametrize("source_id", PAGED)
def test_all_pages_are_fetched(source_id):
    host = Host(PAGED[source_id])
    found = list(discover()[source_id].fetch(host))
    lists = 2 if source_id == "vultr" else 1
    assert len({item.name for item in found}) == len(found) == 2 * lists
    assert len({repr(asked) for asked in host.asked}) == 2 * lists


@pytest.mark.parametrize("source_id", ["vultr", "digitalocean", "primeintellect"])
def test_a_short_list_is_refused(source_id):
    with pytest.raises(UnparsableError, match="rows in 1 pages, but the host states"):
        list(discover()[source_id].fetch(Host(PAGED[source_id], last=1)))


def test_endless_pages_are_refused(monkeypatch):
    monkeypatch.setattr(paging, "MAX_PAGES", 5)
    with pytest.raises(UnparsableError, match="more than 5 pages"):
        list(discover()["vultr"].fetch(Host(PAGED["vultr"], last=99)))


@pytest.mark.parametrize("answer", [{"error": "unauthorized"}, [1], {"plans": [{}]}])
def test_an_error_is_no_page(answer):
    with pytest.raises(UnparsableError, match="the response"):
        list(discover()["vultr"].fetch(Host(lambda *_: answer)))


def test_a_page_of_html_is_no_page():
    with pytest.raises(UnparsableError, match="broken JSON"):
        list(discover()["vultr"].fetch(lambda *_, **__: b"<html>"))


@pytest.mark.parametrize("source_id", SINGLE)
def test_a_single_page_is_stored_unchanged(source_id):
    (found,) = discover()[source_id].fetch(lambda *_, **__: SINGLE[source_id])
    assert found.raw == SINGLE[source_id]
    assert found.name


def test_an_answer_as_long_as_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(vast, "LIMIT", 1)
    with pytest.raises(UnparsableError, match="there may be more"):
        list(vast.fetch(lambda *_, **__: b'{"offers": [{}]}'))


def test_a_missing_key_is_named(monkeypatch):
    monkeypatch.delenv("PRIME_API_KEY")
    with pytest.raises(BuildError, match="set PRIME_API_KEY"):
        list(discover()["primeintellect"].fetch(Host(PAGED["primeintellect"])))
