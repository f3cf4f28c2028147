"""nccl-tests: rows of all layouts, several collectives per log, launchers' prefixes, JSON."""

import json
from typing import Any

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

NEW = """# nccl-tests version 2.17.8 nccl-headers=22902 nccl-library=22902
# Collective test starting: all_reduce_perf
# nThread 1 nGpus 1 minBytes 1024 maxBytes 2048 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1 graph: 0
#
# Using devices
#  Rank  0 Group  0 Pid 41 on secret-a device  0 [0000:1b:00] NVIDIA Example 1
#  Rank  1 Group  0 Pid 42 on secret-b device  0 [0000:1b:00] NVIDIA Example 1
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   busbw  #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)             (us)  (GB/s)  (GB/s)
        1024           256     float     sum      -1    10.00    1.00    1.50       0    11.00    1.10    1.65     N/A
        2048           512     float     sum      -1    20.00    2.00    3.00       4    21.00    2.10    3.15     N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 2.325
#
# Collective test concluded: all_reduce_perf
#
"""
OLD = """# nThread 1 nGpus 2 minBytes 8 maxBytes 8 step: 2(factor) warmup iters: 5 iters: 20 validation: 1
#   Rank  0 Pid 11 on localhost device  0 [0x00] Example 1
#   Rank  1 Pid 11 on localhost device  1 [0x00] Example 1
#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error
#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
secret:34:34 [0] NCCL INFO Launch mode Parallel
           0             0   float     sum     1.63    0.00    0.00    N/A     1.38    0.00    0.00    N/A
           8             2   float     sum    34.84    1.00    1.00  1e-07    34.71    1.00    1.00  1e-07
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 1.0
#
"""
TEXTS = ["h100_2node_v2.17.6_multi_collective", "cluster01_single_node_G8", "cluster01_single_node_G4"]
OLD_TEXTS = ["a100_40gb_superbench_allreduce", "a100_40gb_superbench_alltoall"]


def averages(found: list[ParsedRun]) -> list[float]:
    return [m.value for run in found for m in run.measurements if m.statistic == "avg_all_sizes"]


def figures(run: ParsedRun, metric: str, placement: str) -> list[float]:
    return [m.value for m in run.measurements if m.metric == metric and f"placement={placement}" in (m.workload or "")]


def check(file: str) -> list[ParsedRun]:
    found, wanted = runs(file), expected(file)
    assert averages(found) == wanted["avg_busbw_gbps"]
    assert sum(len(figures(run, "collective_time", "out_of_place")) for run in found) == wanted["data_rows"]
    assert {device.name_raw for run in found for device in run.devices} == set(wanted["devices"])
    last = [cell for cell in wanted["last_row"] if cell.replace(".", "").isdigit()]
    assert figures(found[-1], "collective_bus_bandwidth", "out_of_place")[-1] in [float(cell) for cell in last]
    assert found[-1].measurements[-2].size_bytes == int(last[0])
    return found


@pytest.mark.parametrize("name", TEXTS)
def test_samples_of_several_collectives(name: str) -> None:
    found = check(f"nccl-tests/{name}.log")
    wanted = expected(f"nccl-tests/{name}.log")
    assert [run.measurements[0].test for run in found] == wanted["collectives"]
    assert {run.run.tool_version for run in found} == set(wanted["nccl_tests_version"])
    assert {run.run.status for run in found} == {"ok"}


@pytest.mark.parametrize("name", OLD_TEXTS)
def test_samples_of_the_old_layout(name: str) -> None:
    (run,) = check(f"nccl-tests/{name}.log")
    assert (run.run.layout_version, run.run.status, len(run.devices)) == ("text 2.0", "ok", 8)


def test_an_excerpt_without_header() -> None:
    (run,) = runs("nccl-tests/aws_slurm_topology_README.blocks.txt")
    wanted = expected("nccl-tests/aws_slurm_topology_README.blocks.txt")
    assert averages([run]) == wanted["avg_busbw_gbps"]
    assert len(figures(run, "collective_time", "in_place")) == wanted["data_rows"]
    assert figures(run, "collective_bus_bandwidth", "in_place")[-1] == float(wanted["last_row"][-2])
    assert run.measurements[0].test == "all_reduce_perf"


def test_a_table_of_one_placement_was_edited() -> None:
    (run,) = runs("nccl-tests/h200nvl_single_row_collapsed.txt")
    wanted = expected("nccl-tests/h200nvl_single_row_collapsed.txt")
    bus, algorithm, time, average = run.measurements
    assert (bus.size_bytes, time.value, algorithm.value) == (wanted["size"], wanted["time_us"], wanted["algbw"])
    assert (bus.value, average.value) == (wanted["busbw"], wanted["avg_busbw"])
    assert (bus.flags, bus.n_gpus, bus.workload) == ("edited", 8, "redop=sum")


def test_a_summary_made_by_a_script_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        runs("nccl-tests/cluster01_summary.csv")
    assert refused.value.code == "SCHEMA"
    assert "upload the logs" in refused.value.reason


def test_a_page_about_the_tool_without_its_output_is_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        runs("nccl-tests/aws_efa_mpi_prefixed_README.blocks.txt")
    assert refused.value.code == "UNKNOWN_FORMAT"


def test_figures_settings_and_identity() -> None:
    (run,) = read(NEW)
    bus, algorithm, time = run.measurements[:3]
    assert (bus.metric, bus.value, bus.unit_raw, bus.size_bytes, bus.dtype) == (
        "collective_bus_bandwidth",
        1.5,
        "GB/s",
        1024,
        "fp32",
    )
    assert (algorithm.value, time.value, time.unit, time.n_samples) == (1.0, 10.0, "us", 20)
    assert (bus.n_gpus, bus.n_nodes, bus.workload) == (2, 2, "placement=out_of_place; redop=sum")
    assert (run.run.framework, run.run.status, run.run.parser_version) == ("NCCL 2.29.2", "ok", 2)
    assert run.measurements[-1].workload == "min_bytes=1024; max_bytes=2048"


def test_wrong_results_are_marked() -> None:
    (run,) = read(NEW)
    assert [m.value for m in run.measurements if m.flags == "incorrect_result"] == [3.0, 2.0, 20.0]
    (run,) = read(OLD.replace("values : 0 OK", "values : 1 FAILED"))
    assert run.run.status == "invalid"
    assert {m.flags for m in run.measurements} == {"incorrect_result"}


def test_nothing_is_moved_where_the_size_is_zero() -> None:
    (run,) = read(OLD)
    assert {m.metric for m in run.measurements if m.size_bytes == 0} == {"collective_time"}
    assert run.measurements[0].test == "unknown_perf"


@pytest.mark.parametrize(
    "prefix", ["[1,0]<stdout>:", "0: ", "2026-01-02T03:04:05.678901Z stdout F ", "[2026-01-02 03:04:05] ", "    "]
)
def test_prefixes_of_launchers_and_logs(prefix: str) -> None:
    (run,) = read("".join(prefix + line for line in NEW.splitlines(keepends=True)))
    (plain,) = read(NEW)
    assert run == plain


def test_several_collectives_and_a_cut_end() -> None:
    second = NEW.replace("all_reduce", "reduce")
    found = read(NEW + "\n" + second[: second.index("3.00")])
    assert [(run.measurements[0].test, run.run.status) for run in found] == [
        ("all_reduce_perf", "ok"),
        ("reduce_perf", "truncated"),
    ]
    assert len(found[1].measurements) == 6


def test_an_average_that_may_be_cut_is_not_kept() -> None:
    (run,) = read(NEW[: NEW.index("2.325") + 3])
    assert (run.run.status, averages([run])) == ("truncated", [])


@pytest.mark.parametrize(
    ("right", "wrong", "code"),
    [
        ("1.50       0", "1.50", "PARSE"),
        ("   10.00", "   1O.00", "PARSE"),
        ("   10.00", "     nan", "NOT_FINITE"),
        ("float", "flaot", "PARSE"),
    ],
)
def test_a_row_that_cannot_be_read_is_refused(right: str, wrong: str, code: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(NEW.replace(right, wrong, 1))
    assert (refused.value.code, refused.value.line) == (code, 12)


def test_a_test_that_failed_is_a_status() -> None:
    text = NEW[: NEW.index("# Out of")] + "secret-a: Test NCCL failure common.cu:100 'unhandled cuda error'\n"
    (run,) = read(text)
    assert run.run.status == "failed"


def document(**other: Any) -> str:
    half = {"time": 10.0, "alg_bw": 1.0, "bus_bw": 1.5, "nwrong": 0.0}
    result = {
        "size": 1024,
        "count": 256,
        "type": "float",
        "redop": "sum",
        "root": "    -1",
        "out_of_place": half,
        "in_place": half,
    }
    listed = [{"rank": 0, "hostname": "secret-a", "pid": 1, "device_hex": "0000:1b:00", "device_info": "NVIDIA Example 1"}]
    return json.dumps(
        {
            "version": 1, "start_time": "2026-01-02 03:04:05", "args": ["/mnt/secret/all_reduce_perf", "-b", "8"],
            "env": ["TOKEN=secret"], "nccl_version": 22807, "results": [result],
            "config": {"nthreads": 1, "minimum_bytes": 1024, "iterations": 20, "parallel_init": "false", "devices": listed},
            "out_of_bounds": {"count": 0, "okay": "true"}, "average_bus_bandwidth": {"bandwidth": 1.5, "okay": "unchecked"},
        }
        | other
    )  # fmt: skip


def test_json() -> None:
    (run,) = read(document())
    assert [m.value for m in run.measurements] == [1.5, 1.0, 10.0, 1.5, 1.0, 10.0, 1.5]
    assert (run.measurements[0].test, run.measurements[0].n_samples, run.devices[0].name_raw) == (
        "all_reduce_perf",
        20,
        "NVIDIA Example 1",
    )
    assert (run.run.framework, run.run.status, str(run.run.started_at)) == ("NCCL 2.28.7", "ok", "2026-01-02 03:04:05")


def test_json_without_its_end_is_truncated_and_of_another_shape_refused() -> None:
    (run,) = read(document(average_bus_bandwidth=None))
    assert run.run.status == "truncated"
    with pytest.raises(RefusedError) as refused:
        read(document(results=[{"size": 1}]))
    assert refused.value.code == "PARSE"


@pytest.mark.parametrize("text", [NEW, OLD, document()])
def test_hosts_environment_and_places_on_the_bus_never_come_in(text: str) -> None:
    kept = str(read(text))
    assert "secret" not in kept
    assert "localhost" not in kept
    assert "1b:00" not in kept


def test_the_name_of_a_gpu_where_the_text_ends_may_be_cut() -> None:
    _, run = read(NEW + NEW[: NEW.index("ple 1\n#\n")])
    assert [d.name_raw for d in run.devices] == ["NVIDIA Example 1"]
    assert run.run.status == "truncated"


def test_printed_units_are_read() -> None:
    plain, other = (read(text)[0].measurements for text in (NEW, NEW.replace("(GB/s)", "(MB/s)").replace("(us)", "(ms)")))
    for ours, theirs in zip(plain, other, strict=True):
        factor = 1000 if ours.metric == "collective_time" else 1e-3
        assert theirs.value == pytest.approx(ours.value * factor)
        assert theirs.unit_raw == {"us": "ms", "GB/s": "MB/s"}[ours.unit_raw]
    (run,) = read("\n".join(line for line in NEW.split("\n") if "(us)" not in line))
    assert {m.flags for m in run.measurements} == {"incorrect_result,unit_assumed", "unit_assumed"}


def test_the_unit_of_an_average_without_a_table_is_assumed() -> None:
    """nccl-tests prints the unit in the head of the table alone."""
    begin, end = NEW.index("# nThread"), NEW.index("# Out of bounds")
    (run,) = read(NEW[:begin] + NEW[begin:].split("\n", 1)[0] + "\n" + NEW[end:])
    assert [(m.unit_raw, m.flags) for m in run.measurements] == [("GB/s", "unit_assumed")]


@pytest.mark.parametrize(("old", "new"), [("(B) ", "(KB)"), ("(us)", "(weeks)"), ("(GB/s)  (GB/s)  ", "(GB/s)  (MB/s)  ")])
def test_units_that_the_tool_does_not_print_are_refused(old: str, new: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(NEW.replace(old, new, 1))
    assert refused.value.code == "SCHEMA"


def test_rows_without_their_header_are_refused() -> None:
    lines = NEW.split("\n")
    header = next(n for n, line in enumerate(lines) if " size " in line)
    with pytest.raises(RefusedError) as refused:
        read("\n".join(lines[:header] + lines[header + 2 :]))
    assert (refused.value.code, refused.value.line) == ("PARSE", header + 1)
    with pytest.raises(RefusedError) as refused:
        read(NEW + lines[header + 2])
    assert (refused.value.code, refused.value.line) == ("PARSE", len(lines))


def test_the_columns_of_each_iteration_are_left_out() -> None:
    more = {"#wrong ": "#wrong   i_min   i_max   i_p99   i_cv% ", "(GB/s)  (GB/s)  ": "(GB/s)  (GB/s)   (us) (us) (us) (%) "}
    text = NEW.replace("       0    11", "       0  1 2 3 4  11").replace("       4    21", "       4  1 2 3 4  21")
    text = text.replace("     N/A", "     N/A  1 2 3 4")
    for old, new in more.items():
        text = text.replace(old, new)
    text = text.replace("busbw  #wrong\n", "busbw  #wrong i_min i_max i_p99 i_cv%\n").replace(
        "(GB/s)\n", "(GB/s) (us) (us) (us) (%)\n"
    )
    assert [m.value for m in read(text)[0].measurements] == [m.value for m in read(NEW)[0].measurements]


def test_a_damaged_line_of_a_rank_leaves_the_number_of_gpus_open() -> None:
    (run,) = read(NEW.replace("secret-b device  0", "secret-b de"))
    assert run.run.status == "truncated"
    assert {m.n_gpus for m in run.measurements} == {None}
