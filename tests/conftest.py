"""What the tests share: one real build of the committed data, and a connection to its result."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import settings

from pipeline import store
from tests.command import gpuledger

settings.register_profile("no_clock", deadline=None)  # a slow machine is no failure
settings.load_profile("no_clock")


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
def con(release: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A read-only connection to the published database."""
    with store.connect(release / "gpuledger.duckdb", read_only=True) as connection:
        yield connection
