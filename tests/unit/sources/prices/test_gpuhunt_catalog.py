"""gpuhunt: prices per instance-hour out of archives; TPU prices per chip."""

import io
import json
import zipfile

import pytest

from sources import UnparsableError
from sources.prices import gpuhunt_catalog
from tests.unit.sources.prices.support import codes, normalized, parse, sample, stored, stored_text

SOURCE = "gpuhunt_catalog"
HEAD = (
    "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data"
)
ROW = "8H100.80S.176V,FIN-02,18.4,176,1480.0,8,H100,80.0,False,,nvidia,,x86,{}"
TPU = "tpu_pricing.json"


def read(provider, *rows, head=HEAD):
    return parse(SOURCE, f"{provider}.csv", "\n".join([head, *rows]) + "\n")


def archive(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name, text in files.items():
            packed.writestr(zipfile.ZipInfo(f"{name}.csv"), text)
    return out.getvalue()


def test_the_committed_tpu_prices():
    kept, refused = stored(SOURCE)
    assert (len(kept), refused) == (30, {})
    assert {(row.price_basis, row.provider) for row in kept.values()} == {("per_gpu", "gcp")}
    v6e = {row.billing: row.amount for row in kept.values() if row.raw_gpu_name == "TPU v6e" and row.region == "us-east1"}
    assert v6e == {"on_demand": 2.7, "spot": 1.89}


def test_the_sample_of_tpu_prices():
    kept, refused = parse(SOURCE, TPU, sample("gpuhunt/tpu_pricing.json"))
    assert (len(kept), refused) == (42, {})
    older = {row.raw_gpu_name for row in kept.values() if row.price_basis == "per_node"}
    assert older == {"TPU v3 pod", "TPU v3 device", "TPU v2 pod", "TPU v2 device"}


def test_the_price_is_that_of_the_machine():
    kept, _ = read("verda", ROW, ROW.replace("18.4", "8.56").replace("False", "True"))
    machine, spot = kept.values()
    assert (machine.amount, machine.price_basis, machine.gpu_count, machine.reported_memory_gb) == (18.4, "per_instance", 8, 80)
    assert (machine.raw_gpu_name, machine.gpu_context, machine.region) == ("H100", "8H100.80S.176V", "FIN-02")
    assert (machine.billing, spot.billing) == ("on_demand", "spot")


def test_large_clouds_name_the_gpu_by_the_machine():
    (row,) = read("aws", "p5.48xlarge,us-east-1,55.04,192,2048,8,H100,80,False,,nvidia,aws-efa,x86,{}")[0].values()
    assert (row.raw_gpu_name, row.gpu_context) == ("p5.48xlarge", "H100; aws-efa")


def test_a_tpu_has_no_count_of_gpus():
    (row,) = read("gcp", "v5litepod-8,us-east5,9.6,,,1,v5litepod-8,,False,,google,,,{}")[0].values()
    assert (row.raw_gpu_name, row.gpu_count) == ("v5litepod-8", None)


def test_older_files_have_fewer_columns_in_another_order():
    head = "price,instance_name,location,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size"
    (row,) = read("verda", "2.3,1H100,FIN-01,30,120,1,H100,80,False,", head=head)[0].values()
    assert (row.amount, row.gpu_context) == (2.3, "1H100")


def test_a_machine_without_gpus_is_rejected():
    assert codes(read("verda", ROW, ROW.replace(",8,H100", ",0,").replace("80.0", ""))[1]) == {"NOT_A_GPU": 1}


def test_a_price_of_zero_is_rejected():
    machines = f"{HEAD}\n{ROW}\n{ROW.replace('18.4', '0.0')}\n"
    assert normalized(SOURCE, "verda.csv", machines) == ({"line 2": 18.4}, {"line 3": "ZERO_PRICE"})
    chips = json.dumps({"TPU v6e": {"us-east1": {"On Demand (USD)": 2.7, "Spot (USD)": 0}}})
    assert normalized(SOURCE, TPU, chips) == ({"item 0, on_demand": 2.7}, {"item 0, spot": "ZERO_PRICE"})


@pytest.mark.parametrize(
    ("name", "raw", "message"),
    [
        ("verda.csv", HEAD + "\n", "the table is empty"),
        ("verda.csv", f"{HEAD.replace(',price,', ',cost,')}\n{ROW}\n", r"header lacks price;"),
        ("verda.csv", f"{HEAD}\n{ROW[:40]}\n", "fields where"),
        ("verda.csv", f"{HEAD}\n{ROW.replace('18.4', '18.4^1')}\n", "not a number"),
        ("verda.csv", f"{HEAD}\n{ROW.replace('False', 'maybe')}\n", "not True or False"),
        ("verda.csv", "<Error><Code>AccessDenied</Code></Error>", "the header lacks"),
        (TPU, "{}", "not one item"),
        (TPU, stored_text(SOURCE, TPU).replace("Spot (USD)", "Spot"), "no field 'Spot \\(USD\\)'"),
        (TPU, stored_text(SOURCE, TPU)[:200], "broken JSON"),
        (TPU, '{"TPU v6e": [1]}', "no prices by TPU"),
    ],
)
def test_a_changed_or_broken_file_fails_as_a_whole(name, raw, message):
    with pytest.raises(UnparsableError, match=message):
        parse(SOURCE, name, raw)


def test_fetch_unpacks_the_newest_version():
    asked = []

    def get(url, *, expect):
        asked.append(url.removeprefix(gpuhunt_catalog.SOURCE.url))
        return b"20260910-1\n" if url.endswith("version") else archive(aws=f"{HEAD}\n{ROW}\n")

    download = next(gpuhunt_catalog.fetch(get))
    assert asked == ["/aws/version", "/aws/20260910-1/catalog.zip"]
    assert (download.name, download.raw.decode()) == ("aws.csv", f"{HEAD}\n{ROW}\n")


@pytest.mark.parametrize(
    ("version", "packed", "message"),
    [
        (b"<html>", archive(aws="x"), "not a version"),
        (b"../../x", archive(aws="x"), "not a version"),
        (b"1", archive(aws="x", more="y"), "expected aws.csv alone"),
        (b"1", archive(other="x"), "expected aws.csv alone"),
        (b"1", archive(aws="x")[:-20], "no archive"),
    ],
)
def test_fetch_refuses_other_answers(version, packed, message):
    with pytest.raises(UnparsableError, match=message):
        next(gpuhunt_catalog.fetch(lambda url, **_: version if url.endswith("version") else packed))
