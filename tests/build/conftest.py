"""Build folders that a test may change, and a source that a test serves from this machine."""

import datetime as dt
import shutil
from functools import partial
from pathlib import Path

import pytest

from pipeline.fetch.client import Web
from pipeline.orchestration import resources
from pipeline.schema.guides import GuideRun
from sources import Source, discover
from tests.build.workbench import Workbench, copy_build
from tests.unit.fetch.fetcher import LIMITS, Module
from tests.unit.fetch.misbehaving_host import Host


@pytest.fixture
def fresh(data_copy: Path, tmp_path: Path) -> Workbench:
    """Nothing was built yet."""
    return Workbench(data_copy, tmp_path / "build")


@pytest.fixture
def bench(built: Path, data_copy: Path, tmp_path: Path) -> Workbench:
    """A copy of the finished build of the data alone, so that a test can change data and materialize single assets."""
    copy_build(built, tmp_path / "build", site=False)
    return Workbench(data_copy, tmp_path / "build")


@pytest.fixture
def site_bench(built: Path, data_copy: Path, tmp_path: Path) -> Workbench:
    """The same with the site, whose thousands of files take a second to copy."""
    copy_build(built, tmp_path / "build")
    return Workbench(data_copy, tmp_path / "build")


@pytest.fixture
def database_copy(release: Path, tmp_path: Path) -> Path:
    """A copy of the published database, alone in its folder, that one test may change."""
    return Path(shutil.copyfile(release / "gpuledger.duckdb", tmp_path / "gpuledger.duckdb"))


@pytest.fixture(scope="module")
def fake_source(host: Host) -> Module:
    """The source `fake`, served by `host`: one for all tests of a file, so that they share the graph, which takes a second."""
    source = Source(
        source_id="fake", title="A fake", kind="prices", yields=(GuideRun,), attribution="no one", url=host.url,
        licence="CC0-1.0", automated_access="allowed", terms_url="https://example.org/terms",
        daily_from=dt.date(2026, 9, 1), daily_url=f"{host.url}/{{day}}.json",
    )  # fmt: skip
    return Module(source)


@pytest.fixture
def fake(fake_source: Module, monkeypatch: pytest.MonkeyPatch) -> Module:
    """That source among the sources of this project."""
    monkeypatch.setitem(discover(), "fake", fake_source)
    monkeypatch.setattr(resources, "Web", partial(Web, limits=LIMITS, sleep=lambda _seconds: None))
    return fake_source
