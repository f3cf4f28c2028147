"""gpu-fryer: rates and temperatures per GPU, verdicts, cut pastes, no UUIDs."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TEXT = """user@secret-host:~$ gpu-fryer 60
Detected GPU #0: "NVIDIA Example 1" (00000000-aaaa-0000-0000-000000000000)
Detected GPU #1: "NVIDIA Example 1" (00000000-bbbb-0000-0000-000000000000)
Using precision(s):  BF16 @
GPU #0: Using 1293 MB
3 (600000 Gflops/s) - 3 (600000 Gflops/s) | Temperatures: 58°C - 56°C | Throttling: None - None
GPU #0: 600000 Gflops/s (min: 590000.00, max: 610000.00, dev: 5.00)
         Temperature: 60.50°C (min: 58.00, max: 61.00)
         Throttling HW: false, Thermal SW: true, Thermal HW: false
GPU #1:      0 Gflops/s (min: 0.00, max: 0.00, dev: 0.00)
         Temperature: 40.00°C (min: 40.00, max: 40.00)
         Throttling HW: false, Thermal SW: false, Thermal HW: false
All GPUs seem healthy
""".replace("@", "")


def test_sample_is_cut_after_the_first_gpu() -> None:
    assert expected("gpu-fryer/v100_tail.txt")["truncated"]
    with pytest.raises(RefusedError) as refused:
        runs("gpu-fryer/v100_tail.txt")
    assert refused.value.code == "NO_ROWS"


def test_rates_temperatures_and_identity() -> None:
    (run,) = read(TEXT)
    rates = [m for m in run.measurements if m.metric == "matrix_throughput"]
    assert [(m.statistic, m.value, m.device_ordinal) for m in rates] == [("mean", 600, 0), ("worst", 590, 0), ("best", 610, 0)]
    assert (rates[0].dtype, rates[0].tensor_core, rates[0].sparsity) == ("bf16", "yes", "dense")
    heat = [(m.statistic, m.value, m.device_ordinal) for m in run.measurements if m.metric == "temperature"]
    assert heat == [("mean", 60.5, 0), ("worst", 61, 0), ("mean", 40, 1), ("worst", 40, 1)]
    assert (run.run.status, run.run.args) == ("ok", "duration_s=60; throttled=Thermal SW")
    assert [device.name_raw for device in run.devices] == ["NVIDIA Example 1"] * 2
    for personal in ("aaaa", "secret-host", "user@"):
        assert personal not in repr(run)


def test_an_unhealthy_gpu_fails_the_run() -> None:
    (run,) = read(TEXT.replace("All GPUs seem healthy", "Some GPUs are not healthy. Reasons:\n  - GPU 1 - GPU is throttled"))
    assert run.run.status == "failed"


def test_a_cut_paste_keeps_what_is_whole_and_a_broken_one_is_refused() -> None:
    whole, cut = read(TEXT + TEXT[: TEXT.index("610000") + 2])
    assert len(whole.measurements) == 7
    assert (cut.run.status, len(cut.devices), cut.measurements) == ("truncated", 2, [])
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("max: 610000.00, dev: 5.00)", "max: "))
    assert (refused.value.code, refused.value.line) == ("PARSE", 7)
