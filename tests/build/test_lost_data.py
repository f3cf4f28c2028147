"""Four losses that were once published without a word: each stops the build, from the command line and in Dagster."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pipeline.fetch import snapshots
from pipeline.release import publish
from tests.build.workbench import Workbench, failures
from tests.command import gpuledger, run_here

HISTORY = Path("raw") / "gpurentalprices" / "rental_daily_2026.csv"


def cut_history(data: Path) -> None:
    """Three quarters of the rows are removed, and the file is sealed."""
    file = data / HISTORY
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(lines[: len(lines) // 4]))
    snapshots.write_sidecar(file)


def remove_source(data: Path) -> None:
    shutil.rmtree((data / HISTORY).parent)


def remove_rates(data: Path) -> None:
    (data / "raw" / "ecb" / "eurofxref-hist.csv").unlink()


def date_ahead(data: Path) -> None:
    sidecar = (data / HISTORY).with_name(f"{HISTORY.name}.json")
    sidecar.write_text(json.dumps(json.loads(sidecar.read_text()) | {"published_at": "2099-01-01"}, indent=1))


def check_refusal(result: "subprocess.CompletedProcess[str]", shown: str, next_command: str) -> None:
    """The build says in one line where data are lost, and what to do next."""
    assert result.returncode == 1
    announced, line = result.stderr.splitlines()
    assert announced.startswith("Not published: 1 problem")
    assert line.startswith(shown)
    assert next_command in line


@pytest.mark.parametrize(
    ("lose", "shown", "next_command"),
    [
        pytest.param(
            remove_source,
            f"data/{HISTORY}: the snapshot is missing",
            "--accept-loss gpurentalprices",
            marks=pytest.mark.full,
        ),
        (
            remove_rates,
            "data/raw/ecb/eurofxref-hist.csv.json: its file data/raw/ecb/eurofxref-hist.csv is missing",
            "--accept-loss ecb",
        ),
        pytest.param(
            date_ahead,
            f"data/{HISTORY}.json line 4: published_at 2099-01-01 is more than one day after today",
            "gpuledger seal",
            marks=pytest.mark.full,
        ),
    ],
)
def test_lost_data_stop_the_build_with_one_line(
    bench: Workbench, lose: Callable[[Path], None], shown: str, next_command: str
) -> None:
    before = publish.checksums(bench.out / "gpuledger.duckdb")
    lose(bench.data)
    check_refusal(build_data(bench), shown, next_command)
    assert publish.checksums(bench.out / "gpuledger.duckdb") == before


@pytest.mark.full  # builds; the gate has tests without one
@pytest.mark.long
def test_a_loss_is_refused_and_published_with_consent(bench: Workbench) -> None:
    """By the command line and in Dagster, also without a last release, by the expected row counts that are committed."""
    before = publish.checksums(bench.out / "gpuledger.duckdb")
    cut_history(bench.data)
    check_refusal(build_data(bench), f"data/{HISTORY}: ", "--accept-loss gpurentalprices")
    check_consent_in_dagster(bench)
    (bench.out / "work" / "assets" / "database.json").unlink()  # else it is up to date
    last_release = (bench.out / "current").readlink()
    (bench.out / "current").unlink()
    check_refusal(build_data(bench), f"data/{HISTORY}: ", "--accept-loss gpurentalprices")
    (bench.out / "current").symlink_to(last_release)
    assert publish.checksums(bench.out / "gpuledger.duckdb") == before
    result = build_data(bench, "--accept-loss", "gpurentalprices")
    assert result.returncode == 0, result.stderr
    assert publish.checksums(bench.out / "gpuledger.duckdb")["price"][0] < 0.9 * before["price"][0]


def build_data(bench: Workbench, *options: str) -> "subprocess.CompletedProcess[str]":
    return gpuledger("build", "--only", "data", "--out", str(bench.out), *options, data=bench.data)


def check_consent_in_dagster(bench: Workbench) -> None:
    """The tables are there, and a run of the database refuses the loss until the resource accepts it."""
    (line,) = failures(bench.run("database"))
    assert "--accept-loss gpurentalprices" in line
    assert not bench.run("publication").success, "its input is not materialized"
    accepted = bench.run("database", accept_loss=["gpurentalprices"])
    assert accepted.success, failures(accepted)


def test_an_unknown_source_in_accept_loss_is_an_error(tmp_path: Path) -> None:
    result = run_here("build", "--only", "data", "--out", str(tmp_path), "--accept-loss", "gpurentalprice")
    assert result.returncode == 2
    assert result.stderr.startswith("--accept-loss gpurentalprice: no such source")
