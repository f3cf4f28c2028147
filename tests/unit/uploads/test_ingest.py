"""Uploads as they come: alone, in folders, twice, edited, under a new parser, laid into the inbox."""

import json
import os
from pathlib import Path

import pytest

from benchmarks.formats import detection
from benchmarks.formats.core import ParsedRun
from pipeline.errors import BuildError
from pipeline.uploads import inbox, load_accepted
from pipeline.uploads.annotation.hints import DeviceHint
from pipeline.uploads.ingest import Statements, group_files
from tests.unit.uploads.upload_texts import H100, NAMELESS, NCCL, SIMPLEST, SMI, UUID, data_folder, runs_of, take_in

pytestmark = pytest.mark.slow  # each test starts the sandbox

NAMED = Statements(DeviceHint("user", "NVIDIA A100-SXM4-80GB"))
LLAMA = """build_commit,build_number,gpu_info,backends,model_filename,model_type,model_size,model_n_params,n_batch,n_ubatch,n_threads,type_k,type_v,n_gpu_layers,n_prompt,n_gen,test_time,avg_ns,stddev_ns,avg_ts,stddev_ts
"abc1234","5000","NVIDIA L4","CUDA","m.gguf","llama 8B Q4_0","4653375488","8030261248","2048","512","8","f16","f16","99","512","0","2026-10-01T10:00:00Z","100000000","1000000","{rate}","1.0"
"""  # noqa: E501 - a header of the tool


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return data_folder(tmp_path)


def put(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def loaded(data: Path) -> list[ParsedRun]:
    return [run for upload in load_accepted.uploads(data, data / "build" / "parsed") for run in upload.runs]


def stored(data: Path, place: str = "accepted") -> set[str]:
    folder = data / "uploads" / place
    return {path.name for path in folder.iterdir()} if folder.exists() else set()


def state(data: Path) -> dict[Path, tuple[int, bytes]]:
    files = (path for path in (data / "uploads").rglob("*") if path.is_file())
    return {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def test_a_file_lands_under_its_hash_and_its_rows_come_back(data: Path, tmp_path: Path) -> None:
    (outcome,) = take_in(data, put(tmp_path / "in", simplest=SIMPLEST))
    (run,) = runs_of(outcome)
    assert {figure.run_id for figure in run.measurements} == {run.run.run_id}
    assert [figure.ordinal for figure in run.measurements] == [0, 1]
    assert run.devices[0].gpu_id == "nvidia-h100-sxm5-80gb"
    assert run.run.parser_version >= 1
    assert stored(data) == {f"{run.run.upload_sha256}.csv", f"{run.run.upload_sha256}.csv.json"}
    assert loaded(data) == [run]


def test_a_stored_file_and_its_sidecar_are_flushed_to_the_disk(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that a power failure cannot lose an upload whose original was removed from the inbox."""
    flushed: set[int] = set()
    monkeypatch.setattr(os, "fsync", lambda descriptor: flushed.add(os.fstat(descriptor).st_ino))
    take_in(data, put(tmp_path / "in", simplest=SIMPLEST))
    accepted = data / "uploads" / "accepted"
    assert {path.stat().st_ino for path in (accepted, *accepted.iterdir())} <= flushed


def test_the_same_bytes_twice_are_no_work(data: Path, tmp_path: Path) -> None:
    folder = put(tmp_path / "in", good=SIMPLEST, bad="device_name,kernel\nA,copy\n")
    first = take_in(data, folder)
    before = state(data)
    put(folder, copy=SIMPLEST)
    again = take_in(data, folder)
    assert sorted(outcome.status for outcome in first) == ["accepted", "rejected"]
    assert sorted(outcome.status for outcome in again) == ["known", "known", "rejected"]
    assert before == {
        path: (path.stat().st_mtime_ns, path.read_bytes()) for path in (data / "uploads").rglob("*") if path.is_file()
    }


def test_a_dry_run_stores_nothing(data: Path, tmp_path: Path) -> None:
    outcomes = take_in(data, put(tmp_path / "in", good=SIMPLEST, bad="x"), dry_run=True)
    assert sorted(outcome.status for outcome in outcomes) == ["accepted", "rejected"]
    assert not (data / "uploads").exists()


def test_a_refusal_is_kept_with_its_record(data: Path, tmp_path: Path) -> None:
    (outcome,) = take_in(data, put(tmp_path / "in", **{"my run.csv": SIMPLEST + "NVIDIA L4,copy,1\n"}))
    (record,) = (json.loads(path.read_text()) for path in (data / "uploads" / "quarantine").glob("*.json"))
    assert (record["code"], record["line"], record["name"]) == (outcome.code, 4, "my run.csv") == ("PARSE", 4, "my run.csv")
    assert record["reason"] == outcome.reason
    assert record["parsers"]["gpuledger_csv"] >= 1
    assert stored(data, "quarantine") == {record["sha256"], record["sha256"] + ".json"}
    assert not stored(data)


def test_links_and_pipes_leave_no_trace_and_too_large_files_a_record(data: Path, tmp_path: Path) -> None:
    folder = put(tmp_path / "in", real=SIMPLEST)
    (folder / "link").symlink_to(folder / "real")
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe")
    with (folder / "huge").open("wb") as file:
        file.truncate(2**33)
    found = {outcome.file.name: outcome.code for outcome in take_in(data, folder)}
    assert found == {"real": None, "link": "CONTENT_TYPE", "loop": "CONTENT_TYPE", "pipe": "CONTENT_TYPE", "huge": "SIZE"}
    (record,) = stored(data, "quarantine")
    kept = json.loads((data / "uploads" / "quarantine" / record).read_text())
    assert (kept["bytes"], kept["kept"]) == (2**33, False)


def test_an_edited_run_is_a_conflict_and_a_copy_a_duplicate(data: Path, tmp_path: Path) -> None:
    first, copied, edited, later = (
        put(tmp_path / name, run=text)
        for name, text in (
            ("a", LLAMA.format(rate="5120.0")),
            ("b", LLAMA.format(rate="5120.0").replace("\n", "\r\n")),
            ("c", LLAMA.format(rate="9999.0")),
            ("d", LLAMA.format(rate="9999.0").replace("10:00:00", "11:00:00")),
        )
    )
    outcomes = take_in(data, first, copied, edited, later)
    assert [outcome.code for outcome in outcomes] == [None, "DUPLICATE", "CONFLICT", None]
    assert len(loaded(data)) == 2


def test_runs_without_a_start_are_never_taken_for_one_another(data: Path, tmp_path: Path) -> None:
    outcomes = take_in(data, put(tmp_path / "in", a=SIMPLEST, b=SIMPLEST.replace("0.8", "0.9").replace("2684.4\nN", "2386.1\nN")))
    assert [outcome.status for outcome in outcomes] == ["accepted", "accepted"]


def test_a_file_beside_it_says_which_gpu_it_was(data: Path, tmp_path: Path) -> None:
    folder = put(tmp_path / "in", a_stream=NAMELESS.format(rate="1680000.0"), z_smi=SMI)
    named = {outcome.file.name: runs_of(outcome)[0] for outcome in take_in(data, folder)}
    (device,) = named["a_stream"].devices
    assert (device.gpu_id, device.identity_source) == ("nvidia-a100-sxm4-80gb", "sibling")
    assert not any(figure.flags for figure in named["a_stream"].measurements)
    assert named["z_smi"].devices[0].identity_source == "output"
    assert {run.run.run_id for run in loaded(data)} == {run.run.run_id for run in named.values()}
    assert {run.devices[0].gpu_id for run in loaded(data)} == {"nvidia-a100-sxm4-80gb"}


def test_the_same_bytes_are_never_said_to_be_of_another_gpu(data: Path, tmp_path: Path) -> None:
    stream = NAMELESS.format(rate="1680000.0")
    take_in(data, put(tmp_path / "x", a_stream=stream, smi=SMI))
    before = state(data)
    other = put(tmp_path / "y", a_stream=stream, smi=SMI.replace("A100-SXM4-80GB", "L4").replace("81920", "23034"))
    found = {outcome.file.name: outcome.code for outcome in take_in(data, other)}
    assert found == {"a_stream": "CONFLICT", "smi": None}
    assert before.items() <= state(data).items()
    (outcome,) = take_in(data, tmp_path / "x" / "a_stream", stated=NAMED)
    assert (outcome.status, outcome.runs[0].devices[0].identity_source) == ("known", "sibling")


def test_nodes_that_list_their_gpus_in_the_same_second_are_several(data: Path, tmp_path: Path) -> None:
    power = "<gpu_power_readings><instant_power_draw>{} W</instant_power_draw></gpu_power_readings><processes>"
    nodes = [SMI.replace(UUID, UUID[:-1] + str(n)).replace("<used>3", f"<used>{n}") for n in range(3)]
    folders = [
        put(
            tmp_path / str(n), a_stream=NAMELESS.format(rate=f"168000{n}.0"), smi=smi.replace("<processes>", power.format(70 + n))
        )
        for n, smi in enumerate(nodes)
    ]
    outcomes = take_in(data, *folders)
    assert [outcome.code for outcome in outcomes] == [None] * 6
    assert {run.devices[0].gpu_id for outcome in outcomes for run in outcome.runs} == {"nvidia-a100-sxm4-80gb"}


def test_files_of_other_folders_and_other_gpus_identify_nothing(data: Path, tmp_path: Path) -> None:
    put(tmp_path / "in", a_stream=NAMELESS.format(rate="1680000.0"))
    put(tmp_path / "in" / "deeper", smi=SMI)
    mixed = put(tmp_path / "mixed", stream=NAMELESS.format(rate="1690000.0"), smi=SMI, other=SMI.replace("A100-SXM4-80GB", "L4"))
    streams = [outcome for outcome in take_in(data, tmp_path / "in", mixed) if "stream" in outcome.file.name]
    assert [outcome.runs[0].devices for outcome in streams] == [[], []]
    assert all(figure.flags == "device_unresolved" for outcome in streams for figure in outcome.runs[0].measurements)


def test_the_user_may_say_which_gpu_it_was(data: Path, tmp_path: Path) -> None:
    folder = put(tmp_path / "in", stream=NAMELESS.format(rate="1680000.0"), named=SIMPLEST)
    take_in(data, folder)
    said = {outcome.file.name: outcome for outcome in take_in(data, folder, stated=NAMED)}
    assert said["stream"].runs[0].devices[0].identity_source == "user"
    assert said["stream"].runs[0].devices[0].gpu_id == "nvidia-a100-sxm4-80gb"
    assert said["named"].runs[0].devices[0].name_raw == H100
    assert [said["stream"].status, said["named"].status] == ["accepted", "known"]
    assert {outcome.status for outcome in take_in(data, folder)} == {"known"}
    assert {run.devices[0].gpu_id for run in loaded(data)} == {
        "nvidia-a100-sxm4-80gb",
        "nvidia-h100-sxm5-80gb",
    }


def test_a_refused_file_is_judged_again_by_a_new_parser(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put(tmp_path / "in", file="nothing that a tool writes\n")
    take_in(data, folder)
    (record,) = (data / "uploads" / "quarantine").glob("*.json")
    monkeypatch.setattr(detection.text_formats()[0], "PARSER_VERSION", 99)
    take_in(data, folder)
    assert 99 in json.loads(record.read_text())["parsers"].values()


def test_a_changed_or_newly_refused_upload_stops_a_build(data: Path, tmp_path: Path) -> None:
    take_in(data, put(tmp_path / "in", file=SIMPLEST))
    (path,) = (data / "uploads" / "accepted").glob("*.csv")
    path.write_text(SIMPLEST + "NVIDIA L4,copy,1,1,1\n")
    with pytest.raises(BuildError, match=r"not the bytes that were accepted"):
        loaded(data)


def test_rows_are_the_same_each_time(data: Path, tmp_path: Path) -> None:
    take_in(data, put(tmp_path / "in", a=SIMPLEST, b=NCCL, c=SMI))
    assert loaded(data) == loaded(data)
    assert loaded(tmp_path / "nothing") == []


def test_folders_are_walked_without_links_dots_and_markers(tmp_path: Path) -> None:
    folder = put(tmp_path / "in", a="x", **{".hidden": "x", "a.done": "", "b.done": "x"})
    put(folder / "sub", c="x")
    (folder / "away").symlink_to(tmp_path)
    found = {str(path.relative_to(folder)) for group in group_files([folder], tmp_path / "inbox") for path in group.files}
    assert found == {"a", "b.done", "away", "sub/c"}


def test_the_inbox_waits_for_writers_and_is_emptied(data: Path) -> None:
    box = put(data / "uploads" / "inbox", alone=SIMPLEST, bad="x", fresh=SIMPLEST)
    put(box / "machine", stream=NAMELESS.format(rate="1680000.0"), smi=SMI)
    os.mkfifo(box / "pipe")
    for path in (*box.rglob("*"),):
        if path.name != "fresh":
            os.utime(path, (1, 1))
    ready = [sorted(path.name for path in group.files) for group in inbox.pending(box)]
    assert ready == [["alone"], ["bad"], ["pipe"], ["smi", "stream"]]
    outcomes = {outcome.file.name: outcome for outcome in inbox.drain(data)}
    assert {name: outcome.code for name, outcome in outcomes.items()} == {
        "stream": None,
        "smi": None,
        "alone": None,
        "bad": "UNKNOWN_FORMAT",
        "pipe": "CONTENT_TYPE",
    }
    assert outcomes["stream"].runs[0].devices[0].identity_source == "sibling"
    assert [path.name for path in box.rglob("*") if not path.is_dir()] == ["fresh"]
    assert inbox.pending(box) == []
    (box / "fresh.done").touch()
    assert [outcome.status for outcome in inbox.drain(data)] == ["known"]
    assert [path for path in box.rglob("*") if path.is_file()] == []
