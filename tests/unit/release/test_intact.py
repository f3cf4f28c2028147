"""Files of a release that differ from its list of hashes are noticed."""

import shutil
from pathlib import Path

import pytest

from pipeline.release.exports import is_intact, write_checksums

FILES = {".": ["gpuledger.duckdb", "csv/gpu.csv"], "snapshots": ["0123456789.txt"], "site": ["index.html", "data/SHA256SUMS"]}


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """The lists of the data files, of the snapshots and of the site are written one after the other, as a build does."""
    for folder, names in FILES.items():
        for path in (tmp_path / folder / name for name in names):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"The content of {path.name}")
        write_checksums(tmp_path / folder)
    return tmp_path


def test_a_whole_release_is_intact(release: Path) -> None:
    assert is_intact(release)


def test_data_without_a_site_are_intact(release: Path) -> None:
    shutil.rmtree(release / "site")
    assert is_intact(release)
    assert not is_intact(release / "site")


@pytest.mark.parametrize("name", [f"{folder}/{name}" for folder, names in FILES.items() for name in (*names, "SHA256SUMS")])
def test_a_missing_or_cut_file_is_noticed(release: Path, name: str) -> None:
    (release / name).write_text((release / name).read_text()[:-9])
    assert not is_intact(release)
    (release / name).unlink()
    assert not is_intact(release)
