"""BabelStream: rates, units and identity of its versions."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TEXT = """BabelStream
Version: 5.0
Implementation: CUDA
Running kernels 50 times
Precision: float
Array size: 134.2 MB (=0.1 GB)
Using CUDA device NVIDIA Example 1
Driver: 12040
Function    MBytes/sec  Min (sec)   Max         Average
Copy        500000.000  0.00054     0.00060     0.00055
Mul         499000.000  0.00054     0.00060     0.00055
Add         510000.000  0.00079     0.00085     0.00080
Triad       511500.000  0.00079     0.00085     0.00080
"""
CSV = """function,num_times,n_elements,sizeof,max_mibytes_per_sec,min_runtime,max_runtime,avg_runtime
Triad,100,1000,8,1000,1,1,1
"""


@pytest.mark.parametrize("file", ["a100_80gb_v4.0_issue137", "rtx2060_alpaka_v4.0_issue1874", "titanxp_v3.3_cuda"])
def test_samples_of_version_3_and_4(file: str) -> None:
    (run,) = runs(f"babelstream/{file}.txt")
    wanted = expected(f"babelstream/{file}.txt")
    rates = {m.test: m.value for m in run.measurements}
    triad = wanted.get("triad_gbps") or wanted["mb_per_s"]["Triad"] / 1000
    assert rates["triad"] == pytest.approx(triad)
    assert run.run.status == "ok"
    assert len(rates) == 5


@pytest.mark.parametrize("file", ["k80_v1_cuda_ecc_on", "titanx_v1_cuda"])
def test_samples_of_the_first_versions(file: str) -> None:
    (run,) = runs(f"babelstream/{file}.txt")
    wanted = expected(f"babelstream/{file}.txt")
    assert {m.test.title(): pytest.approx(m.value * 1000) for m in run.measurements} == wanted["mb_per_s"]
    assert run.devices[0].name_raw == wanted["device"][0].partition(" (")[0]


def test_figures_units_and_identity() -> None:
    (run,) = read(TEXT)
    triad = run.measurements[-1]
    assert (triad.value, triad.unit, triad.value_raw, triad.unit_raw) == (511.5, "GB/s", "511500.000", "MBytes/sec")
    assert (triad.dtype, triad.n_samples, triad.size_bytes, triad.statistic) == ("fp32", 50, 134_200_000, "best")
    assert (run.run.cuda_runtime, run.devices[0].name_raw, run.run.parser_version) == ("12.4", "NVIDIA Example 1", 2)


def test_the_csv_header_holds_the_unit() -> None:
    (run,) = read(CSV)
    assert run.measurements[0].value == pytest.approx(1000 * 2**20 / 1e9)
    assert run.run.status == "truncated"


def test_a_paste_that_ends_in_a_row_is_truncated_and_one_broken_inside_is_refused() -> None:
    (run,) = read(TEXT[:-30])
    assert (run.run.status, len(run.measurements)) == ("truncated", 3)
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("  0.00079     0.00085     0.00080\nTriad", "\nTriad"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 12)


NEWEST = """BabelStream
Version: 5.0
Implementation: CUDA
Running  Classic kernels 20 times in  Classic order
Number of elements: 4194304
Precision: double
Array size: 33.6 MB
Total size: 100.7 MB
CUDA Driver: 12080
CUDA Device 0: "NVIDIA Example 1" 132 SMs(9,0) Memory: 2619 MHz x 5120-bit = 3352.32 GB/s PEAK, ECC is ON
Function    MB/s        Min (sec)   Max         Average
Copy        500000.000  0.00054     0.00060     0.00055
Mul         499000.000  0.00054     0.00060     0.00055
Add         510000.000  0.00079     0.00085     0.00080
Triad       511500.000  0.00079     0.00085     0.00080
"""


def test_the_output_of_version_6() -> None:
    (run,) = read(NEWEST)
    triad = run.measurements[-1]
    assert (triad.value, triad.unit_raw, triad.n_samples, triad.size_bytes) == (511.5, "MB/s", 20, 33_600_000)
    assert (run.run.status, run.run.cuda_runtime, run.devices[0].name_raw) == ("ok", "12.8", "NVIDIA Example 1")


@pytest.mark.parametrize(
    ("unit", "gb_per_s"),
    [("MiB", 2**20 / 1e6), ("GB", 1e3), ("GiB", 2**30 / 1e6), ("TB", 1e6), ("TiB", 2**40 / 1e6)],
)
def test_every_unit_that_the_tool_prints(unit: str, gb_per_s: float) -> None:
    (text,) = read(NEWEST.replace("MB/s", unit + "/s"))
    (csv,) = read(CSV.replace("max_mibytes_per_sec", f"max_{unit}_per_sec"))
    assert text.measurements[0].value == pytest.approx(500 * gb_per_s)
    assert (csv.measurements[0].value, csv.measurements[0].unit_raw) == (pytest.approx(gb_per_s), f"{unit}_per_sec")


@pytest.mark.parametrize(
    ("old", "new"), [("MB/s", "furlongs/s"), ("Function  ", "Functoin  "), ("Triad  ", "Trial  "), ("Average\n", "Avg\n")]
)
def test_rows_that_are_not_understood_refuse_the_file(old: str, new: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(NEWEST.replace(old, new))
    assert refused.value.code == "SCHEMA"
    assert refused.value.line


def test_tabs_and_collapsed_spaces_give_the_same_figures() -> None:
    lines = NEWEST.splitlines()
    assert read("\n".join(" ".join(line.split()) for line in lines)) == read(NEWEST)
    assert read("\n".join([*lines[:-4], *("\t".join(line.split()) for line in lines[-4:])])) == read(NEWEST)
