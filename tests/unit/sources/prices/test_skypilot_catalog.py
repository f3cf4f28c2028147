"""SkyPilot: every variant of columns, GPUs apart from Google's machines, bid floors, memory counted in three ways."""

import pytest

from sources import UnparsableError
from sources.prices import skypilot_catalog
from tests.unit.sources.prices.support import codes, normalized, parse, sample, stored, stored_text

SOURCE = "skypilot_catalog"
HEAD = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice"


def info(size, gpus, total):
    gpu = f"{{'Name': 'X', 'Count': {gpus}, 'MemoryInfo': {{'SizeInMiB': {size}}}}}"
    return f"\"{{'Gpus': [{gpu}], 'TotalGpuMemoryInMiB': {total}}}\""


def row(machine="m", gpu="H100", gpus="8", price="24.0", **more):
    return f"{machine},{gpu},{gpus},8,64,{price},us-1,{more.get('memory', '')},{more.get('spot', '')}"


def read(cloud, *rows, head=HEAD):
    return parse(SOURCE, f"v8_{cloud}_vms.csv", "\n".join([head, *rows]) + "\n")


def test_the_committed_files():
    kept, refused = stored(SOURCE)
    assert (len(kept), codes(refused)) == (10, {"NOT_A_GPU": 2, "PLACEHOLDER_PRICE": 2})
    lambda_v100 = kept["v8_lambda_vms.csv line 4, on_demand"]
    assert (lambda_v100.raw_gpu_name, lambda_v100.gpu_context, lambda_v100.gpu_count) == ("gpu_8x_v100", "V100", 8)
    assert (lambda_v100.amount, lambda_v100.reported_memory_gb, lambda_v100.price_basis) == (6.32, 16, "per_instance")


def test_google_lists_machines_without_their_gpus_and_gpus_without_a_machine():
    kept, _ = stored(SOURCE)
    google = [row for row in kept.values() if row.provider == "gcp"]
    assert [(row.raw_gpu_name, row.price_basis, row.gpu_count, row.includes_host) for row in google] == [
        ("a2-highgpu-1g", "host_only", None, True),
        ("a2-highgpu-8g", "host_only", None, True),
        ("T4", "per_instance", 1, False),
        ("T4", "per_instance", 2, False),
        ("L4", "per_instance", 8, False),
        ("tpu-v6e-32", "per_instance", None, False),
    ]


def test_a_google_machine_with_a_gpu_in_its_row_is_host_only_too():
    (host,) = read("gcp", row("a2-highgpu-1g", "A100", "1", "0.739"))[0].values()
    assert (host.price_basis, host.raw_gpu_name, host.gpu_context) == ("host_only", "A100", "a2-highgpu-1g")


@pytest.mark.parametrize(
    ("name", "prices", "rejected"),
    [("v8_lambda_vms.csv", 4, {"NOT_A_GPU": 1}), ("v7_mithril_vms.csv", 3, {}), ("v8_vast_vms.csv", 17, {})],
)
def test_the_samples(name, prices, rejected):
    kept, refused = parse(SOURCE, name, sample(f"skypilot/{name}"))
    assert (len(kept), codes(refused)) == (prices, rejected)
    assert all(row.reported_memory_gb for row in kept.values())


def test_the_sample_of_mithril_holds_bid_floors():
    kept, _ = parse(SOURCE, "v7_mithril_vms.csv", sample("skypilot/v7_mithril_vms.csv"))
    assert {(row.raw_gpu_name, row.billing, row.reported_memory_gb) for row in kept.values()} == {
        ("h100-80gb.sxm.8x", "bid_floor", 80),
        ("a100-80gb.sxm.8x", "bid_floor", 80),
        ("a100-80gb.sxm.1x", "bid_floor", 80),
    }


def test_the_sample_of_vast_keeps_suffixes_memory_and_country():
    kept, _ = parse(SOURCE, "v8_vast_vms.csv", sample("skypilot/v8_vast_vms.csv"))
    rows = {row.raw_gpu_name: row for row in kept.values()}
    assert rows["2x-RTX_4070S_Ti-32-65536"].gpu_context == "RTX4070"
    assert rows["2x-H200-32-65536"].reported_memory_gb == rows["1x-H200-32-65536"].reported_memory_gb == 140.4
    assert [row.reported_memory_gb for row in kept.values() if "4090" in row.raw_gpu_name] == [24.0, 48.0]
    assert (rows["4x-B200-32-65536"].country, rows["2x-RTX_5090-32-65536"].country) == ("US", "IS")
    assert {row.billing for row in kept.values()} == {"marketplace"}


@pytest.mark.parametrize("name", ["v7_common_metadata.csv", "v8_common_accelerators_excerpt.csv"])
def test_files_that_are_no_price_lists_are_refused(name):
    with pytest.raises(UnparsableError, match="no file of machines"):
        parse(SOURCE, name, sample(f"skypilot/{name}"))


@pytest.mark.parametrize(
    ("cloud", "memory", "gpus", "expected"),
    [
        ("nebius", info(144384, 8, 1155072), "8", 141),
        ("lambda", info(16384, 8.0, 16384), "8.0", 16),
        ("primeintellect", info(655360, 8, 5242880).replace("'", '""'), "8.0", 80),
        ("cudo", info(655360, 8, 655360), "8", None),
        ("cudo", info(49152, 1, 49152), "1", 48),
        ("azure", "H100", "8", None),
        ("aws", "\"__import__('os').system('x')\"", "8", None),
        ("aws", '"' + "[" * 500 + '"', "8", None),
    ],
)
def test_memory_is_that_of_one_gpu_or_unknown(cloud, memory, gpus, expected):
    (found,) = read(cloud, row(gpus=gpus, memory=memory))[0].values()
    assert found.reported_memory_gb == expected


def test_price_and_spot_price_of_one_row_and_zero_as_none():
    kept, refused = read(
        "aws", row("p5.48xlarge", spot="9.5"), row("p4d.24xlarge", spot="0.00"), row("g6.xlarge", price="", spot="1")
    )
    assert [(locator, found.amount) for locator, found in kept.items()] == [
        ("line 2, on_demand", 24),
        ("line 2, spot", 9.5),
        ("line 3, on_demand", 24),
        ("line 4, spot", 1),
    ]
    assert refused == {}


def test_a_price_of_zero_is_rejected():
    kept, refused = normalized(SOURCE, "v8_primeintellect_vms.csv", "\n".join([HEAD, row(), row(price="0.0", spot="9.5")]) + "\n")
    assert (kept, refused) == ({"line 2, on_demand": 24, "line 3, spot": 9.5}, {"line 3, on_demand": "ZERO_PRICE"})


def test_a_row_listed_twice_counts_once():
    kept, refused = normalized(SOURCE, "v8_primeintellect_vms.csv", "\n".join([HEAD, row(), row()]) + "\n")
    assert (kept, refused) == ({"line 2, on_demand": 24}, {"line 3, on_demand": "DUPLICATE"})


def test_a_part_of_a_gpu():
    (part,) = read("azure", row("Standard_NV6ads_A10_v5", "A10", "0.167"))[0].values()
    assert (part.gpu_count, part.gpu_fraction, part.partition) == (None, 0.167, "fraction")


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        (row(gpu="", gpus="0"), "NOT_A_GPU"),
        (row(gpus="2.5"), "UNKNOWN_COUNT"),
        (row(price="NaN"), "NOT_FINITE"),
        (row(price=""), "EMPTY"),
    ],
)
def test_other_rows_are_rejected_with_their_reason(changed, code):
    assert codes(read("aws", row(), changed)[1]) == {code: 1}


@pytest.mark.parametrize(
    "head",
    [
        "InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice",
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone,Arch",
        "InstanceType,UpstreamCloudId,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,AvailabilityZone,Price,SpotPrice",
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,Generation",
        "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo",
    ],
)
def test_columns_may_be_in_any_order(head):
    cells = {"InstanceType": "n3-H100x8", "AcceleratorName": "H100", "AcceleratorCount": "8.0", "Price": "15.2", "Region": "CA"}
    (found,) = read("primeintellect", ",".join(cells.get(name, "") for name in head.split(",")), head=head)[0].values()
    assert (found.raw_gpu_name, found.gpu_count, found.amount, found.country) == ("H100", 8, 15.2, "CA")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (f"{HEAD}\n", "the table is empty"),
        (f"{HEAD.replace('Price,Region', 'Cost,Region')}\n{row()}\n", r"header lacks Price;"),
        (f"{HEAD}\n{row(price='24.0^1')}\n", "not a number"),
        (stored_text(SOURCE, "v8_lambda_vms.csv")[:300], "broken CSV|fields where"),
        ("<html><body>404: Not Found</body></html>", "the header lacks"),
        ("404: Not Found", "the header lacks"),
    ],
)
def test_a_changed_or_broken_file_fails_as_a_whole(raw, message):
    with pytest.raises(UnparsableError, match=message):
        parse(SOURCE, "v8_lambda_vms.csv", raw)


def test_fetch_leaves_out_those_whose_terms_forbid_it():
    downloads = list(skypilot_catalog.fetch(lambda url, *, expect, **_: b"x"))
    assert not {"v8_runpod_vms.csv", "v8_vast_vms.csv"} & {download.name for download in downloads}
    assert downloads[0].url.endswith("/catalogs/v8/aws/vms.csv")
