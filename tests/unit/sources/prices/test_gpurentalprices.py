"""gpurentalprices.com: the committed table of 48 days and two, and the daily list."""

import datetime as dt
import json
from collections import Counter

import pytest

from sources import UnparsableError
from sources.prices.gpurentalprices import COLUMNS, SOURCE
from tests.unit.sources.prices.support import codes, normalized, parse, sample, stored, stored_text

HEAD = ",".join(COLUMNS)
TABLE, TYPED = TABLES = ("rental_daily_2026.csv", "rental_typed_2026.csv")
ROW = (
    "2026-07-09,salad,rtx-4090,24,community,0.16,USD per GPU-hour,2,,,,,,,https://salad.com/pricing,2026-07-09T07:00:00Z,no,"
    "e4389aff775f,no"
)


def day(**changes):
    offer = {
        "provider": "aws",
        "gpu": "h100-sxm",
        "vram_gb": 80,
        "usd_hr": 12.29,
        "kind": "on-demand",
        "min_gpus": 8,
        "source_url": "https://ec2.shop",
        "fetched_at": "2026-08-01T07:38:51.367Z",
    }
    return json.dumps({"date": "2026-08-01", "offers": [offer | changes]})


def test_the_committed_table():
    kept, refused = stored("gpurentalprices")
    kept = {locator: row for locator, row in kept.items() if locator.startswith(TABLES)}
    rows = list(kept.values())
    assert (len(rows), codes(refused)) == (10337, {"SOURCE_ERROR": 4})
    assert {item.record.split(",")[:2] == ["2026-10-01", "together"] for item in refused.values()} == {True}
    assert len({row.provider for row in rows}) == 33
    days = {row.observed_at for row in rows} - {dt.date(2026, 9, 30)}  # pages read before midnight, in the list of 1 October
    july_to_august = {dt.date(2026, 7, 5) + dt.timedelta(days=n) for n in range(48)}
    assert days == july_to_august | {dt.date(2026, 10, 1), dt.date(2026, 10, 3)}
    assert {row.tier for row in rows if row.billing == "marketplace"} == {"community"}
    aws = next(row for row in rows if (row.provider, row.raw_gpu_name, row.instance_type) == ("aws", "h100-sxm", "p5.48xlarge"))
    assert (aws.amount, aws.region, aws.min_gpus, aws.reported_memory_gb) == (6.88, "us-east-1", 8, 80)


def test_the_names_of_digitalocean_count_gpus():
    rows = stored("gpurentalprices")[0].values()
    counted = {(row.instance_type, row.gpu_count) for row in rows if row.provider == "digitalocean" and row.instance_type}
    assert {("gpu-mi300x1-192gb", 1), ("gpu-mi300x8-1536gb", 8), ("NVIDIA L40S 1x", 1)} < counted
    assert None not in {count for _, count in counted}
    assert {row.gpu_count for row in rows if row.provider == "latitude"} == {None}


def test_prices_of_the_gpu_alone_include_no_host():
    rows = stored("gpurentalprices")[0].values()
    assert {row.includes_host for row in rows if row.provider in ("gcp", "daytona")} == {False}
    assert {row.includes_host for row in rows if row.provider == "lambda"} == {None}


def test_reservations_have_a_term_or_are_a_lowest_price():
    reserved = [row for row in stored("gpurentalprices")[0].values() if row.billing == "reserved"]
    assert Counter((row.provider, row.commitment_months, row.qualifier) for row in reserved) == {
        ("hyperstack", None, "from"): 10,
        ("latitude", 1, "exact"): 3,
        ("latitude", 12, "exact"): 3,
    }


def test_an_offer_of_the_daily_list_continues_that_of_the_table():
    """The reservation of 2026-10-03 as the daily list writes it."""
    commitment = {"type": "term", "months": 12, "payment": "annual plan; normalized over 8760 hours"}
    place = {"instance": "g4-b300-large", "region": "United States", "availability": "out-of-stock"}
    offer = {"provider": "latitude", "gpu": "b300", "vram_gb": 288, "usd_hr": 5.6, "kind": "reserved", "commitment": commitment}
    (listed,) = parse("gpurentalprices", "latest.json", day(**offer, **place))[0].values()
    (stored_row,) = [
        row
        for row in stored("gpurentalprices")[0].values()
        if (row.instance_type, row.commitment_months) == ("g4-b300-large", 12)
    ]
    for name in (
        "provider",
        "instance_type",
        "raw_gpu_name",
        "region",
        "billing",
        "commitment_months",
        "min_gpus",
        "price_basis",
    ):
        assert getattr(listed, name) == getattr(stored_row, name)


def test_a_month_of_720_hours_is_a_price_per_month():
    """Latitude divides 1,230 USD a month by 720 hours, where all other prices of a month are divided by 730."""
    months = [row for row in stored("gpurentalprices")[0].values() if row.commitment_months == 1]
    assert [(row.amount, row.price_unit) for row in months] == [(1230, "month"), (2190, "month"), (5840, "month")]
    commitment = {"type": "term", "months": 1, "payment": "monthly plan; normalized over 720 hours"}
    (listed,) = parse("gpurentalprices", "latest.json", day(usd_hr=1.7083333333333333, commitment=commitment))[0].values()
    assert (listed.amount, listed.price_unit) == (1230, "month")


def test_what_is_out_of_stock_is_marked():
    rows = stored("gpurentalprices")[0].values()
    assert Counter(row.provider for row in rows if row.in_stock is False) == {"latitude": 9}
    (listed,) = parse("gpurentalprices", "latest.json", day(availability="out-of-stock"))[0].values()
    assert listed.in_stock is False


def test_runpod_and_vast_stay_out():
    for provider in ("runpod", "vast", "vastai"):
        assert codes(parse("gpurentalprices", "latest.json", day(provider=provider))[1]) == {"TERMS": 1}


def test_attribution_names_and_links_the_source():
    assert "https://gpurentalprices.com" in SOURCE.attribution
    assert SOURCE.licence == json.loads(stored_text("gpurentalprices", "rental_daily_2026.csv.json"))["licence"] == "CC BY 4.0"


@pytest.mark.parametrize(
    ("name", "offers", "billings"),
    [
        ("2026-07-05.json", (8, 52), {"on_demand": 8}),
        ("2026-08-01.json", (242, 52), {"on_demand": 156, "serverless": 49, "marketplace": 5, "spot": 32}),
    ],
)
def test_the_sample_days(name, offers, billings):
    kept, refused = parse("gpurentalprices", "latest.json", sample(f"gpurentalprices/{name}"))
    assert (len(kept), codes(refused)) == (offers[0], {"TERMS": offers[1]})
    assert Counter(row.billing for row in kept.values()) == billings
    assert {row.price_basis for row in kept.values()} == {"per_gpu"}


def test_the_list_of_a_past_day_has_an_address():
    assert SOURCE.daily_from == dt.date(2026, 8, 22)
    assert SOURCE.daily_url.format(day=SOURCE.daily_from).endswith("/gpu-rental-prices/main/data/snapshots/2026-08-22.json")
    kept, _ = parse("gpurentalprices", "2026-08-01.json", day())
    assert len(kept) == 1


def test_an_offer_carried_forward_keeps_the_day_that_it_was_read():
    kept, _ = parse("gpurentalprices", "latest.json", day(fetched_at="2026-07-28T07:00:00Z"))
    assert kept["item 0"].observed_at == dt.date(2026, 7, 28)


@pytest.mark.parametrize(
    ("name", "raw", "code"),
    [
        ("latest.json", day(kind="barter"), "UNKNOWN_FORMAT"),
        (TABLE, f"{HEAD}\n{ROW.replace('community', 'barter')}\n", "UNKNOWN_FORMAT"),
    ],
)
def test_other_rows_are_rejected_with_their_reason(name, raw, code):
    assert codes(parse("gpurentalprices", name, raw)[1]) == {code: 1}


def test_a_price_of_zero_is_rejected():
    assert normalized("gpurentalprices", "latest.json", day(usd_hr=0)) == ({}, {"item 0": "ZERO_PRICE"})
    table = f"{HEAD}\n{ROW}\n{ROW.replace('0.16', '0')}\n"
    assert normalized("gpurentalprices", TABLE, table) == ({"line 2, e4389aff775f": 0.16}, {"line 3, e4389aff775f": "ZERO_PRICE"})


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("latest.json", '{"date": "2026-08-01", "offers": []}', "not one item"),
        ("latest.json", '{"date": "2026-08-01"}', "no field 'offers'"),
        ("2026-08-02.json", day(), "the list is of 2026-08-01, not of the date in the file's name"),
        ("2026-08-02.json", "[]", "the list is of None"),
        ("latest.json", day().replace("usd_hr", "price"), "no field 'usd_hr'"),
        ("latest.json", day(usd_hr="12.29^1"), "not a number"),
        ("latest.json", day(fetched_at="yesterday"), "not a time"),
        ("latest.json", day()[:90], "broken JSON"),
        ("latest.json", "<html>502</html>", "broken JSON"),
        (TABLE, HEAD + "\n", "the table is empty"),
        (TABLE, f"{HEAD.replace('kind', 'type')}\n{ROW}\n", "the header lacks"),
        (TABLE, f"{HEAD}\n{ROW[:-40]}\n", "fields where the header names"),
        (TABLE, f"{HEAD}\n{ROW.replace('0.16', '0.16^1')}\n", "not a number"),
        (TABLE, f"{HEAD}\n{ROW.replace('2026-07-09T07', 'soon')}\n", "not a time"),
    ],
)
def test_a_changed_or_broken_file_fails_as_a_whole(name, raw, message):
    with pytest.raises(UnparsableError, match=message):
        parse("gpurentalprices", name, raw)


@pytest.mark.parametrize(("instance", "machine"), [("8x NVIDIA Tesla V100", None), ("8xH100-std", "8xH100-std")])
def test_the_title_of_an_offer_is_no_machine(instance, machine):
    """What a title says of the GPU counts: Lambda's V100 are SXM2 modules."""
    (listed,) = parse("gpurentalprices", "latest.json", day(provider="lambda", gpu="v100", instance=instance))[0].values()
    assert (listed.instance_type, listed.gpu_context) == (machine, f"lambda {instance}")
