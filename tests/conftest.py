"""Shared by all tests: one real build of the committed data, a site of hostile data, and the markers by fixture."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import settings

from pipeline import paths
from pipeline.warehouse import connection
from pipeline.website import build
from tests.command import gpuledger
from tests.hostile import hostile_release

settings.register_profile("no_clock", deadline=None)  # a slow machine is no failure
settings.load_profile("no_clock")

MARKERS_BY_FIXTURE = {"built": "build", "browser": "browser"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what reads the session build as `build` and what opens Chromium as `browser`."""
    for item in items:
        for fixture, marker in MARKERS_BY_FIXTURE.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(marker)


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build folder of a complete build from the committed snapshots."""
    out = tmp_path_factory.mktemp("build")
    result = gpuledger("build", "--out", str(out))
    assert result.returncode == 0, result.stderr
    return out


@pytest.fixture(scope="session")
def release(built: Path) -> Path:
    """The published release: database, Parquet, CSV, descriptions, site."""
    return (built / "current").resolve()


@pytest.fixture(scope="session")
def site(release: Path) -> Path:
    """The published site."""
    return release / "site"


@pytest.fixture(scope="session")
def con(release: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection to the published database."""
    with connection.connect(release / "gpuledger.duckdb", read_only=True) as database:
        yield database


@pytest.fixture(scope="session")
def hostile_site(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site over data whose every text is hostile."""
    folder = tmp_path_factory.mktemp("hostile")
    hostile_release(release, folder / "release")
    build.build_site(folder / "release", folder / "release" / "site", folder / "cache")
    return folder / "release" / "site"


@pytest.fixture
def data_copy(tmp_path: Path) -> Path:
    """A copy of the committed data folder that a test may change."""
    target = tmp_path / "data"
    shutil.copytree(paths.DATA, target, ignore=shutil.ignore_patterns("build"))
    return target
