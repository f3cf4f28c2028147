"""No file leaves the inbox unless its bytes are stored."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from pipeline import paths
from pipeline.orchestration import inbox as sensor
from pipeline.uploads import inbox, precheck
from tests.unit.uploads.upload_texts import SIMPLEST, data_folder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = data_folder(tmp_path)
    inbox.folder(data).mkdir(parents=True)
    return data


def put_file(data: Path, name: str, raw: bytes) -> Path:
    path = inbox.folder(data) / name
    path.write_bytes(raw)
    precheck.marker(path).touch()
    return path


def test_a_file_too_large_to_be_read_moves_to_the_quarantine(data: Path) -> None:
    head = b"x" * precheck.MAX_BYTES
    for end in (b"one", b"two"):
        put_file(data, end.decode(), head + end)
    assert [outcome.code for outcome in inbox.drain(data)] == ["SIZE", "SIZE"]
    assert list(inbox.folder(data).iterdir()) == []
    quarantine = data / "uploads" / "quarantine"
    kept = [path.read_bytes() for path in quarantine.iterdir() if path.suffix != ".json"]
    assert sorted(raw[-3:] for raw in kept if raw.startswith(head)) == [b"one", b"two"]
    assert [json.loads(path.read_text())["code"] for path in quarantine.glob("*.json")] == ["SIZE"]


@pytest.mark.parametrize("fails", ["open", "read"])
def test_a_file_that_cannot_be_read_stays(data: Path, monkeypatch: pytest.MonkeyPatch, fails: str) -> None:
    path = put_file(data, "good", SIMPLEST.encode())
    put_file(data, "other", b"x")

    system_open = os.open

    def fail(*_: Any) -> Any:
        raise OSError(5, "Input/output error")

    def fail_in_inbox(path: Any, *options: Any, **named: Any) -> Any:
        return fail() if inbox.folder(data) in Path(path).parents else system_open(path, *options, **named)

    with monkeypatch.context() as patch:
        patch.setattr(*((os, "open", fail_in_inbox) if fails == "open" else (precheck, "read_stream", fail)))
        assert [outcome.code for outcome in inbox.drain(data)] == ["UNREADABLE", "UNREADABLE"]
    assert path.read_text() == SIMPLEST
    assert {outcome.file.name: outcome.code for outcome in inbox.drain(data)} == {"good": None, "other": "UNKNOWN_FORMAT"}


def test_what_a_failed_run_left_is_asked_for_again_an_hour_later(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(paths, "DATA", data)
    put_file(data, "good", SIMPLEST.encode())
    keys = []
    for now in (7200.0, 7300.0, 10_900.0):
        monkeypatch.setattr("pipeline.orchestration.inbox.time.time", lambda now=now: now)
        keys.append(getattr(sensor.inbox_sensor(), "run_key", None))
    assert keys[0] == keys[1] != keys[2]
