"""A whole build: nothing is built twice, and each kind of bad input stops it with one line that says what to correct."""

import csv
import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import dagster as dg
import pytest

from pipeline import paths
from pipeline.errors import BuildError
from pipeline.fetch import snapshots
from pipeline.orchestration.build_run import BuildRun
from pipeline.release import expectations, exports, publish
from pipeline.warehouse import connection
from pipeline.website import build
from pipeline.website.writing import npm_packages
from tests.build.workbench import Workbench, copy_build
from tests.command import ROOT, gpuledger

EVIDENCE = "data/raw/spec-evidence/spec_values.csv"
Spoil = Callable[[Path], None]
GPU = "nvidia-geforce-rtx-3090-24gb"


def test_what_did_not_change_is_not_built_again(built: Path, tmp_path: Path) -> None:
    out = tmp_path / "build"
    copy_build(built, out)
    before, pages = publish.checksums(out / "gpuledger.duckdb"), hashes(out / "site")
    result = gpuledger("build", "--only", "site", "--out", os.path.relpath(out, ROOT))
    assert result.returncode == 0, result.stderr
    assert publish.checksums(out / "gpuledger.duckdb") == before
    assert hashes(out / "site") == pages
    assert "index.html" in pages


@pytest.mark.full
def test_a_site_built_again_on_another_day_is_the_same(release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    build.build_site(release, tmp_path / "site", tmp_path / "cache")
    exports.write_checksums(tmp_path / "site")
    assert hashes(tmp_path / "site") == hashes(release / "site")


@pytest.mark.full  # that nothing changes without new data is compared in `make test`
def test_an_alias_of_one_gpu_changes_its_pages_alone_on_another_day(
    built: Path, release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Apart from the files of the whole dataset and of search."""
    monkeypatch.setattr(npm_packages, "shim", lambda: None)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    copy = tmp_path / "release"
    shutil.copytree(release, copy, ignore=lambda folder, names: ["site"] if Path(folder) == release else [])
    with connection.connect(copy / "gpuledger.duckdb") as con:
        con.execute("INSERT INTO gpu_alias VALUES ('A Name Never Heard', 'any source', ?, 'a test')", [GPU])
    shutil.copytree(built / "site-cache", tmp_path / "cache")
    build.build_site(copy, copy / "site", tmp_path / "cache")
    whole = {"data/index.html", "data.json", "sql/index.html", "search/search_index.json"}
    changed = {name for name, _ in hashes(copy / "site").items() ^ hashes(release / "site").items()}
    pages = {name for name in changed if name.endswith((".html", ".js", ".css", ".svg", ".json", ".xml", ".xml.gz"))}
    for folder in ("", "zh/"):
        here = {name.removeprefix(folder) for name in pages if name.startswith("zh/") is bool(folder)}
        assert here - whole == {f"gpus/{GPU}/index.html"}


def hashes(folder: Path) -> dict[str, str]:
    """The hash of each file below the folder, by its path there."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def edit(file: Path, old: str, new: str, *, sealed: bool = True) -> None:
    text = file.read_text()
    assert old in text, f"{file.name} does not hold {old!r}"
    file.write_text(text.replace(old, new, 1))
    if sealed:
        snapshots.write_sidecar(file)


def spoil_hash(data: Path) -> None:
    edit(data / "raw" / "paperspace-2022" / "machines.csv", "M4000", "M5000", sealed=False)


def spoil_rates(data: Path) -> None:
    """Damage the exchange rates, which prices of all sources need."""
    edit(data / "raw" / "ecb" / "eurofxref-hist.csv", "Date,", "Day,", sealed=False)


def spoil_value(data: Path) -> None:
    """A memory of a million GB on the second line of the GPU table."""
    file = data / "specs" / "gpus.csv"
    header, second, *rest = file.read_text().splitlines()
    cells = second.split(",")
    cells[header.split(",").index("memory_gb")] = "1000000"
    file.write_text("\n".join([header, ",".join(cells), *rest]) + "\n")
    snapshots.write_sidecar(file)


def spoil_key(data: Path) -> None:
    file = data / "specs" / "gpus.csv"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines, lines[4]]) + "\n")
    snapshots.write_sidecar(file)


def spoil_table(data: Path) -> None:
    edit(data / "raw" / "paperspace-2022" / "machines.csv", "1664", "many")


def spoil_statement(data: Path, attribute: str, column: str, new: str) -> None:
    """Move the first statement of an attribute to the second line of the evidence, with another value in one cell."""
    path = data / "raw" / "spec-evidence" / "spec_values.csv"
    with path.open(newline="") as file:
        header, *rows = csv.reader(file)
    rows.sort(key=lambda row: row[1] != attribute)
    rows[0][header.index(column)] = new
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])
    snapshots.write_sidecar(path)


def spoil_unit(data: Path) -> None:
    spoil_statement(data, "fp32_tflops", "unit", "GFLOPS")


def spoil_scale(data: Path) -> None:
    """A rate in GFLOPS that calls itself TFLOPS: possible in range, but not for this GPU."""
    spoil_statement(data, "fp64_tflops", "value", "0.004")


def spoil_mebibytes(data: Path) -> None:
    spoil_statement(data, "memory_gb", "value", "24576")


def spoil_citation(data: Path) -> None:
    """A curated fact without a source."""
    spoil_statement(data, "boost_clock_mhz", "citation", "")


def spoil_publisher(data: Path) -> None:
    spoil_statement(data, "boost_clock_mhz", "publisher_id", "somebody")


def spoil_formula(data: Path) -> None:
    """Divide by the launch price of a GPU that has none."""
    price = "gpu/nvidia-geforce-rtx-2070{}-8gb/launch_msrp_usd"
    edit(data / "raw" / "wechat-2022" / "claim_inputs.csv", price.format(""), price.format("-max-q"))


def spoil_origin(data: Path) -> None:
    edit(data / "raw" / "autodl-2022" / "claim_inputs.csv", '"GPU table, header of the half-precision column"', "")


def copy_file(data: Path) -> None:
    """The same bytes twice, under two names."""
    file = data / "raw" / "azure_retail" / "retail_prices.json"
    shutil.copyfile(file, file.with_name("z.json"))
    snapshots.write_sidecar(file.with_name("z.json"), origin="transcribed", extent="excerpt")


SEAL = ". Correct the file, then run `gpuledger seal {}`"


def spoil_label(data: Path) -> None:
    edit(data / "names" / "paperspace-2022.csv", "\nM4000,", "\nM4001,")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (spoil_hash, ["data/raw/paperspace-2022/machines.csv: sha256", "gpuledger seal"]),
        (
            spoil_value,
            ["data/specs/gpus.csv line 2: memory_gb = 1000000.0 is outside 0.5 to 1000 GB", SEAL.format("data/specs/gpus.csv")],
        ),
        pytest.param(
            spoil_label,
            ["data/raw/paperspace-2022/machines.csv line 2", "no GPU is known as M4000", "data/names/"],
            marks=pytest.mark.full,
        ),
    ],
)
def test_bad_input_stops_the_build_and_the_last_release_stays(
    built: Path, data_copy: Path, spoil: Spoil, told: list[str]
) -> None:
    out = data_copy / "build"
    copy_build(built, out, site=False)
    before = publish.checksums(out / "gpuledger.duckdb")
    spoil(data_copy)
    result = gpuledger("build", "--only", "data", "--out", str(out), data=data_copy)
    assert result.returncode == 1
    announced, *problems = result.stderr.splitlines()
    assert any(all(part in line for part in told) for line in problems), result.stderr
    assert announced.startswith(f"Not published: {len(set(problems))} problem")
    assert "Traceback" not in result.stderr
    assert "Stack Trace" not in result.stderr
    assert publish.checksums(out / "gpuledger.duckdb") == before


@pytest.mark.full  # each schema has tests without a build
@pytest.mark.parametrize(
    ("spoil", "asset", "told"),
    [
        (spoil_rates, "rows/ecb", ["data/raw/ecb/eurofxref-hist.csv: sha256", "gpuledger seal"]),
        (spoil_key, "gpu", ["data/specs/gpus.csv line 5:", "the same gpu_id is in more than one row"]),
        (
            spoil_table,
            "rows/paperspace-2022",
            ["data/raw/paperspace-2022/machines.csv line 2: cuda_cores = 'many' is not a whole number"],
        ),
        (spoil_unit, "_spec_value", [f"{EVIDENCE} line 2: fp32_tflops in GFLOPS: the unit is TFLOPS"]),
        (spoil_mebibytes, "_spec_value", [f"{EVIDENCE} line 2: memory_gb = 24576.0 is outside 0.5", "check the unit"]),
        (spoil_scale, "_spec_value", [f"{EVIDENCE} line 2:", "fp64_tflops = 0.004", "check the unit"]),
        (spoil_citation, "_spec_value", [f"{EVIDENCE} line 2: citation = '' is not a text"]),
        (spoil_publisher, "_spec_value", [f"{EVIDENCE} line 2: publisher_id = somebody is not in spec_publisher"]),
        (
            spoil_formula,
            "claim_part",
            ["data/raw/wechat-2022/claim_parts.csv line 2: the formula divides by rtx_2070_usd, which is missing"],
        ),
        (
            copy_file,
            "snapshot",
            ["data/raw/azure_retail/z.json: the same bytes as data/raw/azure_retail/retail_prices.json", "remove one of the two"],
        ),
        (spoil_origin, "claim_input", ["data/raw/autodl-2022/claim_inputs.csv line 2: a09, printed", "origin"]),
    ],
)
def test_bad_input_stops_the_asset_that_reads_it(bench: Workbench, spoil: Spoil, asset: str, told: list[str]) -> None:
    spoil(bench.data)
    upstream = dg.AssetSelection.assets(asset).upstream()
    try:
        problems = BuildRun(bench.build, upstream).execute(str)
    except BuildError as error:
        problems = [str(error)]
    named = [line for line in problems if all(part in line for part in told)]
    assert named, problems
    assert "gpuledger seal data/" in named[0] or "remove one of the two" in named[0]


def test_row_counts_are_the_expected_ones(built: Path) -> None:
    """A changed count is a reviewed change: run `make site expected` when it is meant."""
    assert expectations.count_rows(built / "gpuledger.duckdb") == expectations.read_expectations(paths.DATA / "expectations.csv")
