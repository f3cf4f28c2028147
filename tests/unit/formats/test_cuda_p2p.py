"""p2pBandwidthLatencyTest: matrices of two ways, with and without peer access."""

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TEXT = """[P2P (Peer-to-Peer) GPU Bandwidth Latency Test]
Device: 0, NVIDIA Example 1, pciBusID: c1, pciDeviceID: 0, pciDomainID:0
Device: 1, NVIDIA Example 2, pciBusID: 41, pciDeviceID: 0, pciDomainID:0
Device=0 CAN Access Peer Device=1

P2P Connectivity Matrix
     D\\D     0     1
     0\t     1     1
     1\t     1     1
Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
   D\\D     0      1
     0 909.49  20.65
     1  20.21 1545.69
Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
   D\\D     0      1
     0 915.89  50.72
     1  50.28 1536.43
Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)
   D\\D     0      1
     0 920.84 101.57
     1 101.83 1539.03
P2P=Enabled Latency (P2P Writes) Matrix (us)
   GPU     0      1
     0   2.62  46.09
     1  38.57   3.81

   CPU     0      1
     0   1.85   5.92
     1   5.87   1.81

NOTE: The CUDA Samples are not meant for performance measurements. Results may vary when GPU Boost is enabled.
"""
MATRIX = TEXT[TEXT.index("Unidirectional P2P=E") : TEXT.index("Bidirectional")]


def values(run: ParsedRun, test: str, workload: str) -> dict[tuple[int | None, int | None], float]:
    return {
        (m.device_ordinal, m.peer_ordinal): m.value for m in run.measurements if m.test == test and workload in (m.workload or "")
    }


def test_sample_of_three_excerpts() -> None:
    a100, h100, gb200 = runs("cuda-samples/p2p_a100_h100_gb200_excerpts.md")
    wanted = expected("cuda-samples/p2p_a100_h100_gb200_excerpts.md")
    of = [values(run, "unidirectional_bandwidth", "p2p=enabled") for run in (a100, h100, gb200)]
    assert [matrix[0, 1] for matrix in of] == [
        wanted["a100_offdiag_0_1"],
        wanted["h100_offdiag_0_1"],
        wanted["gb200_offdiag_0_1"],
    ]
    assert of[2][0, None] == wanted["gb200_diag_0"]
    assert gb200.measurements[0].direction == "d2d_local"


def test_sample_of_two_different_gpus() -> None:
    (run,) = runs("cuda-samples/p2p_mixed_4090_5090_windows.txt")
    wanted = expected("cuda-samples/p2p_mixed_4090_5090_windows.txt")
    assert [d.name_raw for d in run.devices] == [wanted["dev0"], wanted["dev1"]]
    disabled = values(run, "unidirectional_bandwidth", "p2p=disabled")
    assert [disabled[0, None], disabled[1, None]] == wanted["uni_disabled_diag"]


def test_sample_without_unidirectional_matrices() -> None:
    (run,) = runs("cuda-samples/p2p_rtx4090_missing_unidirectional.txt")
    wanted = expected("cuda-samples/p2p_rtx4090_missing_unidirectional.txt")
    assert values(run, "bidirectional_bandwidth", "p2p=disabled")[0, 1] == wanted["bidir_disabled_0_1"]
    assert wanted["unidirectional"] is None
    assert {m.direction for m in run.measurements} == {"bidir_sum", "d2d_local"}


def test_figures_and_identity() -> None:
    (run,) = read(TEXT)
    assert (len(run.measurements), run.run.status, run.run.parser_version) == (20, "ok", 2)
    one = next(m for m in run.measurements if m.value == 50.72)
    assert (one.metric, one.direction, one.device_ordinal, one.peer_ordinal) == ("peer_bandwidth", "uni", 0, 1)
    assert (one.workload, one.n_gpus, one.unit_raw) == ("p2p=enabled; method=writes", 2, "GB/s")
    within = run.measurements[3]
    assert (within.metric, within.direction, within.n_gpus) == ("copy_bandwidth", "d2d_local", 1)
    assert values(run, "bidirectional_bandwidth", "p2p=enabled")[1, 0] == 101.83
    assert values(run, "latency", "timed_by=gpu")[0, 1] == 46.09
    assert values(run, "latency", "timed_by=cpu")[0, 1] == 5.92


def test_places_on_the_bus_never_come_in() -> None:
    kept = str(read(TEXT)[0].devices)
    assert "NVIDIA Example 2'" in kept
    assert "41" not in kept


def test_a_matrix_that_comes_again_begins_another_run() -> None:
    found = read(MATRIX + "\nAnd again:\n```\n" + MATRIX + "```\n")
    assert [len(run.measurements) for run in found] == [4, 4]
    assert [len(run.measurements) for run in read(TEXT + TEXT)] == [20, 20]


@pytest.mark.parametrize(("at", "kept"), [("536.43", 2), ("     1  50.28", 2), ("15.89", 0)])
def test_a_paste_that_ends_inside_a_matrix_is_truncated(at: str, kept: int) -> None:
    (run,) = read(TEXT[: TEXT.index(at)])
    assert (run.run.status, len(run.measurements)) == ("truncated", 4 + kept)


@pytest.mark.parametrize(
    ("right", "wrong"), [("915.89  50.72", "915.89"), ("50.72", "5O.72"), ("     0 915.89", "     7 915.89")]
)
def test_a_row_that_cannot_be_read_is_refused(right: str, wrong: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace(right, wrong))
    assert (refused.value.code, refused.value.line) == ("PARSE", 16)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)", "Bidirectional P2P=Enabled Bandw"),
        ("P2P=Enabled Latency (P2P Writes) Matrix (us)\n", ""),
        ("   CPU     0      1\n", ""),
    ],
)
def test_rows_without_their_title_or_columns_are_refused(old: str, new: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace(old, new))
    assert refused.value.code == "PARSE"


def test_printed_units_are_read() -> None:
    plain, other = (read(text)[0].measurements for text in (TEXT, TEXT.replace("(GB/s)", "(MB/s)").replace("(us)", "(ns)")))
    assert len(plain) == len(other)
    assert all(theirs.value == pytest.approx(ours.value / 1000) for ours, theirs in zip(plain, other, strict=True))
    assert {m.unit_raw for m in other} == {"MB/s", "ns"}
