"""gpurentalprices.com: the committed history of 47 days, and the daily list."""

import datetime as dt
import json
from collections import Counter

import pytest

from sources import UnparsableError
from sources.prices.gpurentalprices import COLUMNS, SOURCE
from tests.unit.sources.prices.support import codes, parse, sample, stored, stored_text

HEAD = ",".join(COLUMNS)
ROW = "salad,rtx-4090,24,community,2,0.16,2026-07-09,2026-07-12,4,0,https://salad.com/pricing"


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


def test_the_committed_history():
    kept, refused = stored("gpurentalprices")
    rows = list(kept.values())
    assert (len(rows), refused) == (762, {})
    assert Counter(row.billing for row in rows) == {"on_demand": 519, "spot": 185, "serverless": 53, "marketplace": 5}
    assert len({row.provider for row in rows}) == 33
    assert (min(row.effective_from for row in rows), max(row.effective_to for row in rows)) == (
        dt.date(2026, 7, 5),
        dt.date(2026, 8, 20),
    )
    assert all(row.observed_at == row.effective_to >= row.effective_from for row in rows)
    assert {row.tier for row in rows if row.billing == "marketplace"} == {"community"}
    aws = kept["history.csv line 9"]
    assert (aws.raw_gpu_name, aws.amount, aws.min_gpus, aws.reported_memory_gb) == ("h100-sxm", 12.29, 8, 80)


def test_attribution_names_and_links_the_source():
    assert "https://gpurentalprices.com" in SOURCE.attribution
    assert SOURCE.licence == json.loads(stored_text("gpurentalprices", "history.csv.json"))["licence"] == "CC BY 4.0"


@pytest.mark.parametrize(
    ("name", "offers", "billings"),
    [
        ("2026-07-05.json", 60, {"marketplace": 27, "on_demand": 33}),
        ("2026-08-01.json", 294, {"on_demand": 181, "serverless": 49, "marketplace": 32, "spot": 32}),
    ],
)
def test_the_sample_days(name, offers, billings):
    kept, refused = parse("gpurentalprices", "latest.json", sample(f"gpurentalprices/{name}"))
    assert (len(kept), refused) == (offers, {})
    assert Counter(row.billing for row in kept.values()) == billings
    assert {row.price_basis for row in kept.values()} == {"per_gpu"}
    assert {row.tier for row in kept.values() if row.provider == "runpod"} == {"community", "secure"}


def test_the_list_of_a_past_day_has_an_address():
    assert SOURCE.daily_from == dt.date(2026, 8, 21)
    assert SOURCE.daily_url.format(day=SOURCE.daily_from).endswith("/gpu-rental-prices/main/data/snapshots/2026-08-21.json")
    kept, _ = parse("gpurentalprices", "2026-08-01.json", day())
    assert len(kept) == 1


def test_an_offer_carried_forward_keeps_the_day_that_it_was_read():
    kept, _ = parse("gpurentalprices", "latest.json", day(fetched_at="2026-07-28T07:00:00Z"))
    assert kept["item 0"].observed_at == dt.date(2026, 7, 28)


@pytest.mark.parametrize(
    ("name", "raw", "code"),
    [
        ("latest.json", day(usd_hr=0), "ZERO_PRICE"),
        ("latest.json", day(kind="reserved"), "UNKNOWN_FORMAT"),
        ("history.csv", f"{HEAD}\n{ROW.replace('0.16', '0')}\n", "ZERO_PRICE"),
        ("history.csv", f"{HEAD}\n{ROW.replace('community', 'barter')}\n", "UNKNOWN_FORMAT"),
    ],
)
def test_other_rows_are_rejected_with_their_reason(name, raw, code):
    assert codes(parse("gpurentalprices", name, raw)[1]) == {code: 1}


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
        ("history.csv", HEAD + "\n", "the table is empty"),
        ("history.csv", f"{HEAD.replace('kind', 'type')}\n{ROW}\n", "header differs"),
        ("history.csv", f"{HEAD}\n{ROW[:-40]}\n", "fields where the header names"),
        ("history.csv", f"{HEAD}\n{ROW.replace('0.16', '0.16^1')}\n", "not a number"),
        ("history.csv", f"{HEAD}\n{ROW.replace('2026-07-12', '2026-07-01')}\n", "not a day after"),
    ],
)
def test_a_changed_or_broken_file_fails_as_a_whole(name, raw, message):
    with pytest.raises(UnparsableError, match=message):
        parse("gpurentalprices", name, raw)
