"""gcosts: machines by region, four terms each."""

import pytest

from pipeline.schema.prices import Price
from sources import UnparsableError
from tests.unit.sources.prices.support import parse, sample, stored, stored_text

SOURCE = "gcosts"


def test_the_upstream_form():
    kept, refused = parse(SOURCE, "pricing.yml", stored_text(SOURCE, "pricing.yml"))
    assert (len(kept), len(refused)) == (12, 0)
    row = kept["offer 1, month_3y"]
    assert (row.region, row.billing, row.commitment_months, row.price_unit) == ("asia-east1", "reserved", 36, "month")
    assert row.amount == 968.40125307
    assert {row.region for row in kept.values() if row.remark is None} == {"asia-northeast1"}  # the only one with an A100


def test_prices_of_regions_without_the_machine_count_in_no_statistic():
    """The H100 at 1.13 USD in Montreal, a sixth of the price in Iowa on the same day, cannot be rented."""
    listed = [row for row in stored(SOURCE)[0].values() if isinstance(row, Price) and row.instance_type == "a3-highgpu-8g"]
    regions = {row.region for row in listed if row.remark != "SOURCE_ERROR"}
    assert {one for one in regions if one.startswith("us-")} == {"us-central1", "us-east4", "us-east5", "us-west1", "us-west4"}
    assert {row.remark for row in listed if row.region == "northamerica-northeast1"} == {"SOURCE_ERROR"}


def test_the_sample_reads_the_same():
    kept, refused = parse(SOURCE, "pricing.yml", sample("gcp/gcosts_pricing_yml_excerpt.yml"))
    assert (len(kept), len(refused)) == (12, 0)


def test_a_machine_without_a_price_is_rejected_and_zero_is_no_price():
    text = stored_text(SOURCE, "pricing.yml").replace("hour_spot: 0.7563096", "hour_spot: 0")
    kept, refused = parse(SOURCE, "pricing.yml", text)
    assert (len(kept), len(refused)) == (11, 0)
    none = "compute: {instance: {a2-highgpu-1g: {a100: 1, cost: {asia-east1: {hour: 0}}}}}"
    kept, refused = parse(SOURCE, "pricing.yml", none)
    assert [item.reason_code for item in refused.values()] == ["ZERO_PRICE"]


@pytest.mark.parametrize("text", ["<html>moved</html>", "compute: {storage: {}}", "compute: [", ""])
def test_another_form_is_refused(text):
    with pytest.raises(UnparsableError, match="layout has changed"):
        parse(SOURCE, "pricing.yml", text)


def test_no_machine_costs_less_than_its_gpus():
    """Google charges 2.93 USD for an hour of an A100 alone; sums without the GPUs were stored for one region and one day."""
    kept, refused = stored(SOURCE)
    on_demand = [row for row in kept.values() if isinstance(row, Price) and row.billing == "on_demand"]
    assert min(row.amount / row.gpu_count for row in on_demand if row.instance_type.startswith("a2-")) > 2.93
    without_gpus = [item for item in refused.values() if "without its GPUs" in item.reason]
    assert {item.reason_code for item in without_gpus} == {"SOURCE_ERROR"}


@pytest.mark.parametrize("text", ["stored", "published"])
def test_small_h100_machines_are_sold_as_spot_alone(text):
    """Google sells a3-highgpu-1g, -2g and -4g as spot or flex start; the list computes all four terms."""
    machine = "a3-highgpu-2g"
    listed = f"compute: {{instance: {{{machine}: {{h100: 2, cost: {{asia-east1: {{hour: 9, hour_spot: 5, month_1y: 900}}}}}}}}}}"
    kept, refused = stored(SOURCE) if text == "stored" else parse(SOURCE, "pricing.yml", listed)
    billings = {row.billing for row in kept.values() if isinstance(row, Price) and row.instance_type == machine}
    reasons = [item.reason for item in refused.values() if machine in item.record and "spot or flex start" in item.reason]
    assert (billings, len(reasons) > 1) == ({"spot"}, True)


MACHINES = {
    "a2-ultragpu-1g": "a100-80gb: 1, cpu: 12, local-ssd: 375, ram: 170",
    "a3-highgpu-8g": "h100-80gb: 8, cpu: 208, local-ssd: 6000, ram: 1872",
    "g4-standard-12": "rtx6000: 0.25, cpu: 12, ram: 45",
    "n1-highcpu-2": "cpu: 2, ram: 1.8",
    "n1-highmem-2": "cpu: 2, ram: 13",
}
OFFER = (
    "instance_type", "billing", "commitment_months", "provider", "raw_gpu_name", "gpu_context", "gpu_count", "region", "kind",
    "os", "tier", "price_basis", "vcpus", "host_memory_gb", "storage_gb", "includes_host",
)  # fmt: skip


def test_the_published_file_continues_the_offers_of_the_history():
    """The sizes and the names of the GPUs are those of the published file of 2026; a machine without GPUs is no row."""
    costs = "us-central1: {hour: 2, hour_spot: 1, month: 1460, month_1y: 1000, month_3y: 500}"
    machines = [f"{name}: {{{parts}, cost: {{{costs}}}}}" for name, parts in MACHINES.items()]
    text = f"compute: {{instance: {{{', '.join(machines)}, n2-standard-2: {{cpu: 2, ram: 8, cost: {{{costs}}}}}}}}}"
    listed, refused = parse(SOURCE, "pricing.yml", text)
    assert (len(listed), refused) == (4 * len(MACHINES), {})
    history = [row for row in stored(SOURCE)[0].values() if isinstance(row, Price) and row.region == "us-central1"]
    before = {_offer(row)[:3]: _offer(row) for row in sorted(history, key=lambda row: row.observed_at)}
    assert [_offer(row) for row in listed.values()] == [before[_offer(row)[:3]] for row in listed.values()]


def _offer(row):
    return tuple(getattr(row, name) for name in OFFER)
