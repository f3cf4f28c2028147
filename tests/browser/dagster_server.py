"""A Dagster webserver and daemon over a copy of the data and of a finished build, and the questions that tests ask it."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx

from pipeline.orchestration.instance import SETTINGS
from tests.command import ROOT

LOCATION = "tests.browser.dagster_location"
ASSET_JOB = "__ASSET_JOB"
QUICK_QUEUE = "run_queue:\n  dequeue_interval_seconds: 1\n"  # each of many runs would wait for up to 5
PATIENCE_S = 900  # reached only by a failure, however slow the machine is
LAUNCH = """mutation($params: ExecutionParams!) { launchRun(executionParams: $params) {
  __typename ... on LaunchRunSuccess { run { runId } } ... on Error { message }
  ... on RunConfigValidationInvalid { errors { message } } } }"""
STATUS = "query($id: ID!) { runOrError(runId: $id) { ... on Run { status startTime endTime } } }"
FAILURES = """query($id: ID!) { logsForRun(runId: $id, limit: 1000) { ... on EventConnection { events {
  ... on ExecutionStepFailureEvent { stepKey error { message } failureMetadata { description } } } } } }"""
BACKFILL = """mutation($params: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $params) {
  __typename ... on LaunchBackfillSuccess { backfillId } ... on Error { message } } }"""
BACKFILL_STATUS = "query($id: String!) { partitionBackfillOrError(backfillId: $id) { ... on PartitionBackfill { status } } }"
CANCEL = "mutation($id: String!) { terminateRun(runId: $id) { __typename ... on Error { message } } }"
START_SENSOR = """mutation($sensor: SensorSelector!) { startSensor(sensorSelector: $sensor) {
  __typename ... on Error { message } } }"""
TICKS = """query($sensor: SensorSelector!) { sensorOrError(sensorSelector: $sensor) {
  ... on Sensor { sensorState { ticks(limit: 1) { status } } } } }"""
NEWEST = "{ runsOrError(limit: 5) { ... on Runs { results { runId assetSelection { path } } } } }"


class DagsterServer:
    """A running server."""

    def __init__(self, url: str, data: Path) -> None:
        self.url, self.data, self.out = url, data, data / "build"

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the data of a GraphQL answer."""
        answer = httpx.post(
            f"{self.url}/graphql", json={"query": query, "variables": variables}, timeout=PATIENCE_S, trust_env=False
        )
        content = answer.json()
        assert "errors" not in content, content["errors"]
        return content["data"]

    def launch(self, *assets: str, fetch: bool = False) -> str:
        """Launch a run of assets, as the button of the UI does; return its id."""
        params = {
            "selector": {
                "repositoryName": "__repository__", "repositoryLocationName": LOCATION, "jobName": ASSET_JOB,
                "assetSelection": [{"path": name.split("/")} for name in assets], "assetCheckSelection": None,
            },
            "runConfigData": {"resources": {"build": {"config": {"fetch": fetch}}}},
            "mode": "default",
        }  # fmt: skip
        answer = self.ask(LAUNCH, params=params)["launchRun"]
        assert answer["__typename"] == "LaunchRunSuccess", answer
        return answer["run"]["runId"]

    def status(self, run: str) -> str:
        return self.ask(STATUS, id=run)["runOrError"]["status"]

    def wait(self, run: str, *statuses: str) -> str:
        """Wait for one of the statuses, by default for the end of the run; return it."""
        ends = statuses or ("SUCCESS", "FAILURE", "CANCELED")
        return wait_for(lambda: status if (status := self.status(run)) in ends else "", f"run {run} {ends}")

    def execute(self, *assets: str, fetch: bool = False) -> tuple[str, str]:
        """Launch a run and wait for its end; return its id and status."""
        run = self.launch(*assets, fetch=fetch)
        return run, self.wait(run)

    def failures(self, run: str) -> list[str]:
        """The line of each failed step."""
        events = self.ask(FAILURES, id=run)["logsForRun"]["events"]
        return [event["failureMetadata"]["description"] for event in events if event.get("failureMetadata")]

    def backfill(self, asset: str, days: Sequence[str]) -> dict[str, str]:
        """Launch a backfill of partitions; return its id or the error."""
        params = {"assetSelection": [{"path": asset.split("/")}], "partitionNames": list(days)}
        return self.ask(BACKFILL, params=params)["launchPartitionBackfill"]

    def wait_for_backfill(self, backfill: str) -> str:
        """Wait for the end of a backfill; return its status."""

        def end() -> str:
            status = self.ask(BACKFILL_STATUS, id=backfill)["partitionBackfillOrError"]["status"]
            return status if status.startswith(("COMPLETED", "FAILED", "CANCELED")) else ""

        return wait_for(end, f"backfill {backfill}")

    def times(self, run: str) -> tuple[float, float]:
        """Start and end of a run."""
        facts = self.ask(STATUS, id=run)["runOrError"]
        return facts["startTime"], facts["endTime"]

    def cancel(self, run: str) -> None:
        answer = self.ask(CANCEL, id=run)["terminateRun"]
        assert answer["__typename"] == "TerminateRunSuccess", answer

    def start_sensor(self, name: str) -> None:
        """Start a sensor and wait for its first evaluation, which later ones are compared with."""
        sensor = {"repositoryName": "__repository__", "repositoryLocationName": LOCATION, "sensorName": name}
        answer = self.ask(START_SENSOR, sensor=sensor)["startSensor"]
        assert answer["__typename"] == "Sensor", answer

        def evaluated() -> str:
            ticks = self.ask(TICKS, sensor=sensor)["sensorOrError"]["sensorState"]["ticks"]
            return "yes" if ticks and ticks[0]["status"] in ("SUCCESS", "SKIPPED") else ""

        wait_for(evaluated, f"the first evaluation of {name}")

    def newest_run(self, *assets: str) -> str:
        """Id of the newest run that materializes all of the assets; "" where there is none."""
        for run in self.ask(NEWEST)["runsOrError"]["results"]:
            if {"/".join(key["path"]) for key in run["assetSelection"] or []} >= set(assets):
                return run["runId"]
        return ""


def wait_for(question: Callable[[], str], what: str) -> str:
    """Ask until there is an answer."""
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if answer := question():
            return answer
        time.sleep(0.5)
    raise AssertionError(f"{what}: not within {PATIENCE_S} s")


@contextmanager
def serving_dagster(data: Path, host: str) -> Iterator[DagsterServer]:
    """Start webserver and daemon over a data folder with a build folder in it."""
    home = data / "build" / "dagster"
    home.mkdir(parents=True, exist_ok=True)
    (home / SETTINGS.name).write_text(SETTINGS.read_text() + QUICK_QUEUE)
    port = free_port()
    environment = os.environ | {
        "DAGSTER_HOME": str(home), "GPULEDGER_DATA": str(data), "GPULEDGER_TEST_HOST": host, "PYTHONPATH": str(ROOT),
    }  # fmt: skip
    command = [sys.executable, "-m", "dagster", "dev", "-m", LOCATION, "-h", "127.0.0.1", "-p", str(port)]
    with (data / "dagster.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            server = DagsterServer(f"http://127.0.0.1:{port}", data)
            wait_for(lambda: answers(server), "the webserver")
            yield server
        finally:
            process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                process.wait(60)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def answers(server: DagsterServer) -> str:
    try:
        loaded = server.ask("{ repositoriesOrError { ... on RepositoryConnection { nodes { name } } } }")
        return "yes" if loaded["repositoriesOrError"].get("nodes") else ""
    except httpx.HTTPError:
        return ""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
