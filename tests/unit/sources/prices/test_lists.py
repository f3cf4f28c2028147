"""Prices from lists that programs read: Vultr, DigitalOcean, Verda, SF Compute, AutoDL and others."""

import datetime as dt
import json

import pytest

from sources import UnparsableError, discover
from sources.prices.parsing import GB_PER_GIB
from tests.unit.sources.prices.support import codes, normalized, parse, sample, stored, stored_text

STORED = {  # prices kept, prices or rows refused
    "vultr": (11, {}),
    "digitalocean": (5, {}),
    "verda": (12, {}),
    "sfcompute": (8, {}),
    "autodl": (3, {}),
    "paperspace": (11, {"PLACEHOLDER_PRICE": 1}),
    "primeintellect": (5, {}),
    "runpod": (13, {"PLACEHOLDER_PRICE": 5, "UNKNOWN_GPU": 1}),
    "vast": (5, {}),
}
SAMPLED = [
    ("vultr", "vultr/plans.json", 3, {}),
    ("vultr", "vultr/plans-metal.json", 4, {}),
    ("digitalocean", "digitalocean/sizes.json", 2, {}),
    ("verda", "verda/instance_types.json", 6, {}),
    ("sfcompute", "sfcompute/sfcompute.html", 15, {}),
    ("paperspace", "paperspace/paperspace-plans-pricing.yml", 11, {"PLACEHOLDER_PRICE": 1}),
    ("runpod", "runpod/gpuTypes.json", 59, {"PLACEHOLDER_PRICE": 11, "UNKNOWN_GPU": 1}),
    ("runpod", "runpod/serverless-gpu-pricing-table.mdx", 10, {}),
    ("vast", "vast/vastai_bundles.json", 6, {}),
]
FILES = {
    "vultr": "plans-2025-01-08.json",
    "digitalocean": "sizes.json",
    "verda": "instance-types.json",
    "sfcompute": "home.html",
    "autodl": "machines.json",
    "paperspace": "plans-pricing.yml",
    "primeintellect": "availability.json",
    "runpod": "gpuTypes.json",
    "vast": "bundles.json",
}


def only(source_id, text):
    (row,) = parse(source_id, FILES[source_id], text)[0].values()
    return row


@pytest.mark.parametrize("source_id", STORED)
def test_committed_snapshots(source_id):
    accepted, rejected = stored(source_id)
    assert (len(accepted), codes(rejected)) == STORED[source_id]
    assert {row.provider for row in accepted.values()} == {source_id}


@pytest.mark.parametrize(("source_id", "name", "kept", "refused"), SAMPLED)
def test_samples(source_id, name, kept, refused):
    accepted, rejected = parse(source_id, name, sample(name))
    assert (len(accepted), codes(rejected)) == (kept, refused)


def test_the_sample_of_autodl():
    documented = json.loads(sample("autodl/api_docstring_samples.json"))["machine_list_docstring"]
    row = only("autodl", json.dumps({"code": "Success", "data": {"list": documented}}))
    assert (row.amount, row.currency, row.region) == (2.72, "CNY", "西北B区")
    assert row.host_memory_gb == pytest.approx(90 * GB_PER_GIB)


@pytest.mark.parametrize("source_id", FILES)
def test_a_torn_file_is_refused(source_id):
    text = stored_text(source_id, FILES[source_id])
    with pytest.raises(UnparsableError, match=r"broken|cut off"):
        parse(source_id, FILES[source_id], text[: text.rindex("- {") if source_id == "paperspace" else len(text) // 2])


@pytest.mark.parametrize("source_id", FILES)
@pytest.mark.parametrize("page", ["<html><body>Service unavailable</body></html>", '{"error": "unauthorized"}', ""])
def test_an_error_is_no_empty_price_list(source_id, page):
    with pytest.raises(UnparsableError):
        parse(source_id, FILES[source_id], page)


@pytest.mark.parametrize(
    ("source_id", "empty"),
    [
        ("vultr", '{"plans": []}'),
        ("vultr", '{"plans_metal": []}'),
        ("digitalocean", '{"sizes": []}'),
        ("verda", "[]"),
        ("sfcompute", '<script>self.__next_f.push([1, "{\\"pricesByHardwareType\\":{}}"])</script>'),
        ("autodl", '{"code": "Success", "data": {"list": []}}'),
        ("paperspace", "plans: []\nupdated: 2026-05-25"),
        ("primeintellect", '{"items": []}'),
        ("runpod", '{"data": {"gpuTypes": []}}'),
        ("runpod", "| GPU type(s) | Memory | Cost per second |\n| --- | --- | --- |\n"),
        ("vast", '{"offers": []}'),
    ],
)
def test_an_empty_list_is_an_error(source_id, empty):
    with pytest.raises(UnparsableError, match="not one"):
        parse(source_id, FILES[source_id], empty)


@pytest.mark.parametrize(
    ("source_id", "field"),
    [
        ("vultr", "hourly_cost"),
        ("vultr", "gpu_vram_gb"),
        ("digitalocean", "price_hourly"),
        ("digitalocean", "vram"),
        ("verda", "price_per_hour"),
        ("verda", "gpu_memory"),
        ("verda", "currency"),
        ("autodl", "payg_price"),
        ("autodl", "gpu_name"),
        ("paperspace", "price"),
        ("paperspace", "timeFrame"),
        ("primeintellect", "prices"),
        ("primeintellect", "gpuCount"),
        ("runpod", "securePrice"),
        ("runpod", "communityPrice"),
        ("runpod", "memoryInGb"),
        ("vast", "dph_total"),
        ("vast", "gpu_ram"),
    ],
)
def test_a_renamed_field_is_named(source_id, field):
    text = stored_text(source_id, FILES[source_id])
    for mark in (f'"{field}":', f"{field}:"):
        text = text.replace(mark, mark.replace(field, f"new_{field}"))
    with pytest.raises(UnparsableError, match=f"no field '{field}'"):
        parse(source_id, FILES[source_id], text)


def test_sfcompute_without_its_field():
    text = stored_text("sfcompute", FILES["sfcompute"])
    for old, new, says in (
        ("pricesByHardwareType", "prices", "the page has no"),
        ('\\"avg\\"', '\\"mean\\"', "no field 'avg'"),
        ("$D2026-07-15", "$Dlately", "is not a time"),
    ):
        with pytest.raises(UnparsableError, match=says):
            parse("sfcompute", "home.html", text.replace(old, new))


@pytest.mark.parametrize(
    ("source_id", "old", "new"),
    [
        ("vultr", '"hourly_cost": 2.397', '"hourly_cost": 0'),
        ("digitalocean", '"price_hourly": 4.41', '"price_hourly": 0'),
        ("verda", '"price_per_hour": "3.25"', '"price_per_hour": "0.00"'),
        ("autodl", '"payg_price": 2720', '"payg_price": 0'),
        ("primeintellect", '"onDemand": 4.99', '"onDemand": 0'),
        ("vast", '"dph_total": 6.404444444444444', '"dph_total": 0'),
    ],
)
def test_zero_is_no_price(source_id, old, new):
    text = stored_text(source_id, FILES[source_id])
    before, _ = normalized(source_id, FILES[source_id], text)
    after, refused = normalized(source_id, FILES[source_id], text.replace(old, new))
    assert (len(after), [*refused.values()]) == (len(before) - 1, ["ZERO_PRICE"])


@pytest.mark.parametrize(
    ("source_id", "zeros", "name", "sampled"),
    [
        ("sfcompute", 3, "sfcompute/sfcompute.html", 10),
        ("paperspace", 1, "paperspace/paperspace-plans-pricing.yml", 1),
        ("runpod", 1, "runpod/gpuTypes.json", 4),
    ],
)
def test_committed_and_sampled_prices_of_zero_are_rejected(source_id, zeros, name, sampled):
    for raw, expected in ((stored_text(source_id, FILES[source_id]), zeros), (sample(name), sampled)):
        kept, refused = normalized(source_id, FILES[source_id], raw)
        assert (all(kept.values()), [*refused.values()].count("ZERO_PRICE")) == (True, expected)


@pytest.mark.parametrize("wrong", ['"a lot"', '"4^1"', "true", "[4.41]", "NaN", "1e999", "-1"])
def test_a_price_that_is_no_number_is_an_error(wrong):
    text = stored_text("digitalocean", FILES["digitalocean"]).replace("4.41", wrong)
    with pytest.raises(UnparsableError, match=r"not a number|NaN is not JSON"):
        parse("digitalocean", FILES["digitalocean"], text)


def test_vultr_sells_shares_of_gpus():
    accepted, _ = stored("vultr")
    plans = {row.instance_type: row for place, row in accepted.items() if "2025" in place and row.billing == "on_demand"}
    small, whole = plans["vcg-a100-1c-6g-4vram"], plans["vcg-a100-12c-120g-80vram"]
    assert (small.partition, small.gpu_fraction, small.gpu_count, small.amount) == ("fraction", 0.05, None, 0.123)
    assert (whole.partition, whole.gpu_fraction, whole.gpu_count, whole.amount) == ("whole", None, 1, 2.397)
    metal = {(row.raw_gpu_name.split("-")[-2], row.billing): row for row in accepted.values() if row.tenancy == "bare_metal"}
    assert metal["mi300x", "on_demand"].amount == 17.52
    assert metal["h100", "spot"].amount == 18.4
    assert {row.gpu_count for row in metal.values()} == {8}


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        ({"gpu_type": "NVIDIA_B900", "gpu_vram_gb": 80}, "UNKNOWN_COUNT"),
        ({"gpu_type": "NVIDIA_A100", "gpu_vram_gb": 100}, "UNKNOWN_COUNT"),
        ({"gpu_type": None}, "NOT_A_GPU"),
    ],
)
def test_vultr_rejects_what_it_cannot_count(plan, code):
    accepted, rejected = parse("vultr", "plans.json", json.dumps({"plans": [{"id": "a", "hourly_cost": 1, **plan}]}))
    assert (accepted, codes(rejected)) == ({}, {code: 1})


def test_vultr_bare_metal_without_a_known_gpu():
    plans = [{"id": "vbm-4c-32gb", "hourly_cost": 1}, {"id": "vbm-4c-32gb-strange-gpu", "hourly_cost": 1}]
    _, rejected = parse("vultr", "metal.json", json.dumps({"plans_metal": plans}))
    assert codes(rejected) == {"NOT_A_GPU": 1, "UNKNOWN_GPU": 1}
    with pytest.raises(UnparsableError, match="no hourly_cost"):
        parse("vultr", "metal.json", '{"plans_metal": [{"id": "vbm-4c-32gb-8-h100-gpu"}]}')


def test_digitalocean_and_verda_state_the_memory_of_all_gpus():
    size = {"slug": "gpu-mi300x8-1536gb", "price_hourly": 15.92, "gpu_info": {"count": 8, "model": "amd_mi300x"}}
    size["gpu_info"]["vram"] = {"amount": 1536, "unit": "gib"}
    row = only("digitalocean", json.dumps({"sizes": [size]}))
    assert (row.reported_memory_gb, row.gpu_count, row.amount, row.price_basis) == (192, 8, 15.92, "per_instance")
    box = {"name": "RTX A6000 48GB", "currency": "usd", "price_per_hour": "1.98", "spot_price": None}
    box |= {"gpu": {"number_of_gpus": 2}, "gpu_memory": {"size_in_gigabytes": 96}}
    row = only("verda", json.dumps([box]))
    assert (row.reported_memory_gb, row.gpu_count, row.amount, row.currency) == (48, 2, 1.98, "USD")
    with pytest.raises(UnparsableError, match="unit"):
        parse("digitalocean", "sizes.json", json.dumps({"sizes": [size]}).replace("gib", "furlong"))


def test_machines_without_gpus_are_no_offers():
    sizes = {"sizes": [{"slug": "s-1vcpu-1gb", "price_hourly": 0.01}]}
    assert codes(parse("digitalocean", "sizes.json", json.dumps(sizes))[1]) == {"NOT_A_GPU": 1}
    boxes = [{"name": "CPU", "gpu": {"number_of_gpus": 0}, "price_per_hour": "0.03"}]
    assert codes(parse("verda", "instance-types.json", json.dumps(boxes))[1]) == {"NOT_A_GPU": 1}


def test_sfcompute_gives_the_average_of_each_day():
    accepted, _ = stored("sfcompute")
    found = {(row.raw_gpu_name, row.observed_at): row.amount for row in accepted.values()}
    assert found["H100", dt.date(2026, 7, 13)] == 1.94
    assert {row.billing for row in accepted.values()} == {"marketplace"}


def test_autodl_keeps_yuan_and_names_the_discount():
    accepted, _ = stored("autodl")
    assert {(row.amount, row.currency, row.tier) for row in accepted.values()} == {
        (2.72, "CNY", None),
        (2.384, "CNY", "member"),
        (2.51, "CNY", None),
    }
    with pytest.raises(UnparsableError, match="AuthorizeFailed"):
        parse("autodl", "machines.json", '{"code": "AuthorizeFailed", "msg": "login", "data": null}')


def test_paperspace_rates_may_need_a_commitment():
    accepted, _ = stored("paperspace")
    rates = [row for row in accepted.values() if row.kind == "cloud_rental"]
    assert {row.raw_gpu_name: row.amount for row in rates}["H100"] == 2.24
    assert {row.qualifier for row in rates} == {"from"}
    plans = {row.offer_id: (row.amount, row.price_unit) for row in accepted.values() if row.kind == "subscription"}
    assert plans == {"Free": (0, "month"), "Pro": (8, "month"), "Growth": (39, "month"), "Team T1": (12, "month")}
    text = stored_text("paperspace", FILES["paperspace"]).replace("commitment", "promise")
    assert {row.qualifier for row in parse("paperspace", "a.yml", text)[0].values()} == {"exact"}


def test_primeintellect_offers_of_others():
    offer = {"cloudId": "NVIDIA H100 PCIe", "gpuType": "H100_80GB", "socket": "PCIe", "provider": "one", "gpuCount": 2}
    offer |= {"gpuMemory": 80, "dataCenter": "US-KS-2", "country": "US", "vcpu": {"defaultCount": 16}, "security": "secure_cloud"}
    offer["prices"] = {"onDemand": 5.38, "communityPrice": None, "currency": "USD"}
    row = only("primeintellect", json.dumps({"items": [offer]}))
    assert (row.amount, row.gpu_count, row.price_basis, row.vcpus, row.tier) == (5.38, 2, "per_instance", 16, "secure_cloud")
    assert (row.gpu_context, row.offer_id, row.region) == ("PCIe", "one / NVIDIA H100 PCIe", "US-KS-2")
    offer["prices"]["onDemand"] = None
    assert codes(parse("primeintellect", "a.json", json.dumps({"items": [offer]}))[1]) == {"EMPTY": 1}


def test_sources_that_forbid_programs_are_declared_so():
    access = {source_id: discover()[source_id].SOURCE.automated_access for source_id in STORED}
    assert {source_id for source_id, value in access.items() if value == "forbidden"} == {"runpod", "vast"}
