"""bandwidthTest: rates of all modes and units."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

QUICK = """[CUDA Bandwidth Test] - Starting...
Running on...

 Device 0: NVIDIA Example 1
 Quick Mode

 Host to Device Bandwidth, 1 Device(s)
 PINNED Memory Transfers
   Transfer Size (Bytes)\tBandwidth(GB/s)
   32000000\t\t\t12.3

 Device to Host Bandwidth, 1 Device(s)
 PINNED Memory Transfers
   Transfer Size (Bytes)\tBandwidth(GB/s)
   32000000\t\t\t13.2

 Device to Device Bandwidth, 1 Device(s)
 PINNED Memory Transfers
   Transfer Size (Bytes)\tBandwidth(GB/s)
   32000000\t\t\t1157.5

Result = PASS

NOTE: The CUDA Samples are not meant for performance measurements. Results may vary when GPU Boost is enabled.
"""
CSV = """[CUDA Bandwidth Test] - Starting...
Running on...

 Device 0: NVIDIA Example 1
 Range Mode

bandwidthTest-D2D, Bandwidth = 772.0 GB/s, Time = 0.00010 s, Size = 1000 bytes, NumDevsUsed = 1
bandwidthTest-H2D-Paged, Bandwidth = 12.4 GB/s, Time = 0.00549 s, Size = 2000 bytes, NumDevsUsed = 1
Result = PASS
"""


@pytest.mark.parametrize("way", ["h2d", "d2h"])
def test_samples_of_shmoo(way: str) -> None:
    (run,) = runs(f"cuda-samples/bandwidthTest_v100_shmoo_{way}.log")
    wanted = expected(f"cuda-samples/bandwidthTest_v100_shmoo_{way}.log")
    last = run.measurements[-1]
    assert (len(run.measurements), run.devices[0].name_raw, run.run.status) == (wanted["rows"], wanted["device"], "ok")
    assert f"Bandwidth = {last.value_raw} GB/s" in wanted["last"][1]
    assert f"Size = {last.size_bytes} bytes" in wanted["last"][1]
    assert {m.direction for m in run.measurements} == {way}


def test_sample_with_the_old_unit() -> None:
    (run,) = runs("cuda-samples/bandwidthTest_p100_mbs.txt")
    wanted = expected("cuda-samples/bandwidthTest_p100_mbs.txt")
    rates = {m.direction: float(m.value_raw) for m in run.measurements}
    assert rates == {"h2d": wanted["h2d"], "d2h": wanted["d2h"], "d2d_local": wanted["d2d"]}
    assert {(m.unit_raw, m.flags) for m in run.measurements} == {(wanted["unit"], "unit_assumed")}
    assert [m.value for m in run.measurements] == [pytest.approx(rate / 1000) for rate in rates.values()]


def test_sample_of_a_copy_within_the_cache_is_read_as_printed() -> None:
    (run,) = runs("cuda-samples/bandwidthTest_p2p_rtx6000ada.txt")
    wanted = expected("cuda-samples/bandwidthTest_p2p_rtx6000ada.txt")
    assert [m.value for m in run.measurements] == [wanted["h2d_gbps"], wanted["d2h_gbps"], wanted["d2d_gbps"]]
    assert {m.size_bytes for m in run.measurements} == {32000000}


def test_figures_and_identity() -> None:
    (run,) = read(QUICK)
    up, _, within = run.measurements
    assert (up.metric, up.value, up.direction, up.size_bytes, up.workload) == (
        "copy_bandwidth",
        12.3,
        "h2d",
        32000000,
        "memory=pinned",
    )
    assert (within.value, within.direction, within.workload) == (1157.5, "d2d_local", "counted=read+write")
    assert (run.devices[0].name_raw, run.run.args, run.run.status, run.run.parser_version) == (
        "NVIDIA Example 1",
        "mode=quick",
        "ok",
        2,
    )


def test_csv() -> None:
    (run,) = read(CSV)
    assert [(m.value, m.size_bytes, m.workload) for m in run.measurements] == [
        (772.0, 1000, "counted=read+write"),
        (12.4, 2000, "memory=pageable"),
    ]
    assert (run.run.layout_version, run.run.status) == ("csv", "ok")


def test_a_failed_test_is_a_status() -> None:
    (run,) = read(QUICK.replace("PASS", "FAIL"))
    assert run.run.status == "failed"


@pytest.mark.parametrize(
    ("text", "at", "kept"), [(QUICK, "57.5", 2), (CSV, "Time = 0.00549", 1), (QUICK, " Device to Device", 2)]
)
def test_a_paste_that_ends_early_is_truncated(text: str, at: str, kept: int) -> None:
    (run,) = read(text[: text.index(at)])
    assert (run.run.status, len(run.measurements)) == ("truncated", kept)


@pytest.mark.parametrize(
    ("text", "right", "wrong"), [(QUICK, "13.2", "13,2"), (CSV, "772.0 GB/s", "772.0 XB/s"), (QUICK, "12.3", "")]
)
def test_a_row_that_cannot_be_read_is_refused(text: str, right: str, wrong: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(text.replace(right, wrong))
    assert refused.value.code == "PARSE"
    assert refused.value.line is not None


@pytest.mark.parametrize("heading", ["Device to Host Bandwidth", "Host to Device Bandwidth"])
def test_rows_whose_heading_is_damaged_are_refused_and_not_read_as_another_direction(heading: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(QUICK.replace(heading, heading[:-9]))
    assert refused.value.code == "PARSE"
