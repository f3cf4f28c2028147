"""Answers that `fetch` accepts: rows that a build would keep, one host, and bytes seen before."""

import datetime as dt
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest

from pipeline.fetch import snapshots
from pipeline.fetch.refresh import Status
from pipeline.schema.prices import Price
from sources import Accepted, Document, Download, Get, Rejected
from tests.unit.fetch.fetcher import DAY, Fetcher, Module, Paged
from tests.unit.fetch.misbehaving_host import body, rows


class Shop(Module):
    """Reads prices of the GPUs that a list names."""

    def parse(self, document: Document) -> Iterator[Accepted | Rejected]:
        for locator, item in document.rows(document.json()["items"]):
            yield Accepted(locator, _price(document, item))


def _price(document: Document, item: dict[str, Any]) -> Price:
    return Price(
        observed_at=document.observed_on,
        provider="Acme",
        instance_type=item["name"],
        raw_gpu_name=item["gpu"],
        kind="cloud_rental",
        billing="on_demand",
        price_raw="2",
        amount=2.0,
        currency="USD",
        price_unit="hour",
        price_basis="per_gpu",
    )


def listed(*gpus: str) -> bytes:
    return json.dumps({"items": [{"name": f"m{n}", "gpu": gpu} for n, gpu in enumerate(gpus)]}).encode()


@pytest.fixture
def shop(fetcher: Fetcher) -> Fetcher:
    fetcher.module = Shop(replace(fetcher.module.SOURCE, yields=(Price,)))
    return fetcher


def test_prices_of_unknown_gpus_count_for_nothing(shop: Fetcher) -> None:
    assert "no row was accepted" in shop.fails(body(listed("Acme 1", "Acme 2")))
    assert shop.fetch(body(listed(*["NVIDIA L4"] * 4))).status is Status.stored
    assert "1 rows where there were 4" in shop.fails(body(listed("NVIDIA L4", *["Acme 1"] * 9)))
    assert shop.fetch(body(listed(*["NVIDIA L4"] * 2, *["Acme 1"] * 9))).status is Status.stored


def test_one_file_without_rows_does_not_fail_the_others(fetcher: Fetcher) -> None:
    fetcher.module = Paged(fetcher.module.SOURCE)
    assert len(fetcher.fetch(rows(3), rows(0)).files) == 2
    assert [path.name for path in fetcher.fetch(rows(4), rows(2)).files] == ["east.json", "west.json"]
    assert "west.json: 0 rows where there were 2" in fetcher.fails(rows(5), body(b'{"items": [ ]}'))
    assert "east.json, west.json: no row was accepted" in fetcher.fails(body(b'{"items": [ ]}'), body(b'{"items": [  ]}'))


def test_bytes_that_come_back_are_the_latest_observation(fetcher_with_snapshot: Fetcher) -> None:
    fetcher_with_snapshot.fetch(rows(11))
    fetcher_with_snapshot.now = DAY + dt.timedelta(days=1)
    assert "back to the bytes of 2026-11-19" in fetcher_with_snapshot.fetch(rows(10)).reason
    seen = {
        file.path: file.observed_on
        for file in snapshots.stored_files(fetcher_with_snapshot.module.SOURCE, fetcher_with_snapshot.data)
    }
    assert [path for path, day in seen.items() if day == max(seen.values())] == ["data/raw/fake/2026-11-19/api"]
    assert max(seen.values()) == fetcher_with_snapshot.now.date()
    fetcher_with_snapshot.now += dt.timedelta(days=1)
    assert "unchanged since" in fetcher_with_snapshot.fetch(rows(10)).reason
    facts = json.loads((fetcher_with_snapshot.data / "raw/fake/2026-11-19/api.json").read_text())
    assert [facts[name][:10] for name in ("retrieved_at", "returned_at", "checked_at")] == [
        "2026-11-19",
        "2026-11-21",
        "2026-11-22",
    ]


def test_bytes_that_come_back_with_half_the_rows_do_not_count(fetcher_with_snapshot: Fetcher) -> None:
    assert fetcher_with_snapshot.fetch(rows(21)).status is Status.stored
    assert "10 rows where there were 21" in fetcher_with_snapshot.fails(rows(10))


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("http://example.org/api?page=2", "an address on another host than the source's, 127.0.0.1"),
        ("http://127.0.0.1.example.org/api", "an address on another host"),
        ("http://127.0.0.1@example.org/api", "an address on another host"),
    ],
)
def test_a_list_that_goes_on_at_another_host_is_not_followed(fetcher_with_snapshot: Fetcher, link: str, words: str) -> None:
    class Linked(Module):
        def fetch(self, get: Get) -> Iterator[Download]:
            yield Download(name="1", raw=get(self.SOURCE.url or "", expect="json"), url=link)
            yield Download(name="2", raw=get(link, expect="json"), url=link)

    fetcher_with_snapshot.module = Linked(fetcher_with_snapshot.module.SOURCE)
    reason = fetcher_with_snapshot.fails(rows(11))
    assert words in reason
    assert "if the source has moved" in reason
    assert len(fetcher_with_snapshot.host.requests) == 1


def test_an_unprotected_page_of_a_protected_list_is_not_asked_for(fetcher_with_snapshot: Fetcher) -> None:
    class Downgraded(Module):
        def fetch(self, get: Get) -> Iterator[Download]:
            url = str(httpx.URL(self.SOURCE.url or "").copy_with(scheme="http"))
            yield Download(name="1", raw=get(url, expect="json"), url=url)

    fetcher_with_snapshot.module = Downgraded(
        replace(fetcher_with_snapshot.module.SOURCE, url=fetcher_with_snapshot.host.url.replace("http:", "https:"))
    )
    assert "an unprotected address where the source's own is https" in fetcher_with_snapshot.fails(rows(11))
