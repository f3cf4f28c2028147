"""Fetching the list of one past day: a backfill of several days stores each with its own date."""

import datetime as dt
from dataclasses import replace

import pytest

from pipeline.fetch import snapshots
from pipeline.fetch.refresh import Status
from sources import discover
from tests.unit.fetch.fetcher import DAY, Fetcher
from tests.unit.fetch.misbehaving_host import rows, status

TODAY = DAY.date()


def days_ago(days: int) -> dt.date:
    return TODAY - dt.timedelta(days=days)


@pytest.fixture
def daily(fetcher: Fetcher) -> Fetcher:
    source = fetcher.module.SOURCE
    fetcher.module.SOURCE = replace(source, daily_from=days_ago(100), daily_url=f"{source.url}/{{day}}.json")
    return fetcher


def test_a_backfill_of_three_days_stores_three_dated_files(daily: Fetcher) -> None:
    for age in (3, 2, 1):
        assert daily.fetch(rows(10 + age), day=days_ago(age)).status is Status.stored
        assert daily.host.paths == [f"/api/{days_ago(age)}.json"]
    stored = {file.document().name: file.observed_on for file in snapshots.stored_files(daily.module.SOURCE, daily.data)}
    assert stored == {f"{days_ago(age)}.json": days_ago(age) for age in (3, 2, 1)}


def test_a_day_fetched_again_is_unchanged(daily: Fetcher) -> None:
    daily.fetch(rows(10, ETag='"ten"'), day=days_ago(1))
    assert daily.fetch(status(304), day=days_ago(1)).status is Status.unchanged
    assert daily.host.requests[0]["if-none-match"] == '"ten"'


def test_a_corrected_day_that_is_corrected_back_keeps_its_date(daily: Fetcher) -> None:
    for count in (10, 11, 10):
        daily.now += dt.timedelta(minutes=1)
        daily.fetch(rows(count), day=days_ago(2))
    files = list(snapshots.stored_files(daily.module.SOURCE, daily.data))
    assert [file.observed_on for file in files] == [days_ago(2)] * 2


def test_a_day_is_compared_with_the_nearest_day(daily: Fetcher) -> None:
    assert daily.fetch(rows(100), day=days_ago(0)).status is Status.stored
    assert "10 rows where there were 100" in daily.fails(rows(10), day=days_ago(5))
    assert daily.fetch(rows(10), day=days_ago(80)).status is Status.stored
    assert "all files together: 4 rows where there were 10" in daily.fails(rows(4), day=days_ago(79))
    assert daily.fetch(rows(60)).status is Status.stored


@pytest.mark.parametrize("day", [days_ago(101), days_ago(-1)])
def test_a_day_that_the_source_does_not_publish_is_refused(daily: Fetcher, day: dt.date) -> None:
    outcome = daily.fetch(rows(10), day=day)
    assert (outcome.status, daily.host.requests) == (Status.refused, [])
    assert f"no list of {day}; choose a date from {days_ago(100)} to today" in outcome.reason


def test_a_day_of_a_source_without_daily_lists_is_refused(fetcher: Fetcher) -> None:
    outcome = fetcher.fetch(rows(10), day=days_ago(1))
    assert (outcome.status, "publishes no list by day" in outcome.reason) == (Status.refused, True)


def test_a_missing_day_is_a_failure(daily: Fetcher) -> None:
    assert "status 404" in daily.fails(status(404), day=days_ago(1))


def test_every_source_with_daily_lists_has_their_address() -> None:
    for source_id, parser in discover().items():
        assert bool(parser.SOURCE.daily_from) == ("{day}" in parser.SOURCE.daily_url), source_id
