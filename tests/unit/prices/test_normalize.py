"""Normalization of prices: which rates a cached result depends on, and rejected prices of committed sources."""

import dataclasses
import re
import shutil
from pathlib import Path

import polars as pl
import pytest

from pipeline import paths
from pipeline.fetch.snapshots import stored_files
from pipeline.prices import normalize
from pipeline.prices.file_rows import reference_files
from pipeline.warehouse import parsed_cache
from pipeline.warehouse.parsed_cache import ParsedSnapshot
from pipeline.warehouse.workspace import Workspace
from sources import Source, discover

GUIDES = ("paperspace-2022", "dettmers-2020")


def parsed(workspace: Workspace, source_id: str) -> list[ParsedSnapshot]:
    """The parsed snapshots of the source."""
    parser = discover()[source_id]
    return [parsed_cache.parse(parser, file, workspace.parsed) for file in stored_files(parser.SOURCE, workspace.data)]


def priced(workspace: Workspace, source_id: str) -> tuple[Source, ParsedSnapshot]:
    """The first snapshot of the source that has prices."""
    return discover()[source_id].SOURCE, next(rows for rows in parsed(workspace, source_id) if normalize.accepted_prices(rows))


def spoil(rows: ParsedSnapshot, folder: Path) -> ParsedSnapshot:
    """The same snapshot with an unknown GPU in its last price."""
    shutil.copytree(rows.folder, folder)
    prices = pl.read_parquet(folder / normalize.PRICES)
    last = pl.int_range(pl.len()) == pl.len() - 1
    renamed = pl.when(last).then(pl.lit("Riva 128")).otherwise("raw_gpu_name").alias("raw_gpu_name")
    prices.with_columns(renamed).write_parquet(folder / normalize.PRICES)
    return dataclasses.replace(rows, folder=folder)


@pytest.mark.parametrize("guide", GUIDES)
def test_a_rejected_price_of_a_guide_is_named(tmp_path: Path, guide: str) -> None:
    source, rows = priced(Workspace(paths.DATA, tmp_path), guide)
    message = re.compile(r"data/\S+ line \d+.*: Riva 128: .*; add the GPU to data/names/ .*`gpuledger seal data/")
    with pytest.raises(normalize.PriceRejectedError, match=message):
        normalize.normalize_prices(source, [spoil(rows, tmp_path / "spoiled")], {})
    assert not list(tmp_path.glob("spoiled-*"))


def test_snapshots_come_back_in_their_order_with_or_without_prices(tmp_path: Path) -> None:
    workspace = Workspace(paths.DATA, tmp_path)
    rows, without = parsed(workspace, "skypilot_catalog"), parsed(workspace, "ecb")
    source = discover()["skypilot_catalog"].SOURCE
    together = normalize.normalize_prices(source, [*rows, *without], {})
    assert together == [*(normalize.normalize_prices(source, [one], {})[0] for one in rows), *without]
    assert [one.folder.name.startswith(other.folder.name) for one, other in zip(together, rows, strict=False)] == [True] * len(
        rows
    )


@pytest.mark.parametrize(("source_id", "depends"), [("autodl", True), ("azure_retail", False)])
def test_only_prices_in_other_currencies_depend_on_rates(tmp_path: Path, source_id: str, depends: bool) -> None:
    workspace = Workspace(paths.DATA, tmp_path)
    source, rows = priced(workspace, source_id)
    rates = {"exchange_rate": reference_files(workspace)["exchange_rate"]}
    with_rates, without = (normalize.normalize_prices(source, [rows], given)[0] for given in (rates, {}))
    assert (with_rates.folder != without.folder) is depends
