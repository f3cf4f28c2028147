"""The benchmark of a million offers, with few: the generated files are read and their offers loaded."""

from pathlib import Path

import duckdb
import pytest

from benchmarks.project import prices
from pipeline.orchestration.resources import BuildResource

GENERATED = 400


@pytest.mark.full
def test_generated_offers_are_loaded(tmp_path: Path, con: duckdb.DuckDBPyConnection) -> None:
    prices.generate(tmp_path / "data", GENERATED)
    loaded = prices.load(BuildResource(data=str(tmp_path / "data"), out=str(tmp_path / "build")))
    ((committed,),) = con.execute("SELECT count(*) FROM price").fetchall()
    assert loaded > committed + GENERATED / 2  # some are the same offer on the same day, or name a GPU that is refused
