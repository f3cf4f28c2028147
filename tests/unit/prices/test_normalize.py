"""Judging prices: many snapshots by one statement give what each gives alone."""

import dataclasses
import re
import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest

from pipeline import paths
from pipeline.orchestration import steps
from pipeline.prices import normalize
from pipeline.warehouse.parsed_cache import Parsed
from pipeline.warehouse.workspace import Workspace
from sources import Source, discover

GUIDES = ("paperspace-2022", "dettmers-2020")


def priced(workspace: Workspace, source_id: str) -> tuple[Source, Parsed]:
    """The first snapshot of the source that has prices."""
    found = (rows for _, rows in steps.parsed(workspace, source_id) if (rows.folder / normalize.PRICES).exists())
    return discover()[source_id].SOURCE, next(found)


def judged(workspace: Workspace) -> dict[str, list[object]]:
    """By snapshot and table, the rows after judging; by snapshot, the counts."""
    found: dict[str, list[object]] = {}
    for source_id in discover():
        for file, rows in steps.judged(workspace, source_id):
            found[file.path] = [rows.rows_read, rows.rows_accepted, rows.rows_rejected]
            for table in sorted(rows.folder.glob("*.parquet")):
                found[f"{file.path} {table.name}"] = duckdb.read_parquet(str(table)).fetchall()
    return found


@pytest.mark.parametrize("rows", [normalize.ROWS_TOGETHER, 100])
def test_prices_judged_together_are_those_judged_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    together, alone = Workspace(paths.DATA, tmp_path / "together"), Workspace(paths.DATA, tmp_path / "alone")
    monkeypatch.setattr(normalize, "ROWS_TOGETHER", rows)
    steps._judge_together(together)
    with monkeypatch.context() as nobody:
        nobody.delattr(normalize, "_judge_group")  # all were judged: those who ask now find them
        found = judged(together)
    assert found == judged(alone)


def spoiled(rows: Parsed, folder: Path) -> Parsed:
    """The same snapshot with a card that nobody knows in its last price."""
    shutil.copytree(rows.folder, folder)
    prices = pl.read_parquet(folder / normalize.PRICES)
    last = pl.int_range(pl.len()) == pl.len() - 1
    named = pl.when(last).then(pl.lit("Riva 128")).otherwise("raw_gpu_name").alias("raw_gpu_name")
    prices.with_columns(named).write_parquet(folder / normalize.PRICES)
    return dataclasses.replace(rows, folder=folder)


def test_a_rejected_price_of_a_guide_is_named_and_leaves_others_judged(tmp_path: Path) -> None:
    workspace = Workspace(paths.DATA, tmp_path)
    (source, sound), (other, broken) = (priced(workspace, guide) for guide in GUIDES)
    broken = spoiled(broken, tmp_path / "spoiled")
    named = re.compile(r"data/\S+ line \d+.*: Riva 128: .*; mend the row, or name the card in data/names/")
    with pytest.raises(normalize.JudgeError, match=named):
        normalize.judge_together([(other, broken), (source, sound)], [])
    assert normalize._known(source, sound, [])
    assert not normalize._known(other, broken, [])
