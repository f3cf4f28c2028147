"""The command `gpuledger fetch`: what it prints, its exit codes and its run in the history."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import dagster as dg
import pytest
from typer.testing import CliRunner

from pipeline import build_lock, cli
from tests.unit.fetch.fetcher import Fetcher
from tests.unit.fetch.misbehaving_host import rows, status


@pytest.fixture
def history() -> Iterator[dg.DagsterInstance]:
    """A history of runs in memory: one on disk would copy the output of the process, which belongs to pytest."""
    with dg.DagsterInstance.ephemeral() as instance:
        yield instance


@pytest.fixture
def command(fetcher: Fetcher, history: dg.DagsterInstance, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    """The command line over the fake source alone."""
    monkeypatch.setattr("pipeline.paths.BUILD", tmp_path / "build")
    monkeypatch.setattr("pipeline.orchestration.command_line.open_instance", lambda _out: nullcontext(history))
    monkeypatch.setattr("pipeline.cli.fetch.discover", lambda: {"fake": fetcher.module})
    session = fetcher.session
    monkeypatch.setattr(
        "pipeline.cli.fetch.FetchSession", lambda **settings: replace(session, accept_terms=settings["accept_terms"])
    )
    return CliRunner()


def test_the_command_says_what_came_of_each_source(fetcher: Fetcher, command: CliRunner) -> None:
    fetcher.host.says(rows(3))
    good = command.invoke(cli.app, ["fetch"])
    assert (good.exit_code, good.stdout) == (0, "")
    assert "stored: fake: 1 new" in good.stderr
    fetcher.host.says(status(404))
    bad = command.invoke(cli.app, ["fetch", "fake"])
    assert (bad.exit_code, "failed: fake: http://127.0.0.1" in bad.stderr) == (1, True)


def test_the_command_is_a_run_of_the_history(fetcher: Fetcher, command: CliRunner, history: dg.DagsterInstance) -> None:
    fetcher.host.says(rows(3), status(404))
    for _ in range(2):
        command.invoke(cli.app, ["fetch"])
    runs = history.get_runs()
    observations = history.fetch_observations(dg.AssetKey(["snapshots", "fake"]), limit=5).records
    assert [(run.job_name, run.status.value) for run in runs] == [("fetch", "FAILURE"), ("fetch", "SUCCESS")]
    assert {run.tags["started_by"] for run in runs} == {"command line"}
    seen = [record.asset_observation.metadata["status"].value for record in observations if record.asset_observation]
    assert seen == ["failed", "stored"]


def test_an_interrupted_command_is_no_success_and_no_failure(
    command: CliRunner, history: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(60)

    monkeypatch.setattr("pipeline.fetch.refresh.fetch_source", interrupted)
    result = command.invoke(cli.app, ["fetch"])
    assert (result.exit_code != 0, "Traceback" in result.stderr) == (True, False)
    assert [run.status.value for run in history.get_runs()] == ["CANCELED"]


def test_the_command_refuses_what_it_does_not_know_or_may_not(fetcher: Fetcher, command: CliRunner) -> None:
    unknown = command.invoke(cli.app, ["fetch", "nope"])
    assert (unknown.exit_code, "no source 'nope'; see `gpuledger sources`" in unknown.stderr) == (2, True)
    fetcher.module.SOURCE = replace(fetcher.module.SOURCE, automated_access="forbidden")
    refused = command.invoke(cli.app, ["fetch", "fake"])
    assert (refused.exit_code, "https://example.org/terms" in refused.stderr) == (1, True)
    fetcher.host.says(rows(3))
    assert command.invoke(cli.app, ["fetch", "--accept-terms", "fake"]).exit_code == 0


def test_the_command_waits_for_no_build(command: CliRunner, monkeypatch: pytest.MonkeyPatch) -> None:
    def held(_folder: Path) -> None:
        raise build_lock.BuildLockedError("another build (process 1) is at work")

    monkeypatch.setattr(build_lock, "hold", held)
    result = command.invoke(cli.app, ["fetch"])
    assert (result.exit_code, "another build" in result.stderr) == (3, True)
