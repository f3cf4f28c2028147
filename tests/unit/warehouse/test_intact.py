"""Files of a release that differ from its list of hashes are noticed."""

import hashlib
from pathlib import Path

import pytest

from pipeline.warehouse.release.exports import is_intact


@pytest.fixture
def release(tmp_path: Path) -> Path:
    (tmp_path / "csv").mkdir()
    for name in ("gpuledger.duckdb", "csv/gpu.csv"):
        (tmp_path / name).write_text(name)
    names = ("gpuledger.duckdb", "csv/gpu.csv")
    (tmp_path / "SHA256SUMS").write_text("".join(f"{hashlib.sha256(name.encode()).hexdigest()}  {name}\n" for name in names))
    return tmp_path


def test_a_whole_release_is_intact(release: Path) -> None:
    assert is_intact(release)


@pytest.mark.parametrize("name", ["gpuledger.duckdb", "csv/gpu.csv", "SHA256SUMS"])
def test_a_missing_or_cut_file_is_noticed(release: Path, name: str) -> None:
    (release / name).write_text((release / name).read_text()[:-9])
    assert not is_intact(release)
    (release / name).unlink()
    assert not is_intact(release)
