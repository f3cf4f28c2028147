"""nvbandwidth: matrices, sums, statuses and identity, of text and JSON."""

import json
from typing import Any

import pytest

from benchmarks.formats.core import ParsedRun
from benchmarks.formats.detection import read
from pipeline.readers import RefusedError
from tests.samples import expected, runs

TEXT = """$ ./nvbandwidth -b 256 -i 5
nvbandwidth Version: v0.8
Built from Git version: v0.8

CUDA Runtime Version: 12060
CUDA Driver Version: 12060
Driver Version: 560.10

secret-host
Device 0: NVIDIA Example 1 (00000000:99:00)
Device 1: NVIDIA Example 1 (00000000:9a:00)

Running host_to_device_memcpy_ce.
memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0     25.10     25.20

SUM host_to_device_memcpy_ce 50.30

Running device_to_device_bidirectional_memcpy_read_ce.
memcpy CE GPU(row) <-> GPU(column) Read1 bandwidth (GB/s)
           0         1
 0       N/A    100.00
 1    101.00       N/A

SUM device_to_device_bidirectional_memcpy_read_ce_read1 201.00

memcpy CE GPU(row) <-> GPU(column) Total bandwidth (GB/s)
           0         1
 0       N/A    200.00
 1    202.00       N/A

SUM device_to_device_bidirectional_memcpy_read_ce_total 402.00

Waived:
Running device_to_device_latency_sm.
Device to Device Latency SM GPU(row) <-> GPU(column) (ns)
           0         1
 0       N/A    826.42
 1    825.83       N/A

SUM device_to_device_latency_sm 1652.25
"""
MULTINODE = """nvbandwidth Version: v0.7
Process  0 (secret-a): device 0: HGX GB200 (00000008:01:00)
Process  1 (secret-b): device 0: HGX GB200 (00000008:01:00)

Running multinode_device_to_device_memcpy_read_ce.
memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)
           0         1
 0       N/A    390.00
 1    391.00       N/A

SUM multinode_device_to_device_memcpy_read_ce 781.00
"""


def document(**test: Any) -> str:
    case = {"name": "host_to_device_memcpy_ce", "status": "Passed", "bandwidth_matrix": [["25.1"]], "sum": 25.1} | test
    listed = ["0: NVIDIA Example 1 (00000000:99:00): (secret-host)"]
    return json.dumps({"nvbandwidth": {"GPU Device list": listed, "CUDA Runtime Version": 12080, "testcases": [case]}})


def sums(run: ParsedRun) -> dict[str, float]:
    in_ns = {"us": 1000, "GB/s": 1}
    return {m.test: pytest.approx(m.value * in_ns[m.unit]) for m in run.measurements if m.statistic == "sum"}


def test_json_sample() -> None:
    (run,) = runs("nvbandwidth/rtx5090x4_v0.8.json")
    wanted = expected("nvbandwidth/rtx5090x4_v0.8.json")
    assert sums(run) == {name: test["sum"] for name, test in wanted["tests"].items() if test["sum"] is not None}
    assert (run.run.driver, run.run.cuda_runtime, len(run.devices)) == (wanted["driver"], "12.8", wanted["n_devices"])
    assert "v" + (run.run.tool_version or "") == wanted["version_key"]
    waived = sum(test["status"] == "Waived" for test in wanted["tests"].values())
    assert f"waived_tests={waived}" in (run.run.args or "")


def test_an_edited_sample_is_read_and_marked() -> None:
    (run,) = runs("nvbandwidth/gh200_v0.6_superbench_fixture.log")
    wanted = expected("nvbandwidth/gh200_v0.6_superbench_fixture.log")
    assert sums(run) == wanted["sums"]
    assert (run.run.driver, run.run.cuda_runtime) == (wanted["driver"], "12.4")
    assert f"waived_tests={wanted['waived_lines']}" in (run.run.args or "")
    assert {m.test for m in run.measurements if m.flags == "edited"} == {"host_to_device_memcpy_ce", "device_to_host_memcpy_ce"}


def test_the_name_of_a_test_is_found_in_its_sum() -> None:
    (run,) = runs("nvbandwidth/a6000x6_v0.8_issue50.txt")
    wanted = expected("nvbandwidth/a6000x6_v0.8_issue50.txt")
    cells = [m.value for m in run.measurements if m.statistic == "median"]
    assert (len(cells), max(cells), min(cells)) == (wanted["cells"], wanted["max"], wanted["min"])
    assert sums(run) == {wanted["test"]: wanted["sum"]}
    assert run.devices == []


def test_the_buffer_size_is_taken_from_the_command() -> None:
    (run,) = runs("nvbandwidth/a100_sxm4_40gb_v0.8_issue42.txt")
    wanted = expected("nvbandwidth/a100_sxm4_40gb_v0.8_issue42.txt")
    assert (run.devices[0].name_raw, run.run.driver, run.run.cuda_runtime) == (wanted["gpu"], wanted["driver"], wanted["cuda"])
    cell = run.measurements[0]
    assert (cell.value, cell.size_bytes) == (wanted["host_to_device_memcpy_sm_gbps"], wanted["buffer_mib"] * 2**20)


def test_a_sample_cut_inside_a_number_is_truncated() -> None:
    (run,) = runs("nvbandwidth/rtx4090x8_v0.2_issue15.txt")
    assert sums(run) == expected("nvbandwidth/rtx4090x8_v0.2_issue15.txt")["complete_tests"]
    assert (run.run.status, len(run.devices), 16.0 in {m.value for m in run.measurements}) == ("truncated", 8, False)


def test_a_bare_host_name_is_left_out() -> None:
    (run,) = runs("nvbandwidth/h20-3e_v0.8_issue48.txt")
    wanted = expected("nvbandwidth/h20-3e_v0.8_issue48.txt")
    assert run.measurements[0].value == wanted["device_local_copy_gbps_gpu0"]
    assert (sums(run), len(run.devices)) == ({"device_local_copy": wanted["sum"]}, wanted["n_gpu"])
    assert (run.measurements[0].direction, run.run.status) == ("d2d_local", "ok")


def test_figures_directions_and_identity() -> None:
    (run,) = read(TEXT)
    of = {(m.test, m.device_ordinal, m.peer_ordinal): m for m in run.measurements}
    up = of["host_to_device_memcpy_ce", 1, None]
    assert (up.value, up.direction, up.engine, up.n_samples, up.size_bytes) == (25.2, "h2d", "ce", 5, 256 * 2**20)
    one = of["device_to_device_bidirectional_memcpy_read_ce_read1", 1, 0]
    both = of["device_to_device_bidirectional_memcpy_read_ce_total", 1, 0]
    assert (one.direction, both.direction, both.metric, both.n_gpus) == ("bidir_onedir", "bidir_sum", "peer_bandwidth", 2)
    latency = of["device_to_device_latency_sm", 0, 1]
    assert (latency.metric, latency.value, latency.unit, latency.unit_raw) == ("latency", pytest.approx(0.82642), "us", "ns")
    assert (run.run.cuda_runtime, run.devices[1].name_raw, run.run.status, run.run.parser_version) == (
        "12.6",
        "NVIDIA Example 1",
        "ok",
        2,
    )


@pytest.mark.parametrize("text", [TEXT, MULTINODE, document()])
def test_host_names_and_places_on_the_bus_never_come_in(text: str) -> None:
    kept = str(read(text))
    assert "secret" not in kept
    assert "0000:" not in kept
    assert "00000008" not in kept


def test_processes_of_several_hosts() -> None:
    (run,) = read(MULTINODE)
    assert [(d.ordinal, d.name_raw) for d in run.devices] == [(0, "HGX GB200"), (1, "HGX GB200")]
    assert run.measurements[0].n_nodes == 2


def test_newer_headers_print_the_version_of_cuda_as_such() -> None:
    (run,) = read(TEXT.replace("CUDA Runtime Version: 12060", "CUDA Runtime Version: 13.2 (13020)"))
    assert run.run.cuda_runtime == "13.2"


@pytest.mark.parametrize(("cut", "kept"), [("SUM device_to_device_latency_sm", 2), ("825.83", 1), ("82 ", 1)])
def test_a_paste_that_ends_inside_a_matrix_keeps_its_whole_rows(cut: str, kept: int) -> None:
    text = TEXT[: TEXT.index("825.83") + 2] if cut == "82 " else TEXT[: TEXT.index(cut)]
    (run,) = read(text)
    assert run.run.status == "truncated"
    assert sum(m.metric == "latency" for m in run.measurements) == kept


def test_a_sum_that_may_be_cut_is_not_kept() -> None:
    (run,) = read(TEXT.rstrip("\n")[:-1])
    assert run.run.status == "truncated"
    assert "device_to_device_latency_sm" not in sums(run)


@pytest.mark.parametrize(("wrong", "right"), [("25.10     25.20", "25.10"), ("25.10", "nan"), ("N/A    100.00", "N/A  x100.00")])
def test_a_row_that_cannot_be_read_is_refused(wrong: str, right: str) -> None:
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace(wrong, right))
    assert refused.value.code == "PARSE"
    assert refused.value.line is not None


def test_cells_that_do_not_add_up_are_marked() -> None:
    (run,) = read(TEXT.replace("25.20", "99.20"))
    assert {m.flags for m in run.measurements if m.test == "host_to_device_memcpy_ce"} == {"edited"}


def test_statuses_of_json() -> None:
    (run,) = read(document(status="Waived"))
    assert (run.run.status, run.measurements, len(run.devices)) == ("waived", [], 1)
    (run,) = read(document(status="Error", error="out of memory"))
    assert run.run.status == "failed"


@pytest.mark.parametrize("test", [{"status": "Fine"}, {"bandwidth_matrix": [["1"], ["1", "2"]]}, {"bandwidth_matrix": "1"}])
def test_json_of_another_shape_is_refused(test: dict[str, Any]) -> None:
    with pytest.raises(RefusedError) as refused:
        read(document(**test))
    assert refused.value.code == "PARSE"


def test_a_matrix_in_another_unit_is_read_in_it_and_one_in_no_unit_is_refused() -> None:
    plain, other = (read(text)[0].measurements for text in (TEXT, TEXT.replace("(GB/s)", "(MB/s)", 1).replace("(ns)", "(us)")))
    assert len(other) == len(plain)
    assert [(m.value, m.unit_raw) for m in other[:3]] == [(pytest.approx(m.value / 1000), "MB/s") for m in plain[:3]]
    assert [(m.metric, m.value, m.unit_raw) for m in other[-3:]] == [
        ("latency", pytest.approx(m.value * 1000), "us") for m in plain[-3:]
    ]
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("(GB/s)", "(knots)", 1))
    assert (refused.value.code, refused.value.line) == ("SCHEMA", 16)


def test_rows_without_the_description_of_their_matrix_are_refused() -> None:
    with pytest.raises(RefusedError) as refused:
        read(TEXT.replace("memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)", "memcpy CE CPU(r"))
    assert refused.value.code == "PARSE"


def test_a_sum_alone_has_an_assumed_unit() -> None:
    (run,) = read("SUM host_to_device_memcpy_ce 50.30\n")
    assert [(m.value, m.flags) for m in run.measurements] == [(50.3, "unit_assumed")]


def test_stacked_matrices_of_json_are_both_directions_and_their_total() -> None:
    name = "device_to_device_bidirectional_memcpy_{}_ce"
    cells = [["N/A", "51.7"], ["51.8", "N/A"], ["N/A", "51.6"], ["51.7", "N/A"], ["N/A", "103.3"], ["103.5", "N/A"]]
    for way in ("read", "write"):
        text = document(
            name=name.format(way), bandwidth_matrix=cells, sum=206.8,
            bandwidth_description="memcpy CE GPU(row) <-> GPU(column) Total bandwidth (GB/s)",
        ).replace('["0: NVIDIA Example 1', '["1: NVIDIA Example 1", "0: NVIDIA Example 1')  # fmt: skip
        (run,) = read(text)
        found = [(m.test.removeprefix(name.format(way) + "_"), m.value, m.direction, m.flags) for m in run.measurements]
        assert found == [
            (f"{way}1", 51.7, "bidir_onedir", None),
            (f"{way}1", 51.8, "bidir_onedir", None),
            (f"{way}2", 51.6, "bidir_onedir", None),
            (f"{way}2", 51.7, "bidir_onedir", None),
            ("total", 103.3, "bidir_sum", None),
            ("total", 103.5, "bidir_sum", None),
            ("total", 206.8, "bidir_sum", None),
        ]
        assert [(m.device_ordinal, m.peer_ordinal) for m in run.measurements[:6]] == [(0, 1), (1, 0)] * 3
