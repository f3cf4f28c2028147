"""Fetching from a host that misbehaves: nothing is invented, the last good snapshot stays, the outcome says why."""

import datetime as dt
import hashlib
import json
import os
from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest

from pipeline.fetch import snapshots
from pipeline.fetch.client import Web
from pipeline.fetch.refresh import Status, UnknownSourceError, fetch_source, select_sources
from sources import Download, Get
from tests.unit.fetch.fetcher import DAY, LIMITS, Broken, Fetcher, Module, Paged, tree
from tests.unit.fetch.misbehaving_host import body, rows, status, table


def test_a_snapshot_is_stored_with_its_sidecar_and_a_build_can_read_it(fetcher: Fetcher) -> None:
    outcome = fetcher.fetch(rows(3, ETag='"v1"', Last_Modified="Fri, 20 Nov 2026 08:00:00 GMT"))
    (path,) = outcome.files
    assert outcome.status is Status.stored
    assert path == fetcher.data / "raw" / "fake" / "2026-11-20" / "api"
    (file,) = snapshots.stored_files(fetcher.module.SOURCE, fetcher.data)
    assert (file.raw, file.url, file.observed_on, file.retrieved_at) == (table(3), fetcher.host.url, DAY.date(), DAY)
    facts = json.loads(path.with_name("api.json").read_text())
    assert facts == {
        "url": fetcher.host.url, "retrieved_at": "2026-11-20T12:00:00", "published_at": None, "licence": "CC0-1.0",
        "sha256": hashlib.sha256(table(3)).hexdigest(), "checked_at": "2026-11-20T12:00:00",
        "origin": "fetched", "extent": "whole",
        "etag": '"v1"', "last_modified": "Fri, 20 Nov 2026 08:00:00 GMT",
    }  # fmt: skip
    assert not (fetcher.data / ".incoming").exists()


def test_a_changed_layout_is_not_stored(fetcher_with_snapshot: Fetcher) -> None:
    renamed = table(10).replace(b'"seconds"', b'"duration"')
    assert "no `seconds`; the layout has changed" in fetcher_with_snapshot.fails(body(renamed))


def test_an_empty_table_is_not_stored(fetcher_with_snapshot: Fetcher) -> None:
    assert "no row was accepted" in fetcher_with_snapshot.fails(rows(0))


def test_a_file_of_which_every_row_is_rejected_is_not_stored(fetcher_with_snapshot: Fetcher) -> None:
    footnotes = json.dumps({"items": [{"gpu": "H100", "seconds": "4^1"}] * 10}).encode()
    assert "no row was accepted" in fetcher_with_snapshot.fails(body(footnotes))


@pytest.mark.parametrize(
    "page",
    [
        b"<!DOCTYPE html><title>Sorry</title>",
        b"\xef\xbb\xbf \n<HTML><body>down",
        b"<?xml version='1.0'?><!-- a --><!-- b --><html>",
        b"<!--" * 900 + b"--><html>",
    ],
)
def test_an_error_page_with_status_200_is_no_data(fetcher_with_snapshot: Fetcher, page: bytes) -> None:
    reason = fetcher_with_snapshot.fails(body(page))
    assert "HTML page with status 200" in reason
    assert "(4 attempts)" in reason


def test_truncated_json_is_not_stored(fetcher_with_snapshot: Fetcher) -> None:
    assert "broken JSON" in fetcher_with_snapshot.fails(body(table(10)[:-20]))


def test_a_body_shorter_than_announced_is_asked_for_again(fetcher_with_snapshot: Fetcher) -> None:
    assert "connection failed" in fetcher_with_snapshot.fails(body(table(9), length="9999"))
    assert fetcher_with_snapshot.fetch(body(table(9), length="9999"), rows(9)).status is Status.stored


def test_far_more_or_far_fewer_rows_are_not_stored(fetcher_with_snapshot: Fetcher) -> None:
    assert "101 rows where there were 10" in fetcher_with_snapshot.fails(rows(101))
    assert "4 rows where there were 10" in fetcher_with_snapshot.fails(rows(4))
    assert "gpuledger seal" in fetcher_with_snapshot.fails(rows(4))
    assert fetcher_with_snapshot.fetch(rows(5)).status is Status.stored
    assert fetcher_with_snapshot.fetch(rows(50)).status is Status.stored


def test_a_shrunk_page_that_was_saved_by_hand_is_the_new_measure(fetcher_with_snapshot: Fetcher) -> None:
    file = fetcher_with_snapshot.data / "raw" / "fake" / "by-hand" / "api"
    file.parent.mkdir()
    file.write_bytes(table(4))
    snapshots.write_sidecar(file, url=fetcher_with_snapshot.host.url, origin="transcribed", extent="whole")
    assert fetcher_with_snapshot.fetch(rows(3)).status is Status.stored


def test_a_transcribed_part_may_grow_but_not_shrink(fetcher: Fetcher) -> None:
    file = fetcher.data / "raw" / "fake" / "api.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(table(4))
    snapshots.write_sidecar(file, url=fetcher.host.url, origin="transcribed", extent="excerpt")
    assert "api.json: 1 rows where there were 4" in fetcher.fails(rows(1))
    outcome = fetcher.fetch(rows(400))
    assert [path.name for path in outcome.files] == ["api.json"]


def test_the_same_bytes_are_stored_once(fetcher_with_snapshot: Fetcher) -> None:
    outcome = fetcher_with_snapshot.fetch(rows(10))
    assert (outcome.status, outcome.reason) == (Status.unchanged, "fake: unchanged since 2026-11-19")
    assert fetcher_with_snapshot.stored() == [fetcher_with_snapshot.data / "raw" / "fake" / "2026-11-19" / "api"]
    facts = json.loads((fetcher_with_snapshot.data / "raw/fake/2026-11-19/api.json").read_text())
    assert (facts["retrieved_at"], facts["checked_at"]) == ("2026-11-19T12:00:00", "2026-11-20T12:00:00")


def test_bytes_that_come_back_are_not_stored_again(fetcher_with_snapshot: Fetcher) -> None:
    fetcher_with_snapshot.fetch(rows(11))
    outcome = fetcher_with_snapshot.fetch(rows(10))
    assert (outcome.status, outcome.reason) == (
        Status.unchanged,
        "fake: back to the bytes of 2026-11-19, which are stored already",
    )
    assert len(fetcher_with_snapshot.stored()) == 2


def test_304_leaves_the_last_snapshot(fetcher_with_snapshot: Fetcher) -> None:
    assert fetcher_with_snapshot.fetch(status(304)).status is Status.unchanged
    assert fetcher_with_snapshot.host.requests[0]["if-none-match"] == '"ten"'
    assert fetcher_with_snapshot.stored() == [fetcher_with_snapshot.data / "raw" / "fake" / "2026-11-19" / "api"]


def test_304_over_a_file_that_was_tampered_with_is_reported(fetcher_with_snapshot: Fetcher) -> None:
    (fetcher_with_snapshot.data / "raw" / "fake" / "2026-11-19" / "api").write_bytes(table(12))
    assert "differs from its sidecar's" in fetcher_with_snapshot.fails(status(304))


def test_two_changes_in_a_day_are_both_kept(fetcher_with_snapshot: Fetcher) -> None:
    for count in (11, 12, 13):
        assert fetcher_with_snapshot.fetch(rows(count)).status is Status.stored
    folders = sorted(path.name for path in (fetcher_with_snapshot.data / "raw" / "fake").iterdir())
    assert folders == ["2026-11-19", "2026-11-20", "2026-11-20-2", "2026-11-20-3"]
    assert len(fetcher_with_snapshot.stored()) == 4


def test_a_source_of_several_files_is_kept_whole_or_not_at_all(fetcher: Fetcher) -> None:
    fetcher.module = Paged(fetcher.module.SOURCE)
    assert "west.json: status 404" in fetcher.fails(rows(3), status(404))
    assert len(fetcher.fetch(rows(3, ETag='"e"'), rows(4)).files) == 2
    assert "west.json: 1 rows where there were 4" in fetcher.fails(status(304), rows(1))
    outcome = fetcher.fetch(status(304), rows(5))
    assert ([path.name for path in outcome.files], outcome.reason) == (["west.json"], "fake: 1 new, 1 unchanged")


def test_a_module_that_breaks_is_a_failed_source(fetcher_with_snapshot: Fetcher) -> None:
    fetcher_with_snapshot.module = Broken(fetcher_with_snapshot.module.SOURCE)
    assert "its module broke (KeyError: 'nextPage')" in fetcher_with_snapshot.fails(rows(10))


@pytest.mark.parametrize("name", ["../../evil", ".hidden", "", "a/b", "x" * 200])
def test_a_file_name_that_leads_elsewhere_is_refused(fetcher_with_snapshot: Fetcher, name: str) -> None:
    class Astray(Module):
        def fetch(self, get: Get) -> Iterator[Download]:
            yield Download(name=name, raw=get(self.SOURCE.url or "", expect="json"), url="https://example.org")

    fetcher_with_snapshot.module = Astray(fetcher_with_snapshot.module.SOURCE)
    assert "is not a valid, unique file name" in fetcher_with_snapshot.fails(rows(11))


def test_bytes_dated_in_the_future_are_refused(fetcher_with_snapshot: Fetcher) -> None:
    class Ahead(Module):
        def fetch(self, get: Get) -> Iterator[Download]:
            raw = get(self.SOURCE.url or "", expect="json")
            yield Download(name="a", raw=raw, url="https://example.org", published_at=dt.datetime(2099, 1, 1, tzinfo=dt.UTC))

    fetcher_with_snapshot.module = Ahead(fetcher_with_snapshot.module.SOURCE)
    assert "in the future" in fetcher_with_snapshot.fails(rows(11))


def test_no_message_or_sidecar_contains_a_key(fetcher_with_snapshot: Fetcher) -> None:
    class Keyed(Module):
        def fetch(self, get: Get) -> Iterator[Download]:
            raw = get(self.SOURCE.url or "", expect="json", params={"key": "SECRET"}, headers={"X-Key": "SECRET"})
            yield Download(name="a", raw=raw, url=self.SOURCE.url or "")

    fetcher_with_snapshot.module = Keyed(fetcher_with_snapshot.module.SOURCE)
    assert "SECRET" not in fetcher_with_snapshot.fails(status(403))
    assert "key=SECRET" in fetcher_with_snapshot.host.paths[0]
    assert fetcher_with_snapshot.fetch(rows(11)).status is Status.stored
    assert b"SECRET" not in b"".join(tree(fetcher_with_snapshot.data).values())


def test_a_crash_while_storing_leaves_nothing_that_a_build_meets(
    fetcher_with_snapshot: Fetcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for step in ("rename", "fsync"):
        with monkeypatch.context() as patched:
            patched.setattr(os, step, no_space)
            assert "could not be stored ([Errno 28]" in fetcher_with_snapshot.fails(rows(11))
    left = fetcher_with_snapshot.data / ".incoming" / "fake" / "api"  # as a kill in the middle leaves it
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    assert len(fetcher_with_snapshot.stored()) == 1
    assert fetcher_with_snapshot.fetch(rows(11)).status is Status.stored
    assert not left.exists()


def test_a_host_is_not_asked_faster_than_its_turn_comes() -> None:
    slept: list[float] = []
    web = Web(http=httpx.Client(), limits=replace(LIMITS, interval_s=0.5), sleep=slept.append, clock=lambda: 100.0)
    for host in ("a", "b", "a"):
        web.wait_for_turn(host)
    assert slept == [0.5]


def test_a_failed_source_does_not_stop_the_others(fetcher: Fetcher) -> None:
    other = Module(replace(fetcher.module.SOURCE, source_id="other"))
    fetcher.host.says(status(404), rows(3))
    outcomes = [fetch_source(parser, fetcher.session) for parser in (fetcher.module, other)]
    assert [outcome.status for outcome in outcomes] == [Status.failed, Status.stored]


def test_terms_that_forbid_are_kept_unless_they_were_accepted(fetcher: Fetcher) -> None:
    fetcher.module.SOURCE = replace(fetcher.module.SOURCE, automated_access="forbidden")
    refused = fetcher.fetch(rows(3))
    assert (refused.status, fetcher.host.requests) == (Status.refused, [])
    assert "https://example.org/terms" in refused.reason
    assert "\n" not in refused.reason
    fetcher.accept_terms = ("fake",)
    assert fetcher.fetch(rows(3)).status is Status.stored


def test_which_sources_are_chosen(fetcher: Fetcher) -> None:
    base = fetcher.module.SOURCE
    access = {"a": "allowed", "b": "forbidden", "c": "not_applicable"}
    parsers = {k: Module(replace(base, source_id=k, automated_access=v)) for k, v in access.items()}
    assert select_sources([], [], parsers) == ["a"]
    assert select_sources([], ["b"], parsers) == ["a", "b"]
    assert select_sources(["c", "b", "c"], [], parsers) == ["c", "b"]
    with pytest.raises(UnknownSourceError, match="no source 'x'; see `gpuledger sources`"):
        select_sources(["a"], ["x"], parsers)
    fetcher.module, fetcher.accept_terms = parsers["c"], ("c",)
    outcome = fetcher.fetch(rows(3))
    assert (outcome.status, "transcribed by hand" in outcome.reason) == (Status.refused, True)
