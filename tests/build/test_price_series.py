"""Prices of an H100 over the years, as the histories of five publishers state them."""

import csv
from pathlib import Path

import duckdb
import pytest

from pipeline.paths import DATA

LIST_2026 = DATA / "raw" / "gpurentalprices" / "rental_daily_2026.csv"
GCP_SPOT = {"2024-05-31": 7.80, "2025-03-31": 2.55, "2026-04-30": 4.30, "2026-07-31": 6.33}
AWS = {"2024-06-30": 12.29, "2025-04-30": 12.29, "2025-06-30": 6.88, "2026-07-31": 6.88}
MACHINES = {"gcp": ("a3-highgpu-8g", "us-central1"), "aws": ("p5.48xlarge", "us-east-1")}


@pytest.fixture(scope="module")
def con(built: Path):
    with duckdb.connect(str(built / "gpuledger.duckdb"), read_only=True) as connection:
        yield connection


def price_of(con, provider, billing, date):
    """The price of one GPU of the provider's machine with eight H100, from its own price list."""
    rows = con.execute(
        """SELECT DISTINCT round(usd_per_gpu_hour, 2) FROM price_as_of(?::DATE)
        WHERE (instance_type, region) = (?, ?) AND billing = ? AND source_id IN ('gcosts', 'karpenter-aws')""",
        [date, *MACHINES[provider], billing],
    ).fetchall()
    ((price,),) = rows
    return price


@pytest.mark.parametrize(("date", "usd"), GCP_SPOT.items())
def test_spot_price_at_google(con, date, usd):
    assert price_of(con, "gcp", "spot", date) == usd


@pytest.mark.parametrize(("date", "usd"), AWS.items())
def test_price_on_demand_at_aws(con, date, usd):
    assert price_of(con, "aws", "on_demand", date) == usd


@pytest.mark.parametrize("date", ["2025-09-18", "2026-07-10", "2026-08-20"])
def test_statistics_have_the_price_of_amazons_own_list_and_not_that_of_an_aggregator(con, date):
    """An aggregator had 12.29 in July 2026, and the bulk list has no price of these days."""
    terms = "gpu_model_id = 'nvidia-h100' AND billing = 'on_demand' AND date = ?::DATE"
    lowest = con.execute(f"SELECT usd_min FROM provider_price_daily WHERE {terms} AND provider = 'aws'", [date]).fetchall()
    assert lowest == [(6.88,)]


def test_first_price_at_lambda(con):
    rows = con.execute("""
        SELECT DISTINCT usd_per_gpu_hour FROM price_as_of(DATE '2023-05-31')
        WHERE provider = 'lambda' AND contains(raw_gpu_name, 'H100') AND source_id = 'cloud_gpus'
    """).fetchall()
    assert rows == [(2.40,)]


def test_three_providers_of_an_h100_in_june_2024(con):
    rows = con.execute("""
        SELECT count(DISTINCT provider) FROM price_as_of(DATE '2024-06-01')
        WHERE gpu_id LIKE 'nvidia-h100%' OR gpu_model_id LIKE '%h100%'
    """).fetchone()
    assert rows[0] >= 3


def test_a_price_counts_only_on_days_on_which_its_source_was_seen(con):
    """Google's list was seen on 271 days; every price of it was seen on exactly the days of its time."""
    rows = con.execute("""
        SELECT count(*) FROM (
            SELECT days_observed <> count(*) AS differs
            FROM price JOIN source_day AS day USING (source_id)
            WHERE source_id = 'gcosts' AND day.region = price.region AND date BETWEEN effective_from AND effective_to
            GROUP BY observation_id, days_observed
        ) WHERE differs
    """).fetchone()
    assert rows == (0,)
    assert con.execute("SELECT count(DISTINCT date) FROM source_day WHERE source_id = 'gcosts'").fetchone() == (271,)


def test_a_change_of_composition_is_no_move(con):
    """In May 2024 the list began to include local storage: 87.83 became 88.49 USD for the machine."""
    rows = con.execute("""
        SELECT change_ratio, flagged FROM price_change
        WHERE (instance_type, region, billing) = ('a3-highgpu-8g', 'us-central1', 'on_demand') AND valid_from = DATE '2024-05-21'
    """).fetchall()
    assert rows == [(None, False)]


def test_the_price_of_the_host_follows_from_machines_without_a_gpu(con):
    """GB-hour and vCPU-hour of Google's N1 machines in us-central1."""
    hourly = dict(
        con.execute("""
        SELECT instance_type, amount FROM price_as_of(DATE '2025-06-01')
        WHERE price_basis = 'host_only' AND region = 'us-central1' AND billing = 'on_demand' AND source_id = 'gcosts'
    """).fetchall()
    )
    gb_hour = (hourly["n1-highmem-2"] - hourly["n1-highcpu-2"]) / 11.2
    vcpu_hour = (hourly["n1-highcpu-2"] - 1.8 * gb_hour) / 2
    assert (round(gb_hour, 6), round(vcpu_hour, 6)) == (0.004237, 0.031611)


def test_machine_types_have_a_count_and_a_memory(con):
    rows = con.execute("""
        SELECT DISTINCT accelerator_count FROM instance_catalog
        WHERE (vendor, instance_type) = ('aws', 'p5en.48xlarge') AND accelerator_count > 0
    """).fetchall()
    assert rows == [(8.0,)]


@pytest.mark.parametrize(("name", "count"), [("h100", 28), ("h200", 17), ("rtx-pro-6000", 9)])
def test_every_listed_offer_of_a_day_is_in_the_data(con, name, count):
    """The aggregator's list of 21 August 2026, read from its file; 17 names of an H200 include two of the GH200.

    It lists TensorDock's prices as on demand; they are those of a marketplace.
    """
    with LIST_2026.open() as file:
        listed = [row for row in csv.DictReader(file) if (row["date"], row["kind"]) == ("2026-08-21", "on-demand")]
    wanted = sorted((row["gpu_label"], float(row["usd_per_gpu_hour"])) for row in listed if name in row["gpu_label"])
    found = con.execute(
        """SELECT raw_gpu_name, usd_per_gpu_hour FROM price
        WHERE source_id = 'gpurentalprices' AND DATE '2026-08-21' BETWEEN coalesce(effective_from, observed_at) AND observed_at
            AND (billing = 'on_demand' OR (provider, billing) = ('tensordock', 'marketplace'))
            AND contains(raw_gpu_name, ?) AND gpu_model_id IS NOT NULL
        ORDER BY ALL""",
        [name],
    ).fetchall()
    assert (len(wanted), found) == (count, wanted)
    ((current,),) = con.execute(
        """SELECT count(*) FROM price_as_of(DATE '2026-08-21')
        WHERE source_id = 'gpurentalprices' AND (billing = 'on_demand' OR (provider, billing) = ('tensordock', 'marketplace'))
            AND contains(raw_gpu_name, ?) AND NOT stale""",
        [name],
    ).fetchall()
    assert current == count


def test_few_names_of_a_day_are_ambiguous(con):
    """At most 2 percent of the rows of 21 August 2026 name several models."""
    with LIST_2026.open() as file:
        lines = [at for at, row in enumerate(csv.DictReader(file), start=2) if row["date"] == "2026-08-21"]
    sql = """SELECT regexp_extract(locator, '^line (\\d+),', 1)::INTEGER, reason_code
        FROM reject JOIN snapshot USING (snapshot_id) WHERE path LIKE '%/rental_daily_2026.csv'"""
    rejected = con.execute(sql).fetchall()
    assert len(lines) > 157
    assert rejected
    assert all(line for line, _ in rejected), "a locator of another form, so that no line is found"
    assert sum(code == "AMBIGUOUS_GPU" and line in lines for line, code in rejected) <= 0.02 * len(lines)


def test_a_price_under_two_names_of_one_source_has_the_variant_that_either_name_states(con):
    """A source that renames h100 to h100-sxm at the same price did not change the GPU."""
    found = con.execute(
        """SELECT provider, usd_per_gpu_hour FROM price WHERE kind = 'cloud_rental'
        GROUP BY source_id, provider, gpu_model_id, usd_per_gpu_hour
        HAVING count(DISTINCT gpu_id) = 1 AND count(gpu_id) < count(*)"""
    ).fetchall()
    assert found == []
