"""The caches of parsed and normalized rows: a damaged folder is written again, an intact one is not."""

import ast
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from pipeline import paths
from pipeline.fetch import snapshots
from pipeline.paths import ROOT
from pipeline.prices.normalize import normalize_prices
from pipeline.warehouse import cached_folder, parsed_cache
from pipeline.warehouse.parsed_cache import ParsedSnapshot
from sources import discover

SOURCES = ("press-and-retail", "autodl")
FLIPS = 3
FLIPS_FOUND = 300


def parsed(source_id: str, cache: Path) -> ParsedSnapshot:
    """The first snapshot of the source."""
    parser = discover()[source_id]
    return parsed_cache.parse(parser, next(snapshots.stored_files(parser.SOURCE, paths.DATA)), cache)


def normalized(source_id: str, cache: Path) -> ParsedSnapshot:
    (snapshot,) = normalize_prices(discover()[source_id].SOURCE, [parsed(source_id, cache)], {})
    return snapshot


def content(snapshot: ParsedSnapshot) -> dict[str, object]:
    """Counts and rows of a snapshot. An unreadable file raises."""
    counts = (snapshot.rows_read, snapshot.rows_accepted, snapshot.rows_rejected)
    tables = {file.name: duckdb.read_parquet(str(file)).fetchall() for file in sorted(snapshot.folder.glob("*.parquet"))}
    return {"counts": counts} | tables


def flip_bit(file: Path, dice: random.Random) -> None:
    raw = bytearray(file.read_bytes())
    raw[dice.randrange(len(raw))] ^= 1 << dice.randrange(8)
    file.write_bytes(raw)


def truncate(file: Path, dice: random.Random) -> None:
    raw = file.read_bytes()
    file.write_bytes(raw[: dice.randrange(len(raw))])


def damage_beyond_a_flip(file: Path, dice: random.Random) -> list[Callable[[], object]]:
    return [
        lambda: truncate(file, dice),
        lambda: file.write_bytes(b""),
        file.unlink,
        lambda: (file.unlink(), file.mkdir()),
        lambda: shutil.copy(file, file.with_name("stray.parquet")),
        lambda: shutil.rmtree(file.parent),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("source_id", SOURCES)
@pytest.mark.parametrize("make", [parsed, normalized])
def test_a_damaged_folder_gives_the_rows_of_a_fresh_one(
    make: Callable[[str, Path], ParsedSnapshot], source_id: str, tmp_path: Path
) -> None:
    fresh = make(source_id, tmp_path)
    expected, dice = content(fresh), random.Random(14)  # noqa: S311 - not for cryptography
    for name in sorted(file.name for file in fresh.folder.iterdir()):
        file = fresh.folder / name
        for _ in range(FLIPS):
            flip_bit(file, dice)
            assert content(make(source_id, tmp_path)) == expected
        for number in range(len(damage_beyond_a_flip(file, dice))):
            damage_beyond_a_flip(file, dice)[number]()
            assert content(make(source_id, tmp_path)) == expected
    assert [folder.name for folder in fresh.folder.parent.iterdir() if folder.name.startswith(f"{fresh.folder.name}.")] == []


def test_every_flipped_bit_is_found(tmp_path: Path) -> None:
    folder, dice = normalized(SOURCES[0], tmp_path).folder, random.Random(2)  # noqa: S311 - not for cryptography
    for file in sorted(folder.iterdir()):
        raw = file.read_bytes()
        for _ in range(FLIPS_FOUND):
            flip_bit(file, dice)
            assert cached_folder.read_counts(folder) is None
            file.write_bytes(raw)
    assert cached_folder.read_counts(folder) is not None


def write_empty(folder: Path) -> None:
    with cached_folder.written(folder, {"rows": 1}):
        pass


@pytest.mark.parametrize("text", ["", "[]", "null", "{}", "\x00", "\n", "0\n{}"])
def test_a_manifest_that_is_no_manifest_counts_as_missing(tmp_path: Path, text: str) -> None:
    write_empty(tmp_path / "a")
    assert cached_folder.read_counts(tmp_path / "a") == {"rows": 1}
    (tmp_path / "a" / cached_folder.MANIFEST).write_text(text)
    assert cached_folder.read_counts(tmp_path / "a") is None


def test_a_manifest_with_other_counts_counts_as_missing(tmp_path: Path) -> None:
    write_empty(tmp_path / "a")
    manifest = tmp_path / "a" / cached_folder.MANIFEST
    changed = manifest.read_text().replace('"rows": 1', '"rows": 2')
    assert changed != manifest.read_text()
    manifest.write_text(changed)
    assert cached_folder.read_counts(tmp_path / "a") is None


def test_a_failed_write_leaves_the_earlier_folder_and_nothing_else(tmp_path: Path) -> None:
    write_empty(tmp_path / "a")
    with pytest.raises(OSError, match="disk full"), cached_folder.written(tmp_path / "a", {"rows": 2}):
        raise OSError("disk full")
    assert cached_folder.read_counts(tmp_path / "a") == {"rows": 1}
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_an_intact_folder_is_not_written_again(tmp_path: Path) -> None:
    first = normalized(SOURCES[0], tmp_path)
    written = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")}
    assert normalized(SOURCES[0], tmp_path) == first
    assert {file: file.stat().st_mtime_ns for file in tmp_path.rglob("*")} == written


@pytest.mark.parametrize("source_id", sorted(discover()))
def test_the_files_of_a_parser_include_every_module_of_sources_that_they_import(source_id: str) -> None:
    files = parsed_cache.parser_files(discover()[source_id])
    trees = [ast.parse((ROOT / file).read_text()) for file in files if file.startswith("sources/")]
    names = {node.module for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
    modules = {f"{name.replace('.', '/')}.py" for name in names if name.startswith("sources.")}
    assert {module for module in modules if (ROOT / module).exists()} <= set(files)


def test_a_shared_reader_of_two_sources_is_among_the_files_of_both() -> None:
    for source_id in ("gpurentalprices", "gcosts"):
        assert "sources/prices/histories.py" in parsed_cache.parser_files(discover()[source_id])
