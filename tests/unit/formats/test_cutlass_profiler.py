"""cutlass_profiler: units of text and CSV, results that do not count, and pastes that were cut."""

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TEXT = """$ ./tools/profiler/cutlass_profiler --m=128
=============================
  Problem ID: 1

        Provider: CUTLASS
   OperationKind: gemm
       Operation: cutlass_tensorop_s16816gemm_bf16_128x128_nt

          Status: Success
    Verification: OFF
     Disposition: Not verified

       Arguments: --gemm_kind=universal --m=1024 --n=1024 --k=1024 --A=bf16:column --B=bf16:row --op_class=tensorop  \\
                  --accum=f32 --cta_m=128

           Bytes: 6291456  bytes
           FLOPs: 2147483648  flops

         Runtime: 0.02  ms
          Memory: 292.969 GiB/s

            Math: 107374 GFLOP/s

"""
CSV = """Problem,Provider,OperationKind,Operation,Disposition,Status,m,n,k,A,B,op_class,Bytes,Flops,Flops/Byte,Runtime,GB/s,GFLOPs
1,CUTLASS,gemm,kernel_a,passed,success,1024,1024,1024,s8:row,s8:column,tensorop,3145728,2147483648,682,0.02,146.484,107374
1,CUTLASS,gemm,kernel_b,not_run,not_supported,1024,1024,1024,f16:row,f16:column,simt,0,0,0,0,0,0
1,CUTLASS,gemm,kernel_c,passed,success,1024,1024,1024,f32:row,f32:column,simt,12582912,2147483648,170,0.2,58.5938,10737.4
"""


def of(run: ParsedRun, metric: str) -> list[float]:
    return [m.value for m in run.measurements if m.metric == metric]


def test_the_sample_of_text() -> None:
    (run,) = runs("cutlass_profiler/README_samples.blocks.txt")
    wanted = expected("cutlass_profiler/README_samples.blocks.txt")
    assert of(run, "matrix_throughput") == [pytest.approx(value / 1000) for value in wanted["gflops"]]
    printed = [f"{m.value_raw} {m.unit_raw}" for m in run.measurements if m.metric == "memory_bandwidth"]
    assert printed == wanted["memory"]
    assert [m.value_raw for m in run.measurements if m.metric == "kernel_time"] == wanted["runtime"]
    assert [m.dtype for m in run.measurements[::3]] == ["fp16", "fp32", "fp16", "fp32"]
    assert {m.flags for m in run.measurements} == {None}


def test_the_sample_of_an_incorrect_kernel() -> None:
    (run,) = runs("cutlass_profiler/h100_bf16_pr2078.csv")
    wanted = expected("cutlass_profiler/h100_bf16_pr2078.csv")
    rate, traffic, _ = run.measurements
    assert run.run.status == "invalid"
    assert (rate.value, traffic.value_raw) == (pytest.approx(wanted["gflops"] / 1000), str(wanted["reported_gbs_col"]))
    assert traffic.value == pytest.approx(wanted["true_gb_s"], rel=1e-4)
    assert {(m.flags, m.status, m.dtype) for m in run.measurements} == {("incorrect_result", "invalid", "bf16")}


def test_the_sample_of_complex_numbers() -> None:
    (run,) = runs("cutlass_profiler/cf32_issue1587.txt")
    wanted = expected("cutlass_profiler/cf32_issue1587.txt")
    rate, traffic, _ = run.measurements
    assert (rate.value, rate.dtype) == (pytest.approx(wanted["gflops"] / 1000), "cfp32")
    assert (traffic.value_raw, traffic.unit_raw) == (str(wanted["gib_s"]), "GiB/s")


def test_text() -> None:
    (run,) = read(TEXT + "$ ./tools/profiler/cutlass_profiler --n=8 --h=224\n")
    rate = run.measurements[0]
    assert (rate.value, rate.unit, rate.dtype, rate.tensor_core, rate.sparsity) == (107.374, "TFLOP/s", "bf16", "yes", "dense")
    assert rate.workload == "operation=gemm; m=1024; n=1024; k=1024; verification=not_verified"
    assert (run.run.status, run.run.layout_version, run.devices) == ("ok", "text", [])


def test_csv_and_kernels_that_were_not_run() -> None:
    (run,) = read(CSV)
    assert [(m.metric, m.test, m.dtype, m.tensor_core) for m in run.measurements[::3]] == [
        ("integer_throughput", "kernel_a", "int8", "yes"),
        ("matrix_throughput", "kernel_c", "fp32", "no"),
    ]
    assert run.run.args == "kernels_without_result=1"


def test_the_csv_at_the_end_of_a_text_is_not_counted_twice() -> None:
    (run,) = read(TEXT + "\nCSV Results:\n\n" + CSV.replace("146.484", "292.969"))
    assert [m.test for m in run.measurements[::3]] == ["kernel_a", "kernel_c"]
    with pytest.raises(RefusedError) as refused:  # the CSV lacks a result of the text
        read(TEXT + "\nCSV Results:\n\n" + CSV)
    assert (refused.value.code, refused.value.line) == ("PARSE", 20)


@pytest.mark.parametrize("cut", [3, 5, 12, 60])
def test_a_cut_row_is_never_kept(cut: int) -> None:
    (run,) = read(CSV[:-cut])
    assert (run.run.status, of(run, "matrix_throughput")) == ("truncated", [])


def test_a_cut_text_and_a_broken_one() -> None:
    (run,) = read(TEXT + TEXT[: TEXT.index("107374") + 4])
    assert (run.run.status, len(run.measurements)) == ("truncated", 3)
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("Memory: 292.969 GiB/s", "") + TEXT)
    assert (refused.value.code, refused.value.line) == ("PARSE", 3)
    with pytest.raises(RefusedError) as refused:
        read(CSV.replace("kernel_b,not_run", "kernel_b"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 3)


def test_a_rate_that_does_not_follow_from_its_time_is_flagged() -> None:
    (run,) = read(TEXT.replace("107374", "207374"))
    assert {m.flags for m in run.measurements} == {"edited"}


def test_a_header_without_a_column_that_every_version_has_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        read(CSV.replace(",Disposition,", ",State,"))
    assert (refused.value.code, refused.value.line) == ("SCHEMA", 1)
