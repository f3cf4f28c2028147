"""nvidia-smi: the CSV of queries, with and without units, over time and without a header."""

import pytest

from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

CSV = """\
index, name, uuid, driver_version, memory.used [MiB], memory.total [MiB], power.limit [W], clocks.max.sm [MHz], ecc.mode.current
0, NVIDIA Example 1, GPU-secret, 570.1, 17 MiB, 1024 MiB, 170.00 W, 2145 MHz, Enabled
1, NVIDIA Example 2, GPU-secret2, 570.1, 17 MiB, 2048 MiB, [Not Supported], 2145 MHz, [N/A]
"""


@pytest.mark.parametrize("name", ["a6000", "h200nvl", "l40s"])
def test_csv_samples(name: str) -> None:
    (run,) = runs(f"nvidia-smi/query_csv_{name}.csv")
    row = expected(f"nvidia-smi/query_csv_{name}.csv")["raw"][1].split(", ")
    (gpu,) = run.devices
    assert [gpu.name_raw, f"{gpu.memory_total_mib:.0f} MiB"] == [row[0], row[2]]
    assert (run.measurements, run.run.status) == ([], "ok")


def test_each_gpu_of_csv_with_and_without_units() -> None:
    (run,) = read(CSV)
    (bare,) = read(CSV.replace(" MiB,", ",").replace(" W,", ",").replace(" MHz,", ","))
    first, second = run.devices
    assert (first.name_raw, first.memory_total_mib, first.power_limit_w, first.sm_clock_mhz) == (
        "NVIDIA Example 1",
        1024,
        170,
        2145,
    )
    assert (first.ecc, second.ecc, second.power_limit_w, run.run.driver) == (True, None, None, "570.1")
    assert bare == run


def test_a_log_over_time_names_each_gpu_once() -> None:
    log = "timestamp, index, name, utilization.gpu [%]\n" + "".join(
        f"2026/01/02 03:04:0{n}.000, {n % 2}, NVIDIA Example 1, {n} %\n" for n in range(6)
    )
    (run,) = read(log)
    assert (len(run.devices), str(run.run.started_at)) == (2, "2026-01-02 03:04:00")
    with pytest.raises(RefusedError) as refused:
        read("\n".join(", ".join(line.split(", ")[:1] + line.split(", ")[2:]) for line in log.splitlines()))
    assert refused.value.code == "SCHEMA"


@pytest.mark.parametrize(
    "text",
    [
        "NVIDIA Example 1, 570.10.01, 1024 MiB\nNVIDIA Example 2, 570.10.01, 1024 MiB\n",
        "0, NVIDIA Example 1, 1024 MiB, 90.12 W\n",
        "index, memory.total [MiB]\n0, 1024 MiB\n",
        "name, memory.total [MiB], name\na, 1 MiB, a\n",
    ],
)
def test_tables_that_do_not_tell_the_gpus_are_refused(text: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(text)
    assert refused.value.code == "SCHEMA"


def test_the_last_cell_of_a_text_that_may_be_cut_is_unknown() -> None:
    (run,) = read("name, memory.total [MiB]\nNVIDIA Example 1, 102")
    assert (run.run.status, run.devices[0].memory_total_mib) == ("truncated", None)
    (run,) = read("name, memory.total [MiB]\nNVIDIA Example 1, 1024 MiB")
    assert (run.run.status, run.devices[0].memory_total_mib) == ("ok", 1024)


def test_a_row_of_another_width_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        read(CSV.replace("0, NVIDIA Example 1, GPU-secret, ", "0, NVIDIA Example 1, "))
    assert (refused.value.code, refused.value.line) == ("PARSE", 2)


def test_personal_fields_and_readings_of_a_moment_never_come_in() -> None:
    kept = str(read(CSV))
    assert not [word for word in ("secret", "=17.0") if word in kept]


def test_a_header_inside_a_line_is_none() -> None:
    (run,) = read(CSV + "\n$ name, memory.total [MiB]\n")
    assert len(run.devices) == 2


UNREACHED = "Unable to determine the device handle for GPU 0000:02:00.0: Unknown Error\n"


def test_gpus_below_a_blank_line_are_read() -> None:
    assert read(CSV.replace("1, NVIDIA", "\n1, NVIDIA")) == read(CSV)
    assert read(CSV + "\nThanks, Example!\n" + ", ".join("abcdefghi") + "\n") == read(CSV)


def test_gpus_below_a_line_that_is_no_gpu_are_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        read(CSV.replace("1, NVIDIA", UNREACHED + "1, NVIDIA"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 3)
    (run,) = read(CSV + UNREACHED)
    assert len(run.devices) == 2
