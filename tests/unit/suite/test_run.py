"""A whole run at toy sizes as a user starts it: the file, its schema, and what the format reads from it."""

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import torch
from typer.testing import CliRunner

from benchmarks.formats.detection import read
from benchmarks.suite.profiles import TEST, TRAINED
from benchmarks.suite.result_schema import PUBLISHED
from pipeline.cli import app, bench

pytestmark = pytest.mark.slow  # all workloads run once


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = tmp_path_factory.mktemp("suite") / "result.json"
    arguments = ["--profile", "test", "--device", "cpu", "--budget", "600", "--out", str(out)]
    result = CliRunner().invoke(app, ["bench", "run", *arguments])  # in this process: importing torch takes as long as the run
    assert result.exit_code == 0, result.output
    assert f"gpuledger ingest {out}" in result.stderr
    assert "train-gpt2" in result.stdout
    assert [path.name for path in out.parent.iterdir()] == ["result.json"]
    return out.read_text()


@pytest.fixture(scope="module")
def document(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found


def test_the_document_keeps_to_the_published_schema(document: dict[str, Any]) -> None:
    jsonschema.validate(document, json.loads(PUBLISHED.read_text()))


def test_every_workload_ran_or_has_a_reason(document: dict[str, Any]) -> None:
    ended = {workload["name"]: workload["status"] for workload in document["workloads"]}
    assert list(ended) == list(TEST.workloads)
    waived = {name for name, status in ended.items() if status == "waived"}
    assert waived == {"transfer", "peer", "all-reduce", "data-parallel"}
    assert set(ended.values()) == {"ok", "waived"}
    assert document["status"] == "ok"


def test_the_format_reads_every_figure(text: str, document: dict[str, Any]) -> None:
    runs = read(text)
    figures = [[figure["value"] for figure in workload["figures"]] for workload in document["workloads"]]
    assert [[m.value for m in run.measurements] for run in runs] == figures
    assert all(len(run.devices) == 1 for run in runs)
    assert {flag for run in runs for m in run.measurements for flag in (m.flags or "").split(",")} == {"non_cuda"}


def test_every_model_gives_throughput_and_the_first_epoch_apart(text: str) -> None:
    trained = {
        name: {m.metric for m in run.measurements}
        for run in read(text)
        for name in TRAINED
        if f"workload=train-{name};" in str(run.run.args)
    }
    assert set(trained) == set(TRAINED)
    assert all({"epoch_time", "training_throughput"} <= metrics for metrics in trained.values())


def test_the_batch_curve_doubles_to_the_ceiling(text: str) -> None:
    (lstm,) = (run for run in read(text) if "workload=train-lstm;" in str(run.run.args))
    assert [m.batch_size for m in lstm.measurements if m.metric == "training_throughput"] == [2, 8, 4]
    assert "max_batch" not in {m.metric for m in lstm.measurements}  # the ceiling ended the search, not memory


def test_every_number_format_was_checked(document: dict[str, Any]) -> None:
    (matmul,) = (workload for workload in document["workloads"] if workload["name"] == "matmul")
    checked = {figure["dtype"] for figure in matmul["figures"] if figure["correct"]}
    assert checked == {"fp32", "fp16", "bf16", "fp8", "int8"}
    assert not [figure for workload in document["workloads"] for figure in workload["figures"] if figure["correct"] is False]


def test_nothing_personal_is_in_the_document(text: str) -> None:
    low = text.lower()
    assert not [word for word in ("uuid", "serial", "hostname", "bus_id", str(Path.home()).lower() + "/") if word in low]


@pytest.mark.parametrize(("kind", "profile"), [("cpu", "test"), ("cuda", "quick")])
def test_the_profile_follows_the_device(kind: str, profile: str) -> None:
    device = torch.device(kind)
    assert bench._depth(None, device).name == profile
    assert bench._depth("full", device).name == "full"


def test_without_a_gpu_nothing_asked_is_the_test_profile(tmp_path: Path) -> None:
    out = tmp_path / "x.json"
    arguments = ["bench", "run", "memory", "--device", "cpu", "--out", str(out)]
    result = CliRunner().invoke(app, arguments)
    assert (result.exit_code, json.loads(out.read_text())["profile"]) == (0, "test"), result.output
    assert "--profile" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["chess"], "train-resnet50"),
        (["memory", "--precision", "fp1"], "bf16"),
        (["memory", "--device", "cuda:99"], "cpu"),
        (["memory", "--budget", "0"], "above zero"),
        (["memory", "--out", "no/such/folder/x.json"], "--out"),
    ],
)
def test_bad_options_are_named(arguments: list[str], told: str) -> None:
    result = CliRunner().invoke(app, ["bench", "run", *arguments])
    assert (result.exit_code, result.stdout) == (2, "")
    assert told in result.stderr
