"""gpu-burn: last rates, verdicts, GPUs that died, and several runs in one paste."""

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TEXT = """someone@host:~/gpu-burn$ ./gpu_burn -tc 60
Using compare file: compare.ptx
Burning for 60 seconds.
GPU 0: NVIDIA Example 1 (UUID: GPU-00000000-1111-2222-3333-444444444444)
GPU 1: NVIDIA Example 1 (UUID: GPU-00000000-1111-2222-3333-555555555555)
Initialized device 0 with 24000 MB of memory (23000 MB available, using 20700 MB of it), using FLOATS, using Tensor Cores
50.0%  proc'd: 10 (50000 Gflop/s) - 10 (51000 Gflop/s)   errors: 0 - 0   temps: 60 C - 61 C
\tSummary at:   Fri Jan  2 03:04:05 UTC 2026

95.0%  proc'd: 20 (52000 Gflop/s) - 20 (53000 Gflop/s)   errors: 0 - 0   temps: 65 C - 66 C   power: 300 W - 310 W
Killing processes with SIGTERM (soft kill)
done

Tested 2 GPUs:
\tGPU 0: OK
\tGPU 1: OK
"""


def rates(run: ParsedRun) -> list[float]:
    return [m.value * 1000 for m in run.measurements if m.metric == "matrix_throughput"]


def test_the_sample_of_one_run() -> None:
    (run,) = runs("gpu-burn/k80_issue8.txt")
    wanted = expected("gpu-burn/k80_issue8.txt")
    assert (run.devices[0].name_raw, rates(run)) == (wanted["gpu"], [pytest.approx(wanted["gflops_last"])])
    assert (run.measurements[0].dtype, run.measurements[0].flags, run.run.status) == (wanted["dtype"], None, "ok")


def test_the_sample_of_two_runs() -> None:
    found = runs("gpu-burn/rtxa500_and_a2000_issue124.txt")
    first, second = expected("gpu-burn/rtxa500_and_a2000_issue124.txt")
    assert [run.devices[0].name_raw for run in found] == [first["gpu"], second["gpu"]]
    assert (rates(found[0]), rates(found[1])) == ([pytest.approx(first["gflops_last"])], [])
    assert found[1].run.status == second["verdict"].lower()


def test_the_sample_of_a_faulty_machine() -> None:
    (run,) = runs("gpu-burn/x16_faulty_issue12.txt")
    wanted = expected("gpu-burn/x16_faulty_issue12.txt")
    assert (rates(run)[0], len(rates(run))) == (pytest.approx(wanted["gflops_gpu0"]), wanted["n"])
    flagged = [m.device_ordinal for m in run.measurements if m.flags == "incorrect_result"]
    assert run.run.status == "invalid"
    assert flagged == [0, 1, 2, 3, 4, 9, 11, 14]


def test_the_sample_that_died_gives_no_figure() -> None:
    with pytest.raises(RefusedError) as refused:
        runs("gpu-burn/died_issue69.txt")
    assert refused.value.code == "NO_ROWS"


def test_figures_and_readings_of_each_gpu() -> None:
    (run,) = read(TEXT)
    assert rates(run) == [52000, 53000]
    first, temperature, power, *_ = run.measurements
    assert (first.unit_raw, first.statistic, first.dtype, first.tensor_core) == ("Gflop/s", "last", "tf32", "yes")
    assert (temperature.value, temperature.unit, power.value, power.unit) == (65, "°C", 300, "W")
    assert [device.name_raw for device in run.devices] == ["NVIDIA Example 1"] * 2
    assert (run.run.status, run.run.args) == ("ok", "seconds=60")


def test_progress_with_carriage_returns_reads_the_same() -> None:
    lines = TEXT.replace("\n50.0%", "\r50.0%").replace("\n95.0%", "\r95.0%")
    assert read(lines) == read(TEXT)


def test_personal_fields_stay_out() -> None:
    assert "GPU-0000" not in repr(read(TEXT))
    assert "someone" not in repr(read(TEXT))


def test_names_that_differ_are_not_guessed() -> None:
    (run,) = read(TEXT.replace("GPU 1: NVIDIA Example 1", "GPU 1: NVIDIA Example 2"))
    assert [device.name_raw for device in run.devices] == [None, None]


def test_a_paste_that_ends_early_has_no_rate() -> None:
    with pytest.raises(RefusedError, match="holds no figure") as refused:
        read(TEXT[: TEXT.index("95.0%") + 40])
    assert refused.value.code == "NO_ROWS"
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("(53000 Gflop/s)   errors: 0 - 0", "(53000 Gflop"))
    assert (refused.value.code, refused.value.line) == ("PARSE", 10)


def test_a_gpu_that_died_has_no_rate_beside_one_that_lived() -> None:
    died = TEXT.replace("20 (53000 Gflop/s)   errors: 0 - 0", "-1 (0 Gflop/s)   errors: 0 - -533715488  (DIED!)")
    (run,) = read(died)
    assert (run.run.status, rates(run)) == ("failed", [52000])


def test_progress_that_begins_anew_is_another_run() -> None:
    line = "{}%  proc'd: 636 ({} Gflop/s)   errors: 0   temps: 64 C\n"
    found = read(line.format("100.0", 2085) + line.format("50.0", 1000) + line.format("100.0", 2273))
    assert [rates(run) for run in found] == [[2085], [2273]]


@pytest.mark.parametrize("blank", [" ", "\t"])
def test_collapsed_spaces_and_tabs_give_the_same_figures(blank: str) -> None:
    assert read("\n".join(blank.join(line.split()) if "proc'd" in line else line for line in TEXT.split("\n"))) == read(TEXT)


def test_progress_reports_joined_in_one_line_are_each_read() -> None:
    report = "{}% proc'd: 636 ({} Gflop/s) errors: 0 temps: 64 C"
    joined = " ".join((report.format("50.0", 1000), report.format("100.0", 2085)))
    (run,) = read(TEXT[: TEXT.index("50.0%")] + joined + "\n\nTested 1 GPUs:\n\tGPU 0: OK\n")
    assert (run.run.status, rates(run)) == ("ok", [2085])


def test_a_run_whose_last_progress_is_missing_is_not_ok() -> None:
    lost = TEXT[: TEXT.index("95.0%")] + TEXT[TEXT.index("Killing") :]
    both = read(TEXT + lost)
    assert [(run.run.status, len(rates(run))) for run in both] == [("ok", 2), ("truncated", 0)]
