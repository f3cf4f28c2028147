"""Single assets and subsets in Dagster: each gives the right result from materialized inputs, or says what to materialize."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import pytest

from pipeline import paths
from pipeline.errors import BuildError
from pipeline.fetch import snapshots
from pipeline.orchestration import metadata, resources
from pipeline.orchestration.build_run import BuildRun
from pipeline.orchestration.graph import make_definitions
from pipeline.orchestration.instance import open_instance
from pipeline.release.publish import EXPECTATIONS
from pipeline.tables import source_rows
from pipeline.warehouse.build_records import BuildRecords
from tests.build.workbench import QUIET, Workbench, copy_build, failures, graph

GPUS = Path("specs") / "gpus.csv"


def metadata_of(result: dg.ExecuteInProcessResult, key: str) -> dict[str, object]:
    (event,) = [m for m in result.asset_materializations_for_node(key) if m.asset_key == dg.AssetKey(key.split("/"))]
    return {name: value.value for name, value in event.metadata.items()}


def edit_gpu(data: Path, old: str, new: str) -> None:
    file = data / GPUS
    text = file.read_text()
    assert old in text
    file.write_text(text.replace(old, new, 1))
    snapshots.write_sidecar(file)


def first_gpu(data: Path) -> tuple[str, str]:
    """Id and name of the first GPU of the curated file."""
    header, row = (line.split(",") for line in (data / GPUS).read_text().splitlines()[:2])
    return row[header.index("gpu_id")], row[header.index("name")]


@pytest.mark.build
@pytest.mark.parametrize(
    "key", ["price_daily", "gpu", "performance_index", "database", "site", "publication", "rows/azure_retail"]
)
def test_an_asset_whose_inputs_were_never_materialized_names_the_first_and_how_to_select_all(fresh: Workbench, key: str) -> None:
    result = fresh.run(key)
    assert not result.success
    (line,) = failures(result)
    assert "is not materialized; materialize" in line
    assert "\n" not in line
    first, everything = re.findall(r"materialize (\S+) first, or \S+ with all its inputs by the selection (\S+)", line)[0]
    selected = dg.AssetSelection.from_string(everything).resolve(fresh.assets)
    assert {dg.AssetKey(name.split("/")) for name in (key, first)} <= selected


@pytest.mark.build
def test_rows_of_one_source_need_snapshots_and_rows_of_names_rates_and_machines(fresh: Workbench) -> None:
    needed = ("ecb", "gpuledger-names", "instance-catalog", "provider-directory")
    assert fresh.run("snapshots/azure_retail", *(f"snapshots/{source}" for source in needed)).success
    assert not fresh.run("rows/azure_retail").success
    assert fresh.run(*(f"rows/{source}" for source in needed)).success
    result = fresh.run("rows/azure_retail")
    assert result.success, failures(result)
    assert source_rows.load_source(fresh.build.make_workspace(), "azure_retail").snapshots


def test_the_command_line_hears_of_each_step(fresh: Workbench) -> None:
    sources = dg.AssetSelection.assets("snapshots/ecb", "rows/ecb", "snapshots/vultr")
    run, steps = BuildRun(fresh.build, sources), list[str]()
    assert run.execute(steps.append) == []
    assert sorted(steps) == ["source_ecb", "source_vultr"]
    assert run.n_steps == len(steps)


def test_nothing_is_stale_after_a_build(site_bench: Workbench) -> None:
    assert site_bench.stale() == set()


def test_the_history_has_the_versions_of_inputs_that_an_earlier_build_made(fresh: Workbench) -> None:
    """Else the UI shows every asset of a later build as out of date."""
    needed = [f"{kind}/{source}" for kind in ("snapshots", "rows") for source in sorted(source_rows.inputs_of("vultr"))]
    for keys in (needed, ["snapshots/vultr", "rows/vultr"]):
        assert BuildRun(fresh.build, dg.AssetSelection.assets(*(dg.AssetKey(key.split("/")) for key in keys))).execute(str) == []
    records = BuildRecords(fresh.build.make_workspace().records)
    with open_instance(fresh.out) as history:
        event = history.get_latest_materialization_event(dg.AssetKey(["rows", "vultr"]))
    tags = (event and event.asset_materialization and event.asset_materialization.tags) or {}
    for source in source_rows.inputs_of("vultr"):
        record = records.get(f"rows/{source}")
        assert record
        assert tags[f"dagster/input_data_version/rows/{source}"] == record.data_version


def test_a_selection_that_matches_nothing_is_refused_in_one_line(fresh: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Dagster's command line takes it for all assets, so that a mistyped name would build everything."""
    monkeypatch.setattr(resources, "open_database", lambda _workspace: pytest.fail("a step would run"))
    job = make_definitions(fresh.build).resolve_implicit_global_asset_job_def()
    result = job.execute_in_process(asset_selection=[], run_config=QUIET, raise_on_error=False)
    assert not result.success
    assert not [event for event in result.all_events if event.is_step_event]
    error = result.get_run_failure_event().job_failure_data.error
    assert error.message.splitlines() == [
        "dagster._core.errors.DagsterInvalidSubsetError: the selection matches no asset; "
        "list them with `dagster asset list -m pipeline.definitions`"
    ]


def test_an_edited_file_that_is_not_sealed_stops_the_rows_of_its_source(bench: Workbench) -> None:
    """Also when they are materialized alone: else they stay green, as they were made of the bytes before."""
    file = bench.data / GPUS
    file.write_text(file.read_text() + "\n")
    result = bench.run("rows/gpuledger-compiled")
    assert not result.success
    assert "run `gpuledger seal data/specs/gpus.csv`" in failures(result)[0]


def test_every_file_that_is_wrong_is_named_at_once(bench: Workbench) -> None:
    wrong = [GPUS, Path("specs") / "notes.csv", Path("raw") / "paperspace-2022" / "machines.csv"]
    for name in wrong:
        (bench.data / name).write_text((bench.data / name).read_text() + "\n")
    with pytest.raises(BuildError) as told:
        bench.stale()
    assert sorted(line.partition(":")[0] for line in str(told.value).splitlines()) == sorted(f"data/{name}" for name in wrong)
    assert len(failures(bench.run("snapshots/gpuledger-compiled"))[0].splitlines()) == 2


def test_a_snapshot_alone_is_verified(fresh: Workbench) -> None:
    assert fresh.run("snapshots/azure_retail").success
    file = next(
        path for path in (fresh.data / "raw" / "azure_retail").rglob("*") if path.suffix == ".json" and path.stem.count(".") == 0
    )
    file.write_bytes(file.read_bytes() + b" ")
    result = fresh.run("snapshots/azure_retail")
    assert not result.success
    assert "differs from its sidecar" in failures(result)[0]


def test_a_cancel_whose_interrupt_is_lost_stops_the_run(fresh: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """As Python loses it in a callback of the garbage collector: the step learns of it from the history of runs."""
    instance = dg.DagsterInstance.ephemeral()

    def cancel(_files: object) -> dict[str, object]:
        (run,) = instance.get_runs()
        instance.report_run_canceling(run)
        return {}

    monkeypatch.setattr(metadata, "of_files", cancel)
    fresh.run("snapshots/ecb", instance=instance)
    assert [run.status for run in instance.get_runs()] == [dg.DagsterRunStatus.CANCELED]
    assert not (fresh.out / "work" / "assets" / "snapshots.ecb.json").exists()


def test_one_metric_is_computed_from_the_tables_as_they_are(bench: Workbench) -> None:
    with duckdb.connect(str(bench.out / "work" / "gpuledger.duckdb")) as con:
        con.execute("DELETE FROM spec_coverage")
    (bench.out / "work" / "assets" / "spec_coverage.json").unlink()
    assert bench.run("spec_coverage").success
    with duckdb.connect(str(bench.out / "work" / "gpuledger.duckdb"), read_only=True) as con:
        assert con.execute("SELECT count(*) > 0 FROM spec_coverage").fetchall() == [(True,)]


def test_an_unchanged_asset_shows_its_columns_and_row_count_again(bench: Workbench) -> None:
    (bench.out / "work" / "assets" / "spec_coverage.json").unlink()
    made, unchanged = (metadata_of(bench.run("spec_coverage"), "spec_coverage") for _ in range(2))
    assert isinstance(made["dagster/column_schema"], dg.TableSchema)
    assert made["dagster/row_count"]
    assert "unchanged" not in made
    assert unchanged == made | {"unchanged": True}


def test_a_first_site_is_published_with_data_that_were_published_alone(bench: Workbench) -> None:
    assert bench.run("publication").success
    assert bench.stale() == {"site", "publication"}


def test_a_changed_file_makes_stale_what_depends_on_it_and_nothing_else(site_bench: Workbench) -> None:
    _, name = first_gpu(site_bench.data)
    edit_gpu(site_bench.data, name, f"{name} X")
    stale = site_bench.stale()
    assert {"snapshots/gpuledger-compiled", "rows/gpuledger-compiled", "gpu", "database", "site", "publication"} <= stale
    assert not {"rows/azure_retail", "rows/ecb", "accepted_uploads"} & stale


def test_a_failed_check_leaves_its_table_stale_and_stops_what_depends_on_it(bench: Workbench) -> None:
    gpu_id, _ = first_gpu(bench.data)
    second = (bench.data / GPUS).read_text().splitlines()[2].split(",")[0]
    edit_gpu(bench.data, f"\n{second},", f"\n{gpu_id},")
    assert bench.run("snapshots/gpuledger-compiled", "rows/gpuledger-compiled").success
    result = bench.run("gpu", "spec_coverage")
    (check,) = [one for one in result.get_asset_check_evaluations() if not one.passed]
    assert gpu_id in (check.description or "")
    assert "gpus.csv" in (check.description or ""), "a check names file and line"
    assert {"gpu", "spec_coverage"} <= bench.stale()


def test_a_damaged_working_database_is_built_again(bench: Workbench) -> None:
    (bench.out / "work" / "gpuledger.duckdb").write_bytes(b"not a database")
    stale = bench.stale()
    assert {"gpu", "price", "price_daily"} <= stale
    assert not {"rows/azure_retail", "snapshots/ecb"} & stale


def test_damaged_rows_of_a_source_are_made_again(bench: Workbench) -> None:
    for file in (bench.out / "parsed" / "azure_retail").rglob("price.parquet"):  # those of earlier parsers too
        raw = bytearray(file.read_bytes())
        raw[len(raw) // 2] ^= 1
        file.unlink()  # it is linked to that of another build folder
        file.write_bytes(raw)
    assert "rows/azure_retail" in bench.stale()
    (bench.out / "work" / "assets" / "price.json").unlink()  # else the table is up to date, whatever became of its rows
    result = bench.run("price")
    assert not result.success
    assert "materialize rows/azure_retail" in failures(result)[0]
    assert bench.run("rows/azure_retail").success
    assert "rows/azure_retail" not in bench.stale()


def test_cached_rows_that_no_longer_count_are_deleted(bench: Workbench) -> None:
    cache = bench.out / "parsed" / "ecb"
    old = cache / "0123456789abcdef-0123456789ab"
    old.mkdir()
    of_file_manager = cache / ".DS_Store"
    of_file_manager.touch()
    (bench.out / "work" / "assets" / "rows.ecb.json").unlink()
    assert bench.run("rows/ecb").success
    rows = source_rows.load_source(bench.build.make_workspace(), "ecb").snapshots
    assert set(cache.iterdir()) == {of_file_manager, *(one.parsed.folder for one in rows)}
    assert not old.exists()


def test_a_working_database_that_another_program_holds_is_left_as_it_is(fresh: Workbench) -> None:
    """It is no damaged one: the message says who holds the file, and no record of a table is lost."""
    assert fresh.run("snapshots/ecb").success
    database, record = fresh.out / "work" / "gpuledger.duckdb", fresh.out / "work" / "assets" / "gpu.json"
    record.write_text("{}")
    hold = "import duckdb, sys; held = duckdb.connect(sys.argv[1]); print(flush=True); input()"
    command = [sys.executable, "-c", hold, str(database)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout
        holder.stdout.readline()
        with pytest.raises(BuildError, match=f"{database}: .*PID {holder.pid}.*; end that program, then run `gpuledger build`"):
            fresh.stale()
        (line,) = failures(fresh.run("snapshots/ecb"))
        holder.communicate(b"\n")
    assert f"PID {holder.pid}" in line
    assert record.exists()
    assert fresh.run("snapshots/ecb").success


@pytest.mark.parametrize(
    ("option", "told"),
    [
        ({"as_of": "2026-13-45"}, "--as-of '2026-13-45' is not a date; write it like 2026-11-20"),
        ({"accept_loss": ["ebc"]}, "--accept-loss ebc: no such source; did you mean ecb? Otherwise see `gpuledger sources`"),
        ({"as_of": "today", "fetch": True}, "--as-of 'today' is not a date; write it like 2026-11-20"),
    ],
)
def test_a_wrong_option_of_the_resource_is_one_line(fresh: Workbench, option: dict[str, Any], told: str) -> None:
    assert failures(fresh.run("snapshots/ecb", **option)) == [told]


@pytest.mark.full
def test_changed_row_counts_reach_the_release_without_a_new_site(site_bench: Workbench) -> None:
    file = site_bench.data / EXPECTATIONS
    file.write_text(file.read_text() + "table,,a_table_of_no_source,0\n")
    assert site_bench.stale() == {"database", "site", "publication"}
    result = site_bench.run("database", "site", "publication")
    assert result.success, failures(result)
    assert metadata_of(result, "site")["unchanged"]
    assert (site_bench.out / "current" / EXPECTATIONS).read_bytes() == file.read_bytes()
    assert site_bench.stale() == set()


def _tables() -> Iterator[str]:
    for spec in graph().resolve_all_asset_specs():
        if spec.key.path[0] not in ("daily", "snapshots", "rows"):
            yield spec.key.to_user_string()


def expect_made_again(bench: Workbench, key: str) -> None:
    """The asset is stale, although its record is there, until it is materialized."""
    assert key in bench.stale()
    assert bench.run(key).success
    assert key not in bench.stale()


def test_a_table_that_is_gone_is_made_again(bench: Workbench) -> None:
    with duckdb.connect(str(bench.out / "work" / "gpuledger.duckdb")) as con:
        con.execute("DROP TABLE spec_coverage")
    expect_made_again(bench, "spec_coverage")


@pytest.mark.full
@pytest.mark.parametrize("key", ["database", "site", "publication"])
def test_a_result_that_is_gone_is_made_again(site_bench: Workbench, key: str) -> None:
    folders = {"database": site_bench.out / "work" / "data", "site": site_bench.out / "work" / "site"}
    if key in folders:
        shutil.rmtree(folders[key])
    else:
        (site_bench.out / "current").unlink()
    expect_made_again(site_bench, key)


def cut_short(file: Path) -> None:
    """Cut a file, which is linked to that of another build folder, and leave that one whole."""
    raw = file.read_bytes()
    file.unlink()
    file.write_bytes(raw[: len(raw) // 2])


@pytest.mark.full
def test_damaged_data_are_neither_shown_nor_published_and_written_anew(site_bench: Workbench) -> None:
    cut_short(site_bench.out / "work" / "data" / "gpuledger.duckdb")
    for key in ("site", "publication"):
        (site_bench.out / "work" / "assets" / f"{key}.json").unlink(missing_ok=True)
        (problem,) = failures(site_bench.run(key))
        assert "damaged; run `gpuledger build`" in problem
    assert "database" in site_bench.stale()
    assert site_bench.run("database").success
    assert "database" not in site_bench.stale()


def test_a_damaged_last_release_is_one_line(bench: Workbench) -> None:
    """It shares its database with the staged data, so both are damaged: DuckDB would fail in the middle of the comparison."""
    cut_short(bench.out / "work" / "data" / "gpuledger.duckdb")
    last = bench.out / "current" / "gpuledger.duckdb"
    last.unlink()
    os.link(bench.out / "work" / "data" / "gpuledger.duckdb", last)
    (problem,) = failures(bench.run("database"))
    assert problem.startswith(f"{last} differs from its hash")
    assert f"or delete {bench.out}/current to begin a new history" in problem


def test_a_damaged_site_is_not_published(site_bench: Workbench) -> None:
    cut_short(site_bench.out / "work" / "site" / "index.html")
    assert site_bench.stale() == {"site", "publication"}
    (site_bench.out / "work" / "assets" / "publication.json").unlink()
    (problem,) = failures(site_bench.run("publication"))
    assert "files of its input site are damaged; run `gpuledger build`" in problem


@pytest.mark.parametrize(
    "name",
    [
        "parquet/gpu.parquet",
        *(pytest.param(name, marks=pytest.mark.full) for name in ("gpuledger.duckdb", "site/index.html", "SHA256SUMS")),
    ],
)
def test_a_damaged_release_is_published_again(site_bench: Workbench, name: str) -> None:
    release = (site_bench.out / "current").resolve()
    (cut_short if name != "SHA256SUMS" else Path.unlink)(release / name)
    assert site_bench.stale() == {"publication"}
    result = site_bench.run("publication")
    assert result.success, failures(result)
    assert (site_bench.out / "current").resolve() != release
    assert site_bench.stale() == set()


@pytest.fixture(scope="module")
def lasting(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Workbench:
    """A copy of the finished build that tests change in turn: each leaves it as it was."""
    out = tmp_path_factory.mktemp("lasting") / "build"
    copy_build(built, out)
    return Workbench(paths.DATA, out)


@pytest.mark.full
@pytest.mark.parametrize("group", ["snapshots", "rows", "specs"])
def test_a_group_alone_gives_the_same_results_again(lasting: Workbench, group: str) -> None:
    """Groups of tables are as their tables, each of which is tested alone."""
    specs = [one for one in lasting.definitions.resolve_all_asset_specs() if one.group_name == group]
    keys = [spec.key.to_user_string() for spec in specs]
    records = [lasting.out / "work" / "assets" / f"{key.replace('/', '.')}.json" for key in keys]
    before = [json.loads(record.read_text())["data_version"] for record in records]
    for record in records:
        record.unlink()
    result = lasting.run(*keys)
    assert result.success, failures(result)
    assert [json.loads(record.read_text())["data_version"] for record in records] == before


@pytest.mark.full
@pytest.mark.parametrize("key", sorted(_tables()))
def test_every_asset_alone_gives_the_same_result_again(lasting: Workbench, key: str) -> None:
    record = lasting.out / "work" / "assets" / f"{key}.json"
    before = json.loads(record.read_text())
    record.unlink()
    result = lasting.run(key)
    assert result.success, failures(result)
    after = json.loads(record.read_text())
    assert after["inputs"] == before["inputs"]
    assert key in ("database", "site", "publication") or after["data_version"] == before["data_version"]
