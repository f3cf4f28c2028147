"""OpenCL-Benchmark: many boxes in one file, devices that are not NVIDIA's, tests that are not supported."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

BOX = """|----------------.------------------------------------------------------------|
| Device ID      | 1                                                          |
| Device Name    | NVIDIA Example 1                                           |
| Device Vendor  | NVIDIA Corporation                                         |
| Device Driver  | 570.10.01 (Linux)                                          |
| OpenCL Version | OpenCL C 3.0                                               |
| Compute Units  | 100 at 2000 MHz (12800 cores, 51.200 TFLOPs/s)             |
| Memory, Cache  | 24000 MB VRAM, 2800 KB global / 48 KB local                |
| Buffer Limits  | 6000 MB global, 64 KB constant                             |
|----------------'------------------------------------------------------------|
| Info: OpenCL C code successfully compiled.                                  |
| FP64   Compute   (double, fma  )                      0.800 TFLOPs/s (1/64) |
| FP16   Compute   (half2 , fma  )                       not supported        |
| INT8   Compute   (char4 , dp4a )                    100.500  TIOPs/s ( 2x ) |
| Memory Bandwidth ( coalesced read      )                        900.50 GB/s |
| Memory Bandwidth (misaligned      write)                        100.25 GB/s |
| PCIe   Bandwidth (send                 )                         20.50 GB/s |
| PCIe   Bandwidth (   receive           )                         21.50 GB/s |
| PCIe   Bandwidth (        bidirectional)            (Gen4 x16)   20.75 GB/s |
|-----------------------------------------------------------------------------|
"""


def test_the_sample_of_many_boxes() -> None:
    found = runs("opencl-benchmark/README_many_gpus.md")
    wanted = expected("opencl-benchmark/README_many_gpus.md")
    assert [run.devices[0].name_raw for run in found] == wanted["devices"]
    fp32 = [m.value for run in found for m in run.measurements if m.test == "fp32 compute"]
    read_rates = [m.value for run in found for m in run.measurements if m.test == "coalesced read"]
    assert (fp32, read_rates) == (wanted["fp32"], wanted["mem_read_coalesced"])
    assert {run.run.status for run in found} == {"ok"}
    cuda = [run.devices[0].name_raw for run in found if run.measurements[0].flags is None]
    assert cuda == [name for name in wanted["devices"] if name.startswith("NVIDIA")]


def test_figures_units_and_identity() -> None:
    (run,) = read(BOX)
    assert [(m.test, m.metric, m.value, m.dtype, m.direction) for m in run.measurements] == [
        ("fp64 compute", "vector_throughput", 0.8, "fp64", None),
        ("int8 compute", "integer_throughput", 100.5, "int8", None),
        ("coalesced read", "memory_bandwidth", 900.5, None, None),
        ("misaligned write", "memory_bandwidth", 100.25, None, None),
        ("send", "copy_bandwidth", 20.5, None, "h2d"),
        ("receive", "copy_bandwidth", 21.5, None, "d2h"),
        ("bidirectional", "copy_bandwidth", 20.75, None, "bidir_sum"),
    ]
    device = run.devices[0]
    assert (device.sm_count, device.sm_clock_mhz, device.memory_total_mib, run.run.driver) == (100, 2000, 24000, "570.10.01")
    assert {m.tensor_core for m in run.measurements[:2]} == {"no"}


def test_boxes_without_operands_are_read_too() -> None:
    old = BOX.replace("FP64   Compute   (double, fma  )", "FP64  compute                   ")
    (run,) = read(old)
    assert run.measurements[0].value == 0.8


@pytest.mark.parametrize("kept", [3, 4])
def test_a_cut_box_keeps_its_whole_rows(kept: int) -> None:
    lines = BOX.splitlines()[: 13 + kept - 1]
    (run,) = read("\n".join(lines)[:-6])
    assert run.run.status == "truncated"
    assert len(run.measurements) == kept - 1


def test_a_broken_row_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        read(BOX.replace("900.50 GB/s |", "900"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 15)
    with pytest.raises(RefusedError) as refused:
        read(BOX.replace("   900.50", "     -nan"))
    assert refused.value.code == "NOT_FINITE"
