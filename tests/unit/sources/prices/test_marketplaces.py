"""Peculiarities of RunPod and vast: placeholders, slices, serverless workers, and addresses that are not repeated."""

import json

import pytest

from sources import UnparsableError
from tests.unit.sources.prices.support import codes, parse, stored, stored_text


def test_placeholders_of_runpod_are_not_prices():
    accepted, rejected = stored("runpod")
    found = {(row.raw_gpu_name, row.tier): row for row in accepted.values()}
    h100 = found["NVIDIA H100 80GB HBM3", "community"]
    assert (h100.amount, h100.billing, h100.price_basis) == (2.69, "marketplace", "per_gpu")
    assert ("AMD Instinct MI300X OAM", "community") not in found
    mig = found["NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb", "secure"]
    assert (mig.partition, mig.reported_memory_gb) == ("mig", 24)
    assert {row.partition for row in accepted.values() if " MIG " not in row.raw_gpu_name} == {"whole"}
    assert all(item.reason for item in rejected.values())


def test_runpod_reservations_keep_their_term():
    gpu = {
        "id": "NVIDIA L4",
        "displayName": "L4",
        "memoryInGb": 24,
        "securePrice": 0.49,
        "communityPrice": None,
        "sixMonthPrice": 0.4,
    }
    accepted, _ = parse("runpod", "gpuTypes.json", json.dumps({"data": {"gpuTypes": [gpu]}}))
    assert {(row.billing, row.commitment_months, row.amount) for row in accepted.values()} == {
        ("on_demand", None, 0.49),
        ("reserved", 6, 0.4),
    }


def test_runpod_serverless_is_billed_by_the_second():
    table = "| **GPU type(s)** | **Memory** | **Cost per second** |\n| --- | --- | --- |\n| L4, A5000 | 24 GB | $0.00019 |\n"
    (row,) = parse("runpod", "table.mdx", table)[0].values()
    assert (row.raw_gpu_name, row.amount, row.price_unit, row.billing) == ("L4, A5000", 0.00019, "second", "serverless")
    assert codes(parse("runpod", "table.mdx", table.replace("$0.00019", "soon"))[1]) == {"PARSE": 1}
    with pytest.raises(UnparsableError, match="Cost per second"):
        parse("runpod", "table.mdx", table.replace("Cost per second", "Cost"))


def test_vast_repeats_nobodys_address():
    text = stored_text("vast", "bundles.json").replace('"num_gpus": 4', '"num_gpus": 0, "public_ipaddr": "192.0.2.7"')
    accepted, rejected = parse("vast", "bundles.json", text)
    assert codes(rejected)["NOT_A_GPU"] == 3
    assert "192.0.2.7" not in "".join(map(repr, [*accepted.values(), *rejected.values()]))
    row = stored("vast")[0]["bundles.json item 4"]
    assert (row.gpu_count, row.price_basis, row.billing, row.country) == (8, "per_instance", "marketplace", "JP")
    assert row.reported_memory_gb == pytest.approx(79.65, abs=0.01)
