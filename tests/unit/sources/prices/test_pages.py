"""Prices from pages: Lambda, Nebius, CoreWeave, Hyperstack. Their rows, and errors when they change."""

import datetime as dt

import pytest

from sources import UnparsableError
from tests.unit.sources.prices.support import codes, normalized, parse, sample, stored, stored_text

STORED = {  # prices kept, prices or rows refused
    "lambda": (12, {"EMPTY": 1}),
    "nebius": (17, {"PLACEHOLDER_PRICE": 4}),
    "coreweave": (11, {"PLACEHOLDER_PRICE": 4, "DUPLICATE": 3}),
    "hyperstack": (15, {}),
}
SAMPLED = [
    ("lambda", "lambda/instance_types_shape.json", 2, {}),
    ("lambda", "lambda/lambda_pricing_row_shape.html", 2, {"EMPTY": 1}),
    ("nebius", "nebius/nebius_gpu_tables_excerpt.html", 17, {"PLACEHOLDER_PRICE": 4}),
    ("coreweave", "coreweave/coreweave_pricing_excerpt.html", 3, {"PLACEHOLDER_PRICE": 4, "DUPLICATE": 3}),
    ("hyperstack", "hyperstack/hyperstack_pricing_excerpt.html", 4, {}),
]
PAGES = {
    "lambda": "pricing-2026-09-16.html",
    "nebius": "pricing.md",
    "coreweave": "pricing-2026-10-07.html",
    "hyperstack": "gpu-pricing-2026-10-01.html",
}
ERROR_PAGE = "<!doctype html><html><body><h1>Just a moment...</h1><p>Checking your browser</p></body></html>"


@pytest.mark.parametrize("source_id", STORED)
def test_committed_snapshots(source_id):
    accepted, rejected = stored(source_id)
    assert (len(accepted), codes(rejected)) == STORED[source_id]
    assert {(row.provider, row.kind, row.currency, row.price_unit) for row in accepted.values()} == {
        (source_id, "cloud_rental", "USD", "hour")
    }


@pytest.mark.parametrize(("source_id", "name", "kept", "refused"), SAMPLED)
def test_samples(source_id, name, kept, refused):
    accepted, rejected = parse(source_id, name, sample(name))
    assert (len(accepted), codes(rejected)) == (kept, refused)


@pytest.mark.parametrize("source_id", PAGES)
@pytest.mark.parametrize("page", [ERROR_PAGE, "", "<html></html>"])
def test_an_error_page_is_no_empty_price_list(source_id, page):
    with pytest.raises(UnparsableError, match="not one"):
        parse(source_id, "page.html", page)


@pytest.mark.parametrize(
    ("source_id", "old", "new", "says"),
    [
        ("lambda", "PRICE/GPU/HR*", "PRICE", "PRICE/GPU/HR"),
        ("nebius", "GPU-hour", "Price", "not one row"),
        ("nebius", "| $7.85 | $9.50 |", "| $7.85 |", "4 cells under 5 columns"),
        ("nebius", "October 1, 2026", "Oktober 1, 2026", "no date in the column"),
        ("coreweave", "Spot Price (Per Hour)", "Spot (Per Hour)", "lacks the column.s. Spot Price"),
        ("coreweave", "GPU Count", "GPUs", "lacks the column.s. GPU Count"),
        ("coreweave", '<div class="table-v2-cell">61.44</div>', "", "8 cells under 9 columns"),
        ("hyperstack", "Starting from&nbsp;", "Terms", "expected a column of prices"),
    ],
)
def test_a_changed_layout_is_named(source_id, old, new, says):
    text = stored_text(source_id, PAGES[source_id])
    assert old in text
    with pytest.raises(UnparsableError, match=says):
        parse(source_id, PAGES[source_id], text.replace(old, new))


@pytest.mark.parametrize(
    ("source_id", "old", "new"),
    [
        ("lambda", "$4.29", "$4.29.1"),
        ("nebius", "$3.85", "3,85 $"),
        ("coreweave", "$35.84", "35.84 USD"),
        ("hyperstack", "$6.00", "six"),
    ],
)
def test_a_price_that_cannot_be_read_is_rejected(source_id, old, new):
    text = stored_text(source_id, PAGES[source_id])
    before, _ = parse(source_id, PAGES[source_id], text)
    after, rejected = parse(source_id, PAGES[source_id], text.replace(old, new, 1))
    assert len(after) == len(before) - 1
    assert codes(rejected)["PARSE"] == 1


@pytest.mark.parametrize(
    ("source_id", "price"), [("lambda", "$4.29"), ("nebius", "$3.85"), ("coreweave", "$42.00"), ("hyperstack", "$6.00")]
)
def test_zero_is_no_price(source_id, price):
    text = stored_text(source_id, PAGES[source_id])
    before, _ = normalized(source_id, PAGES[source_id], text)
    after, refused = normalized(source_id, PAGES[source_id], text.replace(price, "$0.00", 1))
    assert (len(after), list(refused.values()).count("ZERO_PRICE")) == (len(before) - 1, 1)


def test_lambda_lists_instances_in_its_api_and_single_gpus_on_its_page():
    answer = """{"data": {"a": {"instance_type": {"name": "gpu_8x_h100_sxm5", "gpu_description": "H100 (80 GB SXM5)",
      "price_cents_per_hour": 3592, "specs": {"vcpus": 208, "memory_gib": 1800, "storage_gib": 24780, "gpus": 8}}},
      "b": {"instance_type": {"name": "cpu_4x", "gpu_description": "N/A", "price_cents_per_hour": 20, "specs": {"gpus": 0}}},
      "c": {"instance_type": {"name": "gpu_1x", "gpu_description": "A10", "price_cents_per_hour": 0, "specs": {"gpus": 1}}}}}"""
    accepted, rejected = parse("lambda", "instance-types.json", answer)
    row = accepted["instance 0"]
    assert (row.amount, row.price_basis, row.gpu_count, row.reported_memory_gb) == (35.92, "per_instance", 8, 80)
    assert row.host_memory_gb == pytest.approx(1800 * 1.073741824)
    assert codes(rejected) == {"NOT_A_GPU": 1}
    assert normalized("lambda", "instance-types.json", answer)[1] == {"instance 1": "NOT_A_GPU", "instance 2": "ZERO_PRICE"}
    page, _ = stored("lambda")
    assert {row.amount for row in page.values() if row.raw_gpu_name == "NVIDIA H100 SXM"} == {3.99, 4.29}
    assert {(row.price_basis, row.gpu_count) for row in page.values()} == {("per_gpu", None)}


@pytest.mark.parametrize("answer", ['{"error": {"code": "global/invalid-api-key"}}', '{"data": {"a": {"inst', '{"data": {}}'])
def test_lambda_refuses_an_error_a_torn_answer_and_an_empty_one(answer):
    with pytest.raises(UnparsableError, match=r"data|JSON|not one"):
        parse("lambda", "instance-types.json", answer)


def test_lambda_reads_a_row_printed_twice_once():
    text = stored_text("lambda", PAGES["lambda"])
    (line,) = (line for line in text.splitlines() if "$4.29" in line)
    before, _ = normalized("lambda", "page.html", text)
    accepted, rejected = normalized("lambda", "page.html", text.replace(line, line + line))
    assert (len(accepted), list(rejected.values()).count("DUPLICATE")) == (len(before), 1)


def test_nebius_keeps_the_present_and_the_announced_price_apart():
    accepted, _ = stored("nebius")
    h200 = sorted((row for row in accepted.values() if row.raw_gpu_name == "NVIDIA HGX H200"), key=lambda row: row.amount)
    assert [(row.amount, row.effective_from, row.effective_to) for row in h200] == [
        (4.5, None, dt.date(2026, 9, 30)),
        (5.4, dt.date(2026, 10, 1), None),
    ]
    intel = [row for row in accepted.values() if row.raw_gpu_name == "NVIDIA L40S with Intel CPU"]
    assert {(row.billing, row.amount, row.qualifier, row.vcpus) for row in intel} == {
        ("on_demand", 1.55, "from", None),
        ("spot", 0.74, "from", None),
    }


def test_coreweave_reads_footnotes_thousands_and_bases():
    accepted, _ = stored("coreweave")
    found = {(row.raw_gpu_name, row.tier or row.billing): row for place, row in accepted.items() if "10-07" in place}
    gb200, b300 = found["NVIDIA GB200 NVL72", "on_demand"], found["NVIDIA HGX B300", "spot"]
    assert (gb200.gpu_count, gb200.amount, gb200.price_basis) == (4, 42.0, "per_instance")
    assert (b300.gpu_count, b300.host_memory_gb, b300.storage_gb) == (8, 4096, 61440)
    inference = found["NVIDIA GB200 NVL72", "inference"]
    assert (inference.gpu_count, inference.amount, inference.price_basis) == (1, 10.5, "per_gpu")
    assert {row.region for row in accepted.values()} == {"NORTH AMERICA"}


def test_coreweave_without_a_count_has_no_price():
    text = stored_text("coreweave", PAGES["coreweave"]).replace("4^1", "a rack")
    accepted, rejected = parse("coreweave", "page.html", text)
    assert codes(rejected)["UNKNOWN_COUNT"] == 1
    assert {row.raw_gpu_name for row in accepted.values()} == {"NVIDIA GB200 NVL72", "NVIDIA HGX B300"}


def test_hyperstack_reserves_from_a_price():
    accepted, _ = stored("hyperstack")
    (reserved,) = (row for row in accepted.values() if row.billing == "reserved")
    assert (reserved.amount, reserved.qualifier, reserved.commitment_months) == (2.72, "from", None)
    assert {row.amount for row in accepted.values() if row.raw_gpu_name == "NVIDIA A100 NVLink"} == {1.4}
