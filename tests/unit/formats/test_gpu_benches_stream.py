"""gpu-stream of gpu-benches: every row of the sweep, the multiprocessors of an unnamed GPU, and cut sweeps."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TEXT = """blockSize   threads       %occ  |                init       read       scale     triad       3pt        5pt
       32        3200      3 %  |  GB/s:         300        120        240        330        220        218
      512       51200   50.0 %  |  GB/s: ! 1 blocks per SM         890        830        790        780        810        800
     1024      102400  100.0 %  |  GB/s:         900        850        800        790        820        810
"""


@pytest.mark.parametrize(("gpu", "sm_count"), [("h200", 132), ("l40", 142), ("v100", 80)])
def test_samples(gpu: str, sm_count: int) -> None:
    (run,) = runs(f"stream-like/gpu-benches_gpu-stream_{gpu}.txt")
    row = expected(f"stream-like/gpu-benches_gpu-stream_{gpu}.txt")["last_row"]
    last = run.measurements[-6:]
    assert [m.value_raw for m in last] == row[6:]
    assert last[0].workload == f"block_size={row[0]}; occupancy_percent={row[2]}"
    assert (run.devices[0].name_raw, run.devices[0].sm_count, run.run.status) == (None, sm_count, "ok")


def test_figures() -> None:
    (run,) = read(TEXT)
    triad = run.measurements[3]
    assert (triad.test, triad.value, triad.unit_raw, triad.statistic, triad.dtype) == ("triad", 330, "GB/s", "median", "fp64")
    assert (len(run.measurements), run.devices[0].sm_count, run.run.status) == (18, 100, "ok")


NEWER = """block smBlocks   threads    occ%   |                init       read       scale     triad       3pt        5pt
  16      1600       1    0.8%     |  GB/s:          53         21         40         72         38         38
1024    204800       2  100.0%     |  GB/s:        1894       1776       1737       1794       1702       1686
"""


def test_the_layout_with_blocks_per_multiprocessor() -> None:
    (run,) = read(NEWER)
    assert (len(run.measurements), run.devices[0].sm_count, run.run.status, run.run.parser_version) == (12, 100, "ok", 2)
    (largest,) = read(NEWER.replace("100.0%", " 80.0%"))  # of a GPU that holds more threads
    (cut,) = read(NEWER[: NEWER.index("1024 ")])
    assert (largest.run.status, cut.run.status) == ("ok", "truncated")
    last = run.measurements[-1]
    assert (last.value, last.workload) == (1686, "block_size=1024; occupancy_percent=100.0; blocks_per_multiprocessor=2")


def test_two_sweeps() -> None:
    assert [len(run.measurements) for run in read(TEXT + TEXT)] == [18, 18]


@pytest.mark.parametrize("cut", [2, 3, 12, 60])
def test_a_cut_sweep(cut: int) -> None:
    (run,) = read(TEXT[:-cut])
    assert (run.run.status, len(run.measurements)) == ("truncated", 12)


def test_a_broken_row_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("        240        330", "        330"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 2)
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("        240", "        nan"))
    assert refused.value.code == "NOT_FINITE"
