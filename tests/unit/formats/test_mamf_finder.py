"""mamf-finder: its three forms, the device beside them, and what is kept out."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

HEADER = """Benchmark started on 2026-01-02 03:04:05

** Command line:
/data/private/python ./mamf-finder.py --m_range 0 20480 256

** Dtype: torch.float16

** Platform/Device info:
- Linux somehost 6.1.0 x86_64
- _CudaDeviceProperties(name='NVIDIA Example 1', major=8, minor=9, total_memory=24000MB, multi_processor_count=100, uuid=0000-11)

** Critical software versions:
- torch=2.8.0
- cuda=12.9

** Additional notes:
- benchmark version: 2
"""
RESULT = """
Tried 100 shapes => the best outcomes were:
mean:   150.5 TFLOPS @ 4096x4096x2048 (MxNxK)
median: 151.0 TFLOPS @ 4096x4096x1024 (MxNxK)
max:    155.5 TFLOPS @ 4096x4096x4096 (MxNxK)

Across 100 shapes in range: m=[0, 20480, 256] in this run:
arithmetic mean: 120.5 TFLOPS
geometric mean:  118.0 TFLOPS

Legend: TFLOPS = 10**12 FLOPS
"""


def test_the_sample_of_2024() -> None:
    (run,) = runs("mamf/gh200_pr60.txt")
    wanted = expected("mamf/gh200_pr60.txt")
    (best,) = run.measurements
    assert (best.value, best.dtype, best.statistic) == (wanted["tflops_max"], wanted["dtype"], "best")
    assert best.workload == "m={}; n={}; k={}".format(*wanted["shape_mnk"])
    assert (run.run.framework, run.run.cuda_runtime) == (f"torch {wanted['torch']}", wanted["cuda"])
    assert (run.devices[0].name_raw, run.devices[0].memory_total_mib) == (wanted["gpu"], wanted["total_memory_mib"])


def test_the_form_of_2025() -> None:
    (run,) = read(HEADER + RESULT)
    assert [(m.value, m.statistic, m.test) for m in run.measurements] == [
        (150.5, "mean", "best shape"),
        (151, "median", "best shape"),
        (155.5, "best", "best shape"),
        (120.5, "avg_all_sizes", "all shapes, arithmetic mean"),
        (118, "avg_all_sizes", "all shapes, geometric mean"),
    ]
    assert {(m.dtype, m.sparsity, m.tensor_core, m.flags) for m in run.measurements} == {("fp16", "dense", "yes", None)}
    assert (run.run.tool_version, str(run.run.started_at)) == ("2", "2026-01-02 03:04:05")


def test_the_form_of_2026() -> None:
    lines = "MAMF (max achievable,  boost burst): 820 TFLOPS @ 4096x4096x1024 (MxNxK)  700W 1980MHz 60C\n"
    lines += "MSMF (max sustainable, saturated):   760 TFLOPS @ 8192x4096x1024 (MxNxK)\n"
    (run,) = read(HEADER + "\nTried 9 shapes => the best outcomes were:\n" + lines)
    assert [(m.test, m.value) for m in run.measurements] == [("MAMF", 820), ("MSMF", 760)]


def test_two_runs_and_personal_fields() -> None:
    found = read(HEADER + RESULT + HEADER + RESULT)
    assert [len(run.measurements) for run in found] == [5, 5]
    assert not any(word in repr(found) for word in ("private", "somehost", "0000-11"))


def test_a_cut_paste_and_a_broken_one() -> None:
    with pytest.raises(RefusedError) as refused:
        read(HEADER)
    assert refused.value.code == "NO_ROWS"
    (run,) = read(HEADER + RESULT[: RESULT.index("median") + 30])
    assert len(run.measurements) == 1
    with pytest.raises(RefusedError) as refused:
        read(HEADER + RESULT.replace("median: 151.0 TFLOPS @ 4096x", "median: 151.0 TFLOPS @ "))
    assert (refused.value.code, refused.value.line) == ("PARSE", 21)
    with pytest.raises(RefusedError) as refused:
        read(HEADER + RESULT.replace("151.0", "nan"))
    assert refused.value.code == "NOT_FINITE"


def test_amd_gpus_are_flagged() -> None:
    text = (
        (HEADER + RESULT)
        .replace("- cuda=12.9", "- hip=6.3, cuda=None")
        .replace("multi_processor_count=100", "gcnArchName='gfx942'")
    )
    (run,) = read(text)
    assert {m.flags for m in run.measurements} == {"non_cuda"}
