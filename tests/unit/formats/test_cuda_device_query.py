"""deviceQuery: what it says of each GPU, and lists that break off."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TEXT = """./deviceQuery Starting...

 CUDA Device Query (Runtime API) version (CUDART static linking)

Detected 2 CUDA Capable device(s)

Device 0: "NVIDIA Example 1"
  CUDA Driver Version / Runtime Version          12.8 / 12.6
  CUDA Capability Major/Minor version number:    12.0
  Total amount of global memory:                 1024 MBytes (1073741824 bytes)
  (040) Multiprocessors, (128) CUDA Cores/MP:    5120 CUDA Cores
  GPU Max Clock rate:                            2550 MHz (2.55 GHz)
  Memory Clock rate:                             14001 Mhz
  Device has ECC support:                        Enabled
  Device PCI Domain ID / Bus ID / location ID:   0 / 193 / 0

Device 1: "NVIDIA Example 2 MIG 1g.5gb"
  CUDA Driver Version / Runtime Version          12.8 / 12.6
  Device has ECC support:                        Disabled

deviceQuery, CUDA Driver = CUDART, CUDA Driver Version = 12.8, CUDA Runtime Version = 12.6, NumDevs = 2
Result = PASS
"""


def test_sample_of_two_gpus() -> None:
    (run,) = runs("cuda-samples/deviceQuery_rkaunismaa_CUDA_deviceQuery.txt")
    wanted = expected("cuda-samples/deviceQuery_rkaunismaa_CUDA_deviceQuery.txt")
    assert [d.name_raw for d in run.devices] == wanted["devices"]
    assert [d.compute_capability for d in run.devices] == wanted["cc"]
    assert [d.sm_count for d in run.devices] == [int(printed) for printed in wanted["sm"]]
    assert [
        f"({round((d.memory_total_mib or 0) * 2**20)} bytes)" in text
        for d, text in zip(run.devices, wanted["mem_mbytes"], strict=True)
    ]
    assert [f"{d.memory_clock_mhz:.0f} Mhz" for d in run.devices] == wanted["memclk"]
    assert wanted["drv_rt"][0].endswith(f"/ {run.run.cuda_runtime}")
    assert (run.run.status, run.measurements) == ("ok", [])


def test_sample_that_declares_more_gpus_than_it_lists() -> None:
    (run,) = runs("cuda-samples/deviceQuery_rtx5090x2_nccl1637.txt")
    wanted = expected("cuda-samples/deviceQuery_rtx5090x2_nccl1637.txt")
    (gpu,) = run.devices
    assert (gpu.name_raw, gpu.sm_count) == (wanted["device0"], wanted["sm"])
    assert (gpu.sm_clock_mhz, gpu.memory_clock_mhz) == (wanted["clock_mhz"], wanted["mem_clock_mhz"])
    assert gpu.memory_total_mib == wanted["bytes"] / 2**20
    assert (run.run.status == "truncated") is wanted["truncated"]


def test_each_gpu_and_versions() -> None:
    (run,) = read(TEXT)
    first, second = run.devices
    assert (first.name_raw, first.compute_capability, first.sm_count, first.memory_total_mib) == (
        "NVIDIA Example 1",
        "12.0",
        40,
        1024,
    )
    assert (first.sm_clock_mhz, first.memory_clock_mhz, first.ecc, first.mig) == (2550, 14001, True, None)
    assert (second.sm_clock_mhz, second.ecc, second.mig) == (None, False, True)
    assert (run.run.cuda_runtime, run.run.args, run.run.status, run.run.parser_version) == (
        "12.6",
        "cuda_driver_api=12.8",
        "ok",
        1,
    )


def test_a_figure_that_is_cut_is_unknown() -> None:
    (run,) = read(TEXT[: TEXT.index("1073741824") + 4])
    assert (run.run.status, run.devices[0].memory_total_mib) == ("truncated", None)
    (run,) = read(TEXT[: TEXT.index(" Mhz") - 2])
    assert run.devices[0].memory_clock_mhz is None


def test_places_on_the_bus_never_come_in() -> None:
    assert "193" not in str(read(TEXT))


def test_no_gpu_is_no_run() -> None:
    with pytest.raises(RefusedError) as refused:
        read(" CUDA Device Query (Runtime API) version \n\nno CUDA-capable device is detected\nResult = FAIL\n")
    assert refused.value.code == "NO_ROWS"
