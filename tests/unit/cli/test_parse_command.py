"""`gpuledger parse`: what a local file gives on the day that it stands for, and what to do about a file of another name."""

import json
from pathlib import Path

import pytest

from pipeline.paths import DATA
from tests.command import gpuledger

CATALOG = DATA / "raw" / "skypilot_catalog" / "v8_lambda_vms.csv"


def test_prices_stand_for_the_day_that_is_given() -> None:
    result = gpuledger("parse", "skypilot_catalog", str(CATALOG), "--observed-at", "2026-08-20", "--json")
    assert result.returncode == 0, result.stderr
    accepted = json.loads(result.stdout)["accepted"]
    assert accepted
    assert {row["observed_at"] for row in accepted} == {"2026-08-20"}
    assert {(row["provider"], row["raw_provider"]) for row in accepted} == {("lambda", "lambda")}


def test_a_day_that_is_none_is_refused() -> None:
    result = gpuledger("parse", "skypilot_catalog", str(CATALOG), "--observed-at", "20 August")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("skypilot_catalog", "its name must be like v8_lambda_vms.csv"),
        ("gpuhunt_catalog", "the file is named after its provider"),
        ("cloud_gpus", "this source reads cloud-gpus.csv and serverless-gpus.csv; rename the file"),
        ("gpurentalprices", "this source reads history.csv and lists of a day as JSON; rename the file"),
        ("paperspace-2022", "this folder holds"),
        ("gpuledger-compiled", "this folder holds gpus.csv and notes.csv"),
    ],
)
def test_a_file_of_a_name_that_says_nothing_is_refused_with_the_names_that_do(tmp_path: Path, source: str, told: str) -> None:
    file = tmp_path / "download.csv"
    file.write_text("a,b\n1,2\n")
    result = gpuledger("parse", source, str(file))
    assert result.returncode == 2
    said = " ".join(result.stderr.split())
    assert told in said
    assert "Traceback" not in said
