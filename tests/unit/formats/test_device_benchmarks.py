"""chsasank's device-benchmarks: both tables, backends other than CUDA, and rates that do not follow from their times."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import runs

TEXT = """someone@host:~/code$ python benchmark.py --device cuda --dtype bfloat16
benchmarking cuda using torch.bfloat16
size, elapsed_time, tops
1000, 0.0001, 20.0
2000, 0.0004, 40.0
size (GB), elapsed_time, bandwidth (GB/s)
0.5, 0.001, 1000.0
0.7, 0.0014, 1000.0
"""


def test_the_sample() -> None:
    (run,) = runs("chsasank/README.blocks.txt")
    products = [m for m in run.measurements if m.metric == "matrix_throughput"]
    copies = [m for m in run.measurements if m.metric == "memory_bandwidth"]
    assert (len(products), len(copies), run.run.status) == (20, 14, "ok")
    assert (products[-1].value, products[-1].workload) == (3.7680776333042645, "n=6888")
    assert (copies[-1].value, copies[-1].size_bytes) == (93.39990542229731, 379625060)
    assert {m.flags for m in run.measurements} == {"non_cuda"}


def test_figures() -> None:
    (run,) = read(TEXT)
    product, *_, copy = run.measurements
    assert (product.metric, product.value, product.dtype, product.workload) == ("matrix_throughput", 20, "bf16", "n=1000")
    assert (copy.test, copy.value, copy.size_bytes, copy.flags) == ("copy", 1000, 700_000_000, None)
    assert "someone" not in repr(run)


@pytest.mark.parametrize(("cut", "figures"), [(3, 3), (5, 3), (15, 3), (35, 2)])
def test_a_cut_paste(cut: int, figures: int) -> None:
    (run,) = read(
        TEXT.replace("1000.0\n", "1000.123\n").replace("0.001,", "0.0009998770151,").replace("0.0014,", "0.00139982782,")[:-cut]
    )
    assert (run.run.status, len(run.measurements)) == ("truncated", figures)


def test_a_rate_that_does_not_follow_from_its_time_is_flagged_and_a_broken_row_refused() -> None:
    (run,) = read(TEXT.replace("0.0004, 40.0", "0.0004, 80.0"))
    assert [m.flags for m in run.measurements] == [None, "edited", None, None]
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("0.0004, 40.0", "0.0004"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 5)
