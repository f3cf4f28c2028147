"""gpu-roofline of gpu-benches: five figures per line, the width of the operands, and cut pastes."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError

TEXT = """-- Finished Building --
0 1056 blocks     0 its      0.250 Fl/B       3000 GB/s       750 GF/s   1980 Mhz   500 W   57°C
1 1056 blocks     0 its      0.250 Fl/B       3100 GB/s       775 GF/s   1980 Mhz   510 W   58°C

0 1056 blocks     8 its      2.250 Fl/B       2900 GB/s      6525 GF/s   1950 Mhz   600 W   60°C
"""


def test_figures() -> None:
    (run,) = read(TEXT)
    assert [(m.metric, m.value, m.unit) for m in run.measurements[:5]] == [
        ("vector_throughput", 0.75, "TFLOP/s"),
        ("memory_bandwidth", 3000, "GB/s"),
        ("sm_clock", 1980, "MHz"),
        ("power", 500, "W"),
        ("temperature", 57, "°C"),
    ]
    assert [m.device_ordinal for m in run.measurements[::5]] == [0, 1, 0]
    assert {m.dtype for m in run.measurements} == {"fp32"}
    assert run.measurements[-1].workload == "operations_per_byte=2.250; iterations=8"


def test_operands_of_eight_bytes() -> None:
    (run,) = read(TEXT.replace("0.250 Fl/B", "0.125 Fl/B").replace("2.250 Fl/B", "1.125 Fl/B"))
    assert {m.dtype for m in run.measurements} == {"fp64"}


def test_a_cut_paste_and_a_broken_one() -> None:
    (run,) = read(TEXT[:-4])
    assert (run.run.status, len(run.measurements)) == ("truncated", 10)
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("775 GF/s", "775"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 3)
