"""What a change makes again: all that depends on it, and nothing else."""

import json
import re
from pathlib import Path

import dagster as dg
import duckdb

from pipeline.orchestration.build_run import BuildRun
from pipeline.orchestration.instance import open_instance
from pipeline.orchestration.materialize import UNCHANGED
from tests.build.workbench import Workbench, failures
from tests.command import run_here

PRICE_LIST = ("snapshots/vultr", "rows/vultr", "snapshot")
SPECIFICATIONS = ("gpu_spec", "spec_coverage")  # both depend on the list of stored files, the second through the first


def fetch_again(data: Path, day: str) -> None:
    """Store a price list as if it had been fetched on this day with the same bytes."""
    sidecar = next((data / "raw" / "vultr").rglob("*.json.json"))
    sidecar.write_text(json.dumps(json.loads(sidecar.read_text()) | {"retrieved_at": f"{day}T00:00:00"}))


def test_another_reference_date_makes_prices_stale(bench: Workbench) -> None:
    """The date is an input of table `price`, which reads it in SQL."""
    for key in ("release", "price"):
        result = bench.run(key, as_of="2035-01-01")
        assert result.success, failures(result)
    with duckdb.connect(str(bench.out / "work" / "gpuledger.duckdb"), read_only=True) as con:
        assert con.execute("SELECT count(*) FROM price WHERE contains(flags, 'STALE') IS NOT TRUE").fetchall() == [(0,)]


def test_a_reference_date_before_all_data_is_refused(bench: Workbench) -> None:
    (line,) = failures(bench.run("release", as_of="1800-01-01"))
    assert re.fullmatch(r"--as-of 1800-01-01: no data are that old; choose 20\d\d-\d\d-\d\d or a later day", line)


def test_a_command_refuses_it_as_a_wrong_option(tmp_path: Path) -> None:
    refused = run_here("build", "--as-of", "1800-01-01", "--out", str(tmp_path / "new"))
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert refused.stderr.startswith("--as-of 1800-01-01: no data are that old; choose ")


def test_a_new_price_list_makes_nothing_stale_that_does_not_read_it(bench: Workbench) -> None:
    fetch_again(bench.data, "2026-11-21")
    stale = bench.stale()
    assert {"price", "snapshot", "reject", "database"} <= stale
    assert not {"source", "gpu", "gpu_die", "training_throughput", "performance_index", "_llm_run", "llm_speed"} & stale


def test_a_table_whose_inputs_came_out_equal_is_not_made_again(bench: Workbench) -> None:
    """The history gets the table, which it lacks here as after a build that was killed, and does not repeat it."""
    for day in ("2026-11-21", "2026-11-22"):
        fetch_again(bench.data, day)
        run = BuildRun(bench.build, dg.AssetSelection.assets(*(key.split("/") for key in (*PRICE_LIST, *SPECIFICATIONS))))
        assert run.execute(lambda _step: None) == []
    with open_instance(bench.out) as history:
        data, coverage = (history.fetch_materializations(dg.AssetKey(name), limit=9).records for name in SPECIFICATIONS)
    assert len(data) == 2
    (event,) = (record.asset_materialization for record in coverage)
    assert event
    assert UNCHANGED in event.metadata
