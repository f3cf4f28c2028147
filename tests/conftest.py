"""Shared by all tests: one real build of the committed data, a site of hostile data, and the markers by fixture."""

import atexit
import gc
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from filelock import FileLock
from hypothesis import settings

from pipeline import paths
from pipeline.warehouse import connection
from pipeline.website import build
from tests.command import gpuledger
from tests.hostile import hostile_release
from tests.unit.fetch.misbehaving_host import Host, serving

settings.register_profile("random", deadline=None)  # a slow machine is no failure
settings.register_profile("repeatable", settings.get_profile("random"), derandomize=True)
settings.load_profile("repeatable")  # what did not change does not fail; --hypothesis-profile=random explores

MARKERS_BY_FIXTURE = {"built": "build", "browser": "browser", "hostile_site": "full"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by their fixtures: a build, Chromium, a hostile site. Put the long ones first."""
    for item in items:
        for fixture, marker in MARKERS_BY_FIXTURE.items():
            if fixture in getattr(item, "fixturenames", ()):
                item.add_marker(marker)
    items.sort(key=lambda item: item.get_closest_marker("long") is None)  # what begins last must not be what takes longest


def pytest_collection_finish() -> None:
    """Spare the modules and tests of the whole suite, which stay to the end, from every garbage collection that follows."""
    gc.freeze()
    atexit.register(gc.unfreeze)  # else DuckDB prints them as leaks


def pytest_unconfigure() -> None:
    """Remove Hypothesis's callback, whose references last until DuckDB has printed them as leaks at the end of the process."""
    gc.callbacks.clear()


def shared_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The temporary folder of the whole session, which the workers of pytest-xdist share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build folder of a complete build from the committed snapshots; no test changes it.

    `make test` names the last build by GPULEDGER_TEST_BUILD. Without it, one is made for all workers.
    """
    if "GPULEDGER_TEST_BUILD" in os.environ:
        return Path(os.environ["GPULEDGER_TEST_BUILD"]).resolve()
    folder = shared_folder(tmp_path_factory)
    out = folder / "build"
    with FileLock(folder / "build.lock"):
        if not (out / "current").exists():
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
def hostile_site(built: Path, release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site over data whose every text is hostile, made once for all workers."""
    folder = shared_folder(tmp_path_factory) / "hostile"
    folder.mkdir(exist_ok=True)
    with FileLock(folder / "site.lock"):
        if not (folder / "done").exists():
            hostile_release(release, folder / "release")
            shutil.copytree(built / "site-cache", folder / "cache")
            build.build_site(folder / "release", folder / "release" / "site", folder / "cache")
            (folder / "done").touch()
    return folder / "release" / "site"


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """A web server on this machine that answers as a test says."""
    with serving() as host:
        yield host


@pytest.fixture
def data_copy(tmp_path: Path) -> Path:
    """A copy of the committed data folder that a test may change."""
    target = tmp_path / "data"
    shutil.copytree(paths.DATA, target, ignore=shutil.ignore_patterns("build"))
    return target
