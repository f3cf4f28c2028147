"""Checks of an upload before anything is decoded."""

import gzip
import io
import os
import zipfile
import zlib
from pathlib import Path

import pytest

from pipeline.readers import RefusedError
from pipeline.uploads import precheck
from tests.unit.uploads.upload_texts import SIMPLEST


def code(path: Path) -> str:
    with pytest.raises(RefusedError) as refused:
        precheck.refuse_binary(precheck.read_file(path))
    return refused.value.code


def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text(SIMPLEST)
    (tmp_path / "link.csv").symlink_to(tmp_path / "real.csv")
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / "pipe.csv")  # reading it would wait for a writer for ever
    assert precheck.read_file(tmp_path / "real.csv") == SIMPLEST.encode()
    assert {code(tmp_path / name) for name in ("link.csv", "dangling.csv", "pipe.csv")} == {"CONTENT_TYPE"}
    assert code(tmp_path) == code(Path("/dev/zero")) == "CONTENT_TYPE"


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "sparse.csv").open("wb") as file:
        file.truncate(2**40)
    assert code(tmp_path / "sparse.csv") == "SIZE"
    with pytest.raises(RefusedError, match="SIZE"):
        precheck.read_stream(io.BytesIO(b"x" * (precheck.MAX_BYTES + 1)))


def test_a_file_that_grows_while_it_is_read_is_left_for_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "growing.csv"
    path.write_text(SIMPLEST)
    real = precheck.read_stream

    def slow(stream: io.BufferedReader) -> bytes:
        raw = real(stream)
        path.write_text(SIMPLEST * 2)
        return raw

    monkeypatch.setattr(precheck, "read_stream", slow)
    assert code(path) == "TRUNCATED"


@pytest.mark.parametrize(
    "raw",
    [
        b"PAR1PAR1",
        b"\0" * 8 + b"DUCK" + b"\0" * 100,
        b"\x7fELF\x02\x01",
        b"\x89PNG\r\n",
        b"MZ\x90\0\x03",
        b"%PDF-1.7",
        b"  <!DOCTYPE html><p>Sign in",
        b"<?xml version='1.0'?>\n<!DOCTYPE HTML PUBLIC>",
        b"<html lang=en>",
    ],
)
def test_binary_content_is_recognized_by_its_first_bytes(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "innocent.csv").write_bytes(raw)
    assert code(tmp_path / "innocent.csv") == "CONTENT_TYPE"


def test_archives_are_refused_and_their_growth_is_counted(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("../../escaped.csv", SIMPLEST)
    (tmp_path / "sound.gz").write_bytes(gzip.compress(SIMPLEST.encode()))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(os.urandom(5000))[:3000])
    (tmp_path / "damaged.gz").write_bytes(b"\x1f\x8b\x08\0" + b"\xff" * 200)
    (tmp_path / "bomb.gz").write_bytes(gzip.compress(bytes(64 * 2**20)))
    varied = zlib.compressobj(1, wbits=31)
    (tmp_path / "rows.gz").write_bytes(b"".join(varied.compress(f"NVIDIA H100,copy,{n},1,1\n".encode()) for n in range(600_000)))
    found = {path.name: code(path) for path in tmp_path.iterdir()}
    assert found == {
        "a.zip": "CONTENT_TYPE",
        "sound.gz": "CONTENT_TYPE",
        "cut.gz": "PARSE",
        "damaged.gz": "PARSE",
        "bomb.gz": "RATIO",
        "rows.gz": "SIZE",
    }


def test_a_file_is_settled_when_it_is_marked_or_old(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(SIMPLEST)
    now = path.stat().st_mtime
    assert not precheck.is_settled(path, now + 5, quiet_s=30)
    assert precheck.is_settled(path, now + 31, quiet_s=30)
    precheck.marker(path).touch()
    assert precheck.is_settled(path, now + 5, quiet_s=30)
    assert precheck.is_marker(tmp_path / "run.txt.done")
    assert not precheck.is_marker(path)
