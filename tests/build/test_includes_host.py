"""Hosts of the committed prices, and Google's GPU-only prices with a host."""

from pathlib import Path

import duckdb
import pytest


@pytest.fixture(scope="module")
def con(built: Path):
    with duckdb.connect(str(built / "gpuledger.duckdb"), read_only=True) as connection:
        yield connection


def test_an_aggregators_machine_includes_the_host_of_the_catalog(con):
    rows = con.execute("""
        SELECT DISTINCT gpu_count, vcpus, round(host_memory_gb), includes_host, host_stated_by FROM price
        WHERE source_id = 'gpurentalprices' AND instance_type = 'p5.48xlarge'
    """).fetchall()
    assert rows == [(8, 192, 2199, True, "instance_catalog")]


@pytest.mark.parametrize(
    ("provider", "host"),
    [
        ("massedcompute", (True, "provider_fact")),
        ("scaleway", (True, "provider_fact")),
        ("spheron", (None, None)),
        ("tensordock", (None, None)),
        ("gcp", (False, "source")),
    ],
)
def test_an_aggregators_provider(con, provider, host):
    rows = con.execute(
        "SELECT DISTINCT includes_host, host_stated_by FROM price WHERE source_id = 'gpurentalprices' AND provider = ?",
        [provider],
    ).fetchall()
    assert rows == [host]


def test_most_current_offers_on_demand_state_the_host(con):
    ((share,),) = con.execute(
        "SELECT avg((includes_host IS NOT NULL)::INTEGER) FROM offer WHERE billing = 'on_demand'"
    ).fetchall()
    assert share > 0.8


def test_rates_of_the_host_in_iowa(con):
    ((gib, vcpu),) = con.execute("""
        SELECT usd_per_gb_hour * gb_per_gib(), usd_per_vcpu_hour FROM host_rate
        WHERE region = 'us-central1' AND billing = 'on_demand'
    """).fetchall()
    assert (round(gib, 6), round(vcpu, 6)) == (0.004237, 0.031611)
    ((machine,),) = con.execute("""
        SELECT amount FROM price_latest JOIN price USING (observation_id)
        WHERE price.instance_type = 'a2-highgpu-1g' AND price.region = 'us-central1' AND price.billing = 'on_demand'
            AND price.source_id = 'gcosts'
    """).fetchall()
    assert 2.933908 + 12 * vcpu + 85 * gib == pytest.approx(machine, abs=1e-5)


def test_a_gpu_alone_is_shown_with_a_standard_machine_and_ranked_without(con):
    rows = con.execute("""
        SELECT DISTINCT gpu_model_id, round(usd_per_gpu_hour_with_host, 3) FROM price_with_host
        WHERE billing = 'on_demand' ORDER BY ALL
    """).fetchall()
    assert rows == [("nvidia-t4", 0.73), ("nvidia-tesla-v100", 2.86)]
    counted = con.execute("SELECT count(*) FROM price_with_host JOIN offer_current USING (observation_id)").fetchall()
    assert counted == [(0,)]


def test_few_processor_threads_are_remarked_on_whole_gpus_alone(con):
    """A share of a GPU has a share of the threads."""
    flagged = "contains(coalesce(flags, ''), 'CPU_STARVED')"
    few = f"vcpus / coalesce(gpu_count, 1) <= (SELECT max(vcpus / gpu_count) FROM price WHERE {flagged})"
    of_gpus = "gpu_model_id IS NOT NULL"  # Google's machines without a GPU are there for the price of a host
    found = con.execute(f"SELECT DISTINCT partition, {flagged} FROM price WHERE {of_gpus} AND {few} ORDER BY ALL").fetchall()
    assert found == [("fraction", False), ("whole", True)]
