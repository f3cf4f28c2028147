"""gpu_stream of SuperBench: rates per GPU and block size, device lines in their variants, and cut pastes."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TEXT = """STREAM Benchmark
Buffer size(bytes): 1073741824
Number of warm up runs: 10
Number of loops: 40
Check data: No

Device 0: "NVIDIA Example 1"  100 SMs(9.0)  Memory: 2600.50MHz x 5120-bit = 3328 GB/s PEAK   ECC is OFF
STREAM_COPY_float_buffer_1073741824_block_128\t3000.50\t90.16
STREAM_TRIAD_float_buffer_1073741824_block_128\t3100.25\t93.16
"""


def test_the_sample() -> None:
    (run,) = runs("stream-like/superbench_gpu_stream_b200.log")
    wanted = expected("stream-like/superbench_gpu_stream_b200.log")
    triad = [m.value for m in run.measurements if m.test == "triad" and m.device_ordinal == 0]
    assert max(triad) == wanted["gpu0_triad_best_gbps"]
    assert [device.name_raw for device in run.devices] == ["NVIDIA Graphics Device"] * 2
    assert (run.devices[1].compute_capability, run.devices[1].memory_clock_mhz, run.devices[1].ecc) == ("10.0", 4000, True)
    assert (len(run.measurements), run.run.status) == (32, "ok")


def test_figures() -> None:
    (run,) = read(TEXT)
    copy = run.measurements[0]
    assert (copy.test, copy.value, copy.unit, copy.dtype, copy.n_samples) == ("copy", 3000.5, "GB/s", "fp32", 40)
    assert (copy.size_bytes, copy.workload, copy.device_ordinal) == (1073741824, "block_size=128", 0)
    assert (run.devices[0].sm_count, run.devices[0].ecc) == (100, False)


def test_a_gpu_whose_clock_is_not_known() -> None:
    text = TEXT.replace("2600.50MHz x 5120-bit = 3328 GB/s PEAK ", "5120-bit bus, 80 GB total (peak BW unavailable)")
    (run,) = read(text.replace("90.16", "-1"))
    assert (run.devices[0].name_raw, run.devices[0].memory_clock_mhz) == ("NVIDIA Example 1", None)


def test_a_cut_paste_and_a_broken_one() -> None:
    (run,) = read(TEXT[: TEXT.index("3100.25") + 4])
    assert (run.run.status, len(run.measurements)) == ("truncated", 1)
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("3000.50\t", ""))
    assert (refused.value.code, refused.value.line) == ("PARSE", 8)
