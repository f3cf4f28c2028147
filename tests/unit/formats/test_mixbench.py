"""mixbench: the two header rows, groups that vary, sweeps that were cut, and the misprinted driver."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TEXT = """mixbench/read-only (v0.04)
------------------------ Device specifications ------------------------
Device:              Example 2
CUDA driver version: 12.40
GPU clock rate:      1500 MHz
Memory clock rate:   3000 MHz
Total global mem:    8000 MB
ECC enabled:         Yes
Compute Capability:  8.6
Total SPs:           2560 (20 MPs x 128 SPs/MP)
Compute throughput:  7680.00 GFlops (theoretical single precision FMAs)
-----------------------------------------------------------------------
---------- CSV data ----------
Experiment ID, Single Precision ops,,,,              Integer operations,,,
Compute iters, Flops/byte, ex.time,  GFLOPS, GB/sec, Iops/byte, ex.time,   GIOPS, GB/sec
            0,      0.250,    0.32,  100.00, 400.00,     0.250,    0.32,  101.00, 401.00
          256,    128.250,    2.06, 7000.00,  54.58,   128.250,    2.30, 5000.00,  38.99
------------------------------
"""


def test_the_sample_with_a_header() -> None:
    (run,) = runs("mixbench/rtx2070_readme.txt")
    wanted = expected("mixbench/rtx2070_readme.txt")
    assert run.devices[0].name_raw == wanted["gpu"]
    assert run.run.args is not None
    assert "cuda_driver_api=10.2;" in run.run.args
    assert f"theoretical_fp32_gflops={wanted['theoretical_fp32_gflops']}; " in run.run.args
    assert f"theoretical_gb_per_s={wanted['theoretical_bw_gbs']}" in run.run.args
    assert run.measurements[0].value == pytest.approx(wanted["row0"]["fp32_gflops"] / 1000)
    assert run.measurements[1].value == wanted["row0"]["bw"]
    assert (run.run.status, len(run.measurements)) == ("ok", 33 * 8)


def test_the_sample_of_a_cut_sweep() -> None:
    (run,) = runs("mixbench/a100_issue18.txt")
    wanted = expected("mixbench/a100_issue18.txt")
    fp64 = [m.value for m in run.measurements if m.test == "fp64 bandwidth"]
    assert (run.run.status, len(fp64), fp64[2]) == ("truncated", wanted["rows"], wanted["fp64_bw_row2"])
    assert run.devices == []


def test_the_sample_of_a_header_alone() -> None:
    assert expected("mixbench/tegra_x1_issue26_header.txt")["theoretical_fp32_gflops"]
    with pytest.raises(RefusedError) as refused:
        runs("mixbench/tegra_x1_issue26_header.txt")
    assert refused.value.code == "NO_ROWS"


def test_figures_units_and_identity() -> None:
    (run,) = read(TEXT)
    device = run.devices[0]
    assert (device.sm_count, device.compute_capability, device.memory_total_mib, device.ecc) == (20, "8.6", 8000, True)
    assert [(m.metric, m.value, m.dtype) for m in run.measurements[:4]] == [
        ("vector_throughput", pytest.approx(0.1), "fp32"),
        ("memory_bandwidth", 400, "fp32"),
        ("integer_throughput", pytest.approx(0.101), "int32"),
        ("memory_bandwidth", 401, "int32"),
    ]
    assert (run.run.status, run.run.tool_version, run.measurements[0].flags) == ("ok", "v0.04", None)
    assert run.measurements[0].workload == "compute_iterations=0; operations_per_byte=0.25"


def test_two_runs_are_two_runs_and_a_device_without_cuda_is_flagged() -> None:
    found = read(TEXT + "\n" + TEXT.replace("CUDA driver version: 12.40", "Driver version: 3.1"))
    assert [run.measurements[0].flags for run in found] == [None, "non_cuda"]


@pytest.mark.parametrize("cut", [1, 2, 3, 30])
def test_a_cut_figure_is_never_kept(cut: int) -> None:
    whole = TEXT.rstrip("-\n")
    (run,) = read(whole[:-cut])
    assert (run.run.status, len(run.measurements)) == ("truncated", 4)


def test_a_row_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace(" 101.00, 401.00", " 101.00"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 16)
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace(" 7000.00", "     nan"))
    assert refused.value.code == "NOT_FINITE"
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("Integer operations", "Quantum operations"))
    assert (refused.value.code, refused.value.line) == ("SCHEMA", 14)


HIP = (
    TEXT.replace("mixbench/read-only (v0.04)", "mixbench-hip (v0.04-1-g7a068df)")
    .replace("CUDA driver version: 12.40", "CUDA driver version: 50221.151")
    .replace("Integer operations", "Packed Single Precision ops")
    .replace("Iops/byte", "Flops/byte")
    .replace("GIOPS", "GFLOPS")
)


def test_the_output_of_hip() -> None:
    (run,) = read(HIP)
    assert (run.run.tool_version, {m.flags for m in run.measurements}) == ("v0.04-1-g7a068df", {"non_cuda"})
    assert "cuda_driver_api" not in (run.run.args or "")
    assert [(m.test, m.dtype) for m in run.measurements[:4]] == [
        ("fp32 throughput", "fp32"),
        ("fp32 bandwidth", "fp32"),
        ("packed fp32 throughput", "fp32"),
        ("packed fp32 bandwidth", "fp32"),
    ]
    (run,) = read(HIP.replace("mixbench-hip (v0.04-1-g7a068df)\n", ""))
    assert {m.flags for m in run.measurements} == {"non_cuda"}


def test_a_clock_of_zero_is_not_known() -> None:
    (run,) = read(TEXT.replace("1500 MHz", "0 MHz"))
    assert (run.devices[0].sm_clock_mhz, run.devices[0].memory_clock_mhz, len(run.measurements)) == (None, 3000, 8)


def test_a_row_below_the_end_of_the_table_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        read(TEXT + TEXT.splitlines()[-2] + "\n")
    assert (refused.value.code, refused.value.line) == ("PARSE", TEXT.count("\n") + 1)
