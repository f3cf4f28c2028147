"""Rows are judged against the GPUs' own figures, and against what their tables declare."""

import dataclasses
from typing import Any

import pytest

from benchmarks.formats.core import ParsedRun
from pipeline import paths
from pipeline.readers import RefusedError
from pipeline.schema.benchmarks import BenchmarkDevice, BenchmarkRun, Measurement
from pipeline.uploads import validate
from pipeline.uploads.annotation.hints import DeviceHint, hint_from_listings
from pipeline.uploads.annotation.runs import Reference, annotate_runs, load_reference
from pipeline.uploads.serialization import ParsedUpload
from tests.unit.uploads.upload_texts import H100

A100 = "NVIDIA A100-SXM4-80GB"


@pytest.fixture(scope="module")
def reference() -> Reference:
    return load_reference(paths.DATA)


def figure(**fields: Any) -> Measurement:
    about = {"metric": "memory_bandwidth", "unit": "GB/s", "value_raw": "1", "unit_raw": "GB/s", "statistic": "best", "test": "t"}
    return Measurement(**{**about, "value": 1.0, "device_ordinal": 0, **fields})


def run(*figures: Measurement, devices: tuple[BenchmarkDevice, ...] | None = None, **about: Any) -> ParsedRun:
    given = (BenchmarkDevice(ordinal=0, name_raw=H100),) if devices is None else devices
    of = BenchmarkRun(**{"tool": "a_tool", "layout_version": "1", "parser_version": 3, **about})
    return ParsedRun(run=of, devices=list(given), measurements=list(figures))


def judge(reference: Reference, *runs: ParsedRun, hint: DeviceHint | None = None) -> list[ParsedRun]:
    return annotate_runs(ParsedUpload(list(runs), "txt", None), "ab" * 32, hint, reference)


def flags(reference: Reference, one: Measurement, *names: str) -> str | None:
    devices = tuple(BenchmarkDevice(ordinal=n, name_raw=name) for n, name in enumerate(names or (H100,)))
    return judge(reference, run(one, devices=devices))[0].measurements[0].flags


@pytest.mark.parametrize(
    ("fields", "flag"),
    [
        ({"value": 3350.0}, None),
        ({"value": 3350 * 1.06}, "exceeds_peak"),
        ({"value": 3000.0, "size_bytes": 2**20}, "cached_in_l2"),
        ({"value": 9000.0, "size_bytes": 2**20}, "cached_in_l2,exceeds_peak"),
        ({"value": 3000.0, "size_bytes": 2**30}, None),
        ({"value": 3000.0, "size_bytes": 0}, None),
        ({"metric": "copy_bandwidth", "value": 5000.0, "direction": "d2d_local"}, "exceeds_peak"),
        ({"metric": "copy_bandwidth", "value": 5000.0, "direction": "h2d"}, "exceeds_peak"),
        ({"metric": "copy_bandwidth", "value": 60.0, "direction": "h2d"}, None),
        ({"metric": "copy_bandwidth", "value": 70.0, "direction": "d2h"}, "exceeds_peak"),
        ({"metric": "copy_bandwidth", "value": 110.0, "direction": "bidir_sum"}, None),
        ({"metric": "copy_bandwidth", "value": 140.0, "direction": "bidir_sum"}, "exceeds_peak"),
        ({"metric": "copy_bandwidth", "value": 5000.0}, None),
        ({"metric": "linpack_throughput", "value": 60.0, "dtype": "fp64"}, None),
        ({"metric": "linpack_throughput", "value": 80.0, "dtype": "fp64"}, "exceeds_peak"),
        ({"metric": "linpack_throughput", "value": 400.0, "dtype": "fp64", "device_ordinal": None, "n_gpus": 8}, None),
        ({"metric": "linpack_throughput", "value": 400.0, "dtype": "fp64", "device_ordinal": None}, None),
        ({"metric": "matrix_throughput", "value": 60.0, "dtype": "fp64"}, None),
        ({"metric": "matrix_throughput", "value": 50.0, "dtype": "fp64", "tensor_core": "no"}, "exceeds_peak"),
        ({"metric": "matrix_throughput", "value": 900.0, "dtype": "bf16"}, None),
        ({"metric": "matrix_throughput", "value": 1100.0, "dtype": "bf16"}, "exceeds_peak"),
        ({"metric": "matrix_throughput", "value": 1100.0, "dtype": "bf16", "sparsity": "sparse"}, None),
        ({"metric": "matrix_throughput", "value": 300.0, "dtype": "fp32"}, None),
        ({"metric": "matrix_throughput", "value": 300.0, "dtype": "fp32", "tensor_core": "no"}, "exceeds_peak"),
        ({"metric": "matrix_throughput", "value": 500.0, "dtype": "fp64"}, "exceeds_peak"),
        ({"metric": "vector_throughput", "value": 80.0, "dtype": "fp32"}, "exceeds_peak"),
        ({"metric": "integer_throughput", "value": 2500.0, "dtype": "int8"}, "exceeds_peak"),
        ({"metric": "latency", "value": 1e9}, None),
        ({"value": 1.0, "flags": "unit_assumed,edited"}, "edited,unit_assumed"),
    ],
)
def test_a_figure_is_set_beside_the_gpus_own(reference: Reference, fields: dict[str, Any], flag: str | None) -> None:
    assert flags(reference, figure(**fields)) == flag


@pytest.mark.parametrize(
    ("name", "value", "direction", "exceeds"),
    [
        ("NVIDIA GH200 480GB", 5000.0, "h2d", False),  # its link to the host is in no column
        ("Tesla V100-SXM2-16GB", 70.0, "h2d", False),  # over three NVLinks of a POWER9 host
        ("Tesla V100-SXM2-16GB", 160.0, "h2d", True),  # all six carry 150 one way
        ("Tesla V100-SXM2-16GB", 160.0, "bidir_sum", False),
        ("Tesla V100-SXM2-16GB", 320.0, "bidir_sum", True),
        ("Tesla V100-PCIE-16GB", 70.0, "h2d", True),
    ],
)
def test_copies_between_host_and_gpu_are_held_to_the_links_that_are_known(
    reference: Reference, name: str, value: float, direction: str, exceeds: bool
) -> None:
    copied = figure(metric="copy_bandwidth", value=value, direction=direction)
    found = judge(reference, run(copied, devices=(BenchmarkDevice(ordinal=0, name_raw=name),)))
    assert ("exceeds_peak" in (found[0].measurements[0].flags or "")) == exceeds


@pytest.mark.parametrize(
    "fields",
    [
        {"name_raw": H100 + " MIG 1g.10gb", "mig": True},
        {"name_raw": H100 + " MIG 1g.10gb"},
        {"name_raw": H100, "mig": True},
        {"name_raw": H100, "memory_total_mib": 9984.0},
        {"name_raw": "NVIDIA A10-4Q"},
    ],
)
def test_a_share_of_a_gpu_is_not_the_gpu(reference: Reference, fields: dict[str, Any]) -> None:
    (found,) = judge(reference, run(figure(), devices=(BenchmarkDevice(ordinal=0, **fields),)))
    assert (found.devices[0].gpu_id, found.measurements[0].flags) == (None, "device_unresolved")


def test_a_machine_cut_into_slices_names_no_gpu() -> None:
    assert hint_from_listings([run(devices=(BenchmarkDevice(ordinal=0, name_raw=H100, mig=True),))], "sibling") is None


def test_a_sum_over_gpus_has_the_peak_of_all(reference: Reference) -> None:
    assert flags(reference, figure(value=6500.0, device_ordinal=None), H100, H100) is None
    assert flags(reference, figure(value=6500.0, device_ordinal=None, n_gpus=1), H100, H100) == "exceeds_peak"
    assert flags(reference, figure(value=6500.0), H100, H100) == "exceeds_peak"


@pytest.mark.parametrize(
    ("name", "flag"),
    [
        ("NVIDIA GeForce RTX 9999", "device_unresolved"),
        ("AMD Instinct MI300X", "non_cuda"),
        ("AMD EPYC 9654 96-Core Processor", "device_unresolved,non_cuda"),
        ("Graphics Device", "device_unresolved"),
    ],
)
def test_devices_that_are_not_known_gpus_are_flagged(reference: Reference, name: str, flag: str) -> None:
    assert flags(reference, figure(), name) == flag


def test_figures_of_devices_that_the_output_does_not_list_are_unresolved(reference: Reference) -> None:
    assert flags(reference, figure(device_ordinal=3)) == "device_unresolved"
    assert flags(reference, figure(peer_ordinal=1)) == "device_unresolved"


@pytest.mark.parametrize("name", ["<b>H100</b>", "=1+1", "a" * 81, "", "H100\u202e", "H100;DROP", "NVIDIA H100®"])
def test_names_outside_the_allow_list_are_emptied_with_a_remark(reference: Reference, name: str) -> None:
    sibling = DeviceHint("sibling", A100)
    (found,) = judge(reference, run(figure(), devices=(BenchmarkDevice(ordinal=0, name_raw=name),)), hint=sibling)
    (device,) = found.devices
    assert (device.name_raw, device.gpu_id, found.measurements[0].flags) == (None, None, "device_unresolved")
    assert (device.unresolved or "").startswith("NAME_NOT_ALLOWED")


@pytest.mark.parametrize(
    "name",
    [
        "llvmpipe (LLVM 22.1.8, 256 bits)",
        "Intel(R) Xeon(R) CPU E5-2670 0 @ 2.60GHz",
        "Intel(R) Iris(R) Plus Graphics 655 [0x3ea5]",
    ],
)
def test_names_that_drivers_print_for_other_devices_do_not_refuse_the_file(reference: Reference, name: str) -> None:
    assert "device_unresolved" in (flags(reference, figure(), name) or "")


def test_memory_distinguishes_gpus_of_one_name(reference: Reference) -> None:
    volta = "Tesla V100-SXM2"
    found = [
        judge(reference, run(devices=(BenchmarkDevice(ordinal=0, name_raw=volta, memory_total_mib=mib),)))[0].devices[0].gpu_id
        for mib in (16160.0, 32510.0)
    ]
    assert found == ["nvidia-tesla-v100-sxm2-16gb", "nvidia-tesla-v100-sxm2-32gb"]


def test_rows_get_their_keys_and_nothing_else_changes(reference: Reference) -> None:
    first, second = judge(reference, run(figure(), figure()), run(figure()))
    assert first.run.run_id != second.run.run_id
    assert [(one.run.block_index, one.run.upload_sha256, one.run.parser_version) for one in (first, second)] == [
        (0, "ab" * 32, 3),
        (1, "ab" * 32, 3),
    ]
    assert [m.ordinal for m in first.measurements] == [0, 1]
    assert {row.run_id for row in (*first.devices, *first.measurements)} == {first.run.run_id}
    assert judge(reference, run(figure(), figure()), run(figure())) == [first, second]


def test_a_listing_in_the_same_file_names_the_others(reference: Reference) -> None:
    listing = run(devices=(BenchmarkDevice(ordinal=0, name_raw=A100, memory_total_mib=81920.0),))
    _, other = judge(reference, listing, run(figure(), devices=()), hint=DeviceHint("user", H100))
    assert [(d.gpu_id, d.identity_source) for d in other.devices] == [("nvidia-a100-sxm4-80gb", "output")]


def test_an_identity_fills_gaps_and_overrides_nothing(reference: Reference) -> None:
    said = DeviceHint("sibling", A100, 81920.0)
    several = run(figure(device_ordinal=None, n_gpus=4), devices=())
    named, nameless, many, absurd = judge(
        reference,
        run(figure()),
        run(figure(), devices=(BenchmarkDevice(ordinal=0, name_raw=None),)),
        several,
        run(figure(device_ordinal=None, n_gpus=10**9), devices=()),
        hint=said,
    )
    assert named.devices[0].gpu_id == "nvidia-h100-sxm5-80gb"
    assert nameless.devices[0].identity_source == "sibling"
    assert [device.ordinal for device in many.devices] == [0, 1, 2, 3]
    assert absurd.devices == []


def test_a_machine_with_several_kinds_of_gpus_identifies_none() -> None:
    one, other = (run(devices=(BenchmarkDevice(ordinal=0, name_raw=name),)) for name in (A100, H100))
    assert hint_from_listings([one, one], "sibling") == DeviceHint("sibling", A100, count=1)
    assert hint_from_listings([one, other], "sibling") is None
    assert hint_from_listings([run(figure())], "sibling") is None


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"value": -1.0}, "RANGE"),
        ({"n_samples": 0}, "RANGE"),
        ({"batch_size": 2**64}, "RANGE"),
        ({"value": 1e300}, "RANGE"),
        ({"dtype": "fp3"}, "RANGE"),
        ({"test": "x" * 5000}, "RANGE"),
        ({"test": None}, "PARSE"),
    ],
)
def test_no_row_passes_that_its_table_would_refuse(change: dict[str, Any], code: str) -> None:
    validate.validate_runs([run(figure())])
    with pytest.raises(RefusedError, match=code):
        validate.validate_runs([run(dataclasses.replace(figure(), **change))])


def test_device_numbers_are_unique_and_files_bounded() -> None:
    with pytest.raises(RefusedError, match="PARSE"):
        validate.validate_runs([run(devices=(BenchmarkDevice(ordinal=0, name_raw="a"),) * 2)])
    with pytest.raises(RefusedError, match="SIZE"):
        validate.validate_runs([run(*[figure()] * (validate.MAX_ROWS + 1))])


def test_every_check_of_the_tables_is_understood() -> None:
    """A new kind of check has to be kept here too, else an upload that breaks it would stop a build."""
    columns = [c for record in (BenchmarkRun, BenchmarkDevice, Measurement) for c in record.__table__.columns]
    assert [c.name for c in columns if (c.col.check and not c.col.filled) or c.col.between] == []
    bounded = [c.name for c in Measurement.__table__.columns if c.col.above is not None or c.col.least is not None]
    assert {"value", "n_gpus", "line"} <= set(bounded)
