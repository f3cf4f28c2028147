"""The Full Stack's tables: prices of machines, memory of one GPU, nothing read into a column that means two things."""

import datetime as dt
from collections import Counter

import pytest

from sources import UnparsableError
from sources.prices import cloud_gpus
from tests.unit.sources.prices.support import codes, normalized, parse, sample, stored, stored_text

HEAD = "Cloud,GPU Type,GPU Arch,GPUs,GPU RAM,vCPUs,RAM,On-demand,Per-GPU,Spot,Name"
ROW = "AWS,A100 (40 GB),Ampere,8,320,96,1152,32.77,4.10,9.83,p4d.24xlarge"
NAME = "cloud-gpus.csv"


def read(*rows):
    return parse("cloud_gpus", NAME, "\n".join([HEAD, *rows]) + "\n")


def test_the_committed_tables():
    kept, refused = stored("cloud_gpus")
    current = {locator: row for locator, row in kept.items() if not locator.startswith("neoclouds")}
    assert Counter(row.billing for row in current.values()) == {"on_demand": 33, "spot": 7, "serverless": 9}
    assert {row.observed_at for row in current.values()} == {dt.date(2025, 4, 1)}
    p4d = kept["cloud-gpus.csv line 2, on_demand"]
    assert (p4d.amount, p4d.price_basis, p4d.gpu_count, p4d.reported_memory_gb) == (32.77, "per_instance", 8, 40)
    assert kept["cloud-gpus.csv line 2, spot"].amount == 9.83
    mystic = next(row for row in kept.values() if row.provider == "Mystic AI")
    assert (mystic.price_raw, mystic.amount, mystic.reported_memory_gb, mystic.vcpus) == ("$0.4", 0.4, 16, None)
    assert codes(refused) == {"TERMS": 18}


def test_the_history_continues_the_offers_of_the_table():
    kept, _ = stored("cloud_gpus")
    table, history = kept["cloud-gpus.csv line 2, on_demand"], kept["neoclouds_2022_2025.csv line 2, 64463be8ccb1..b646e3067373"]
    for name in (
        "provider",
        "instance_type",
        "raw_gpu_name",
        "gpu_context",
        "gpu_count",
        "reported_memory_gb",
        "billing",
        "amount",
    ):
        assert getattr(table, name) == getattr(history, name)
    assert (history.effective_from, history.effective_to, history.days_observed) == (dt.date(2022, 8, 4), dt.date(2025, 3, 7), 29)


def test_the_sample_of_machines():
    kept, refused = parse("cloud_gpus", NAME, sample("fsdl_cloud_gpus/cloud-gpus.csv"))
    assert (Counter(row.billing for row in kept.values()), codes(refused)) == (
        {"on_demand": 248, "spot": 79},
        {"UNKNOWN_FORMAT": 4, "TERMS": 5},
    )
    assert {item.record.split(",")[0] for item in refused.values()} == {"Exoscale", "RunPod: row left out"}
    fluidstack = {row.reported_memory_gb for row in kept.values() if row.provider == "FluidStack" and "H100" in row.raw_gpu_name}
    assert fluidstack == {80}


def test_the_sample_of_serverless_offers():
    kept, refused = parse("cloud_gpus", "serverless-gpus.csv", sample("fsdl_cloud_gpus/serverless-gpus.csv"))
    assert (len(kept), refused) == (72, {})
    assert {row.billing for row in kept.values()} == {"serverless"}


def test_an_implausible_price_of_the_history_is_in_no_statistic():
    kept, _ = stored("cloud_gpus")
    marked = [row for row in kept.values() if row.remark == "SOURCE_ERROR"]
    assert {(row.provider, row.raw_gpu_name, row.amount / row.gpu_count) for row in marked} == {
        ("Dataoorts", "A100 (80 GB)", 0.55),
        ("Dataoorts", "GH200 (96 GB)", 0.88),
        ("Dataoorts", "H100 (80 GB)", 0.69),
        ("Lambda", "Quadro RTX 6000 (24 GB)", 4.4),
    }


def test_a_history_that_ends_before_it_starts_is_refused():
    text = stored_text("cloud_gpus", "neoclouds_2022_2025.csv").replace("2022-08-04,2025-03-07", "2025-03-07,2022-08-04", 1)
    with pytest.raises(UnparsableError, match="line 2: last_seen = '2022-08-04' is not a day from first_seen on"):
        parse("cloud_gpus", "neoclouds_2022_2025.csv", text)


def test_ranges_are_unknown():
    (row,) = read("Dataoorts,A100 (80 GB),Ampere,8,80,200-240,1200-1600,4.40,0.55,,gc2")[0].values()
    assert (row.vcpus, row.host_memory_gb, row.reported_memory_gb) == (None, None, 80)


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        (ROW.replace("32.77,4.10,9.83", ",1.70868,"), "UNKNOWN_FORMAT"),
        (ROW.replace("32.77,4.10,9.83", ",,"), "EMPTY"),
    ],
)
def test_other_rows_are_rejected_with_their_reason(changed, code):
    kept, refused = read(ROW, changed)
    assert (len(kept), codes(refused)) == (2, {code: 1})


def test_a_price_of_zero_is_rejected():
    kept, refused = normalized("cloud_gpus", NAME, f"{HEAD}\n{ROW}\n{ROW.replace('32.77,4.10,9.83', '0.00,,')}\n")
    assert (kept, refused) == ({"line 2, on_demand": 32.77, "line 2, spot": 9.83}, {"line 3, on_demand": "ZERO_PRICE"})


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (HEAD + "\n", "the table is empty"),
        (f"{HEAD.replace('On-demand', 'Hourly')}\n{ROW}\n", "the header lacks On-demand and"),
        (f"{HEAD}\n{ROW.replace('32.77', '32.77^1')}\n", "not a price"),
        (stored_text("cloud_gpus", NAME)[:150], "fields where"),
        ("<html>404: Not Found</html>", "the header lacks"),
    ],
)
def test_a_changed_or_broken_table_fails_as_a_whole(raw, message):
    with pytest.raises(UnparsableError, match=message):
        parse("cloud_gpus", NAME, raw)


def test_fetch_takes_both_tables():
    assert [download.name for download in cloud_gpus.fetch(lambda url, **_: b"x")] == [NAME, "serverless-gpus.csv"]
