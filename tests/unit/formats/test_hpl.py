"""HPL: rates of netlib's and NVIDIA's build, checks of the residual, and rows that were cut."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError

NETLIB = """================================================================================
HPLinpack 2.3  --  High-Performance Linpack benchmark  --   December 2, 2018
================================================================================
T/V    : Wall time / encoded variant.
Gflops : Rate of execution for solving the linear system.

================================================================================
T/V                N    NB     P     Q               Time                 Gflops
--------------------------------------------------------------------------------
WR11C2R4      100000   192     4     2             666.68             1.0000e+03
HPL_pdgesv() start time Fri Jan  2 03:04:05 2026

HPL_pdgesv() end time   Fri Jan  2 03:15:12 2026

--------------------------------------------------------------------------------
||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   2.84659321e-03 ...... PASSED
================================================================================
T/V                N    NB     P     Q               Time                 Gflops
--------------------------------------------------------------------------------
WR11C2R4      100000   256     4     2             333.34             2.0000e+03

--------------------------------------------------------------------------------
||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   9.94659321e+03 ...... FAILED
================================================================================
"""
NVIDIA = """================================================================================
HPL-NVIDIA 24.3.0  -- NVIDIA accelerated HPL benchmark -- NVIDIA
================================================================================
HPLinpack 2.1  --  High-Performance Linpack benchmark  --   October 26, 2012
================================================================================
T/V                N    NB     P     Q         Time          Gflops (   per GPU)
--------------------------------------------------------------------------------
WC0           100000  1024     2     2        10.00       6.667e+04 ( 1.667e+04)
--------------------------------------------------------------------------------
||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=   0.000320172243 ...... PASSED
"""


def test_netlibs_build() -> None:
    (run,) = read(NETLIB)
    first, second = run.measurements
    assert (first.value, first.unit, first.value_raw, first.unit_raw) == (1, "TFLOP/s", "1.0000e+03", "Gflops")
    assert (first.dtype, first.n_gpus, first.flags) == ("fp64", None, None)
    assert first.workload == "n=100000; nb=192; p=4; q=2; variant=WR11C2R4"
    assert (second.flags, second.status, run.run.status) == ("incorrect_result", "invalid", "invalid")
    assert (run.run.tool_version, str(run.run.started_at)) == ("2.3", "2026-01-02 03:04:05")


def test_nvidias_build_has_one_gpu_per_process() -> None:
    (run,) = read(NVIDIA)
    assert (run.measurements[0].value, run.measurements[0].n_gpus) == (pytest.approx(66.67), 4)
    assert (run.run.tool_version, run.run.layout_version, run.run.status) == ("24.3.0", "nvidia", "ok")


def test_two_runs_are_two_runs() -> None:
    assert [len(run.measurements) for run in read(NVIDIA + NETLIB)] == [1, 2]


def test_a_rate_that_does_not_follow_from_its_time_is_flagged() -> None:
    (run,) = read(NVIDIA.replace("6.667e+04 (", "9.667e+04 ("))
    assert run.measurements[0].flags == "edited"


@pytest.mark.parametrize(("cut_at", "figures"), [("1.0000e+03", 0), ("HPL_pdgesv", 1)])
def test_a_cut_paste(cut_at: str, figures: int) -> None:
    text = NETLIB[: NETLIB.index(cut_at) + (9 if figures == 0 else 0)]
    if figures == 0:
        with pytest.raises(RefusedError) as refused:
            read(text)
        assert refused.value.code == "NO_ROWS"
    else:
        (run,) = read(text)
        assert (run.run.status, len(run.measurements)) == ("truncated", figures)


def test_rows_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        read(NETLIB.replace("666.68             1.0000e+03", "666.68"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 10)
    with pytest.raises(RefusedError) as refused:
        read(NETLIB.replace("1.0000e+03", "       nan"))
    assert refused.value.code == "NOT_FINITE"
