"""Accepted uploads are parsed once: later loads start no process, and a damaged cache file is parsed again."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from benchmarks.formats.core import ParsedRun
from pipeline.uploads import load_accepted
from tests.unit.uploads.upload_texts import NCCL, SIMPLEST, data_folder, take_in

pytestmark = pytest.mark.slow  # each test starts the sandbox


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with two accepted uploads."""
    data = data_folder(tmp_path)
    for name, text in (("simplest", SIMPLEST), ("nccl", NCCL)):
        (tmp_path / name).write_text(text)
    outcomes = take_in(data, tmp_path / "simplest", tmp_path / "nccl")
    assert [outcome.status for outcome in outcomes] == ["accepted"] * 2
    return data


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The commands of child processes started from here on."""
    commands = []
    popen = subprocess.Popen

    def start(command: Any, **options: Any) -> "subprocess.Popen[bytes]":
        commands.append(command)
        return popen(command, **options)

    monkeypatch.setattr(subprocess, "Popen", start)
    return commands


def load(data: Path) -> list[ParsedRun]:
    return [run for upload in load_accepted.uploads(data, data / "cache") for run in upload.runs]


def cached(data: Path) -> list[Path]:
    return sorted(path for path in (data / "cache").rglob("*") if path.is_file())


def test_results_of_other_parsers_and_of_removed_uploads_are_deleted(data: Path) -> None:
    load(data)
    first, second = cached(data)
    (data / "cache" / "earlier").mkdir()
    (data / "cache" / "earlier" / first.name).write_bytes(first.read_bytes())
    for file in (data / "uploads" / "accepted").glob(f"{second.stem}*"):
        file.unlink()
    load(data)
    assert cached(data) == [first]


def test_a_second_load_starts_no_sandbox(data: Path, started: list[Any]) -> None:
    first = load(data)
    assert started
    started.clear()
    assert load(data) == first
    assert not started
    assert len(cached(data)) == 2


def test_one_new_upload_is_parsed_alone(data: Path, tmp_path: Path) -> None:
    load(data)
    (tmp_path / "other").write_text(SIMPLEST.replace("0.8", "0.9"))
    take_in(data, tmp_path / "other")
    before = {path: path.stat().st_ino for path in cached(data)}
    assert len(load(data)) == 3
    after = {path: path.stat().st_ino for path in cached(data)}
    assert len(after) == 3
    assert before.items() <= after.items(), "the others were not written again"


@pytest.mark.parametrize("damage", ["flip", "cut", "empty"])
def test_a_damaged_cache_file_is_parsed_again(data: Path, started: list[Any], damage: str) -> None:
    first, (path, _) = load(data), cached(data)
    raw = path.read_bytes()
    path.write_bytes({"flip": raw[:-40] + bytes([raw[-40] ^ 1]) + raw[-39:], "cut": raw[:200], "empty": b""}[damage])
    started.clear()
    assert load(data) == first
    assert started
    assert path.read_bytes() == raw


def test_changed_parser_code_parses_again(data: Path, started: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    first = load(data)
    started.clear()
    monkeypatch.setattr(load_accepted, "parser_hash", lambda: "another")
    assert load(data) == first
    assert started


def test_the_fingerprint_changes_with_the_uploads_alone(data: Path, tmp_path: Path) -> None:
    before = load_accepted.fingerprint(data)
    load(data)
    assert load_accepted.fingerprint(data) == before
    sidecar = next((data / "uploads" / "accepted").glob("*.json"))
    sidecar.write_text(sidecar.read_text().replace('"identity": null', '"identity": {}'))
    changed = load_accepted.fingerprint(data)
    assert changed != before
    (tmp_path / "other").write_text(SIMPLEST.replace("0.8", "0.9"))
    take_in(data, tmp_path / "other")
    assert load_accepted.fingerprint(data) not in (before, changed)


def test_without_uploads_there_is_a_fingerprint(tmp_path: Path) -> None:
    assert load_accepted.fingerprint(tmp_path) == load_accepted.fingerprint(tmp_path / "nothing")
