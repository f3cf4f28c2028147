"""The manifest of a source's rows: one that differs in any bit counts as missing, and is written again."""

import random
import shutil
from pathlib import Path

import duckdb
import pytest

from pipeline import paths
from pipeline.errors import BuildError
from pipeline.fetch import snapshots
from pipeline.tables import build_tables, source_rows
from pipeline.warehouse.build_records import NotMaterializedError
from pipeline.warehouse.workspace import Workspace
from sources import UnparsableError, discover

SOURCE = "gpuledger-names"
FLIPS = 200


def test_a_stored_file_with_a_wrong_line_has_a_next_command(tmp_path: Path) -> None:
    shutil.copytree(paths.DATA / "names", tmp_path / "data" / "names")
    file = tmp_path / "data" / "names" / "hyperstack.csv"
    file.write_text("\N{ZERO WIDTH NO-BREAK SPACE}" + file.read_text())
    snapshots.write_sidecar(file)
    command = "Correct the file, then run `gpuledger seal data/names/hyperstack.csv`"
    with pytest.raises(UnparsableError, match=rf"data/names/hyperstack\.csv line 1: .*U\+FEFF.*{command}$"):
        source_rows.read_source(Workspace(tmp_path / "data", tmp_path), SOURCE)


def test_a_damaged_manifest_is_never_believed(tmp_path: Path) -> None:
    workspace = Workspace(paths.DATA, tmp_path)
    made = source_rows.read_source(workspace, SOURCE)
    (manifest,) = workspace.source_rows.iterdir()
    raw, dice = manifest.read_bytes(), random.Random(14)  # noqa: S311 - not for cryptography
    assert source_rows.load_source(workspace, SOURCE) == made
    for _ in range(FLIPS):
        at = dice.randrange(8 * len(raw))
        manifest.write_bytes(raw[: at // 8] + bytes([raw[at // 8] ^ 1 << at % 8]) + raw[at // 8 + 1 :])
        with pytest.raises(NotMaterializedError, match=f"materialize rows/{SOURCE}"):
            source_rows.load_source(workspace, SOURCE)
    for damaged in (b"", raw[:100], b"{}", b"[]"):
        manifest.write_bytes(damaged)
        assert not source_rows.is_intact(workspace, SOURCE)
    assert source_rows.read_source(workspace, SOURCE) == made
    assert manifest.read_bytes() == raw


def test_data_without_any_file_of_a_refreshed_source_have_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(tmp_path / "data", tmp_path / "out")
    message = f"^{workspace.data}/raw: no stored file of a source that is refreshed; restore them, or run `gpuledger fetch`$"
    with pytest.raises(BuildError, match=message):
        build_tables.first_day(workspace.data)
    rates = "ecb"
    monkeypatch.setattr(build_tables, "_refreshed", lambda: {rates: discover()[rates].SOURCE})
    source_rows.read_source(workspace, rates)
    with duckdb.connect() as con, pytest.raises(BuildError, match=message):
        build_tables.build_release(con, workspace)
