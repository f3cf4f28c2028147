"""`gpuledger parse`: rows of a local file by its date, and hints for a file of another name."""

import csv
import json
from pathlib import Path

import pytest

from pipeline.paths import DATA
from tests.command import gpuledger

CATALOG = DATA / "raw" / "skypilot_catalog" / "v8_lambda_vms.csv"


def test_prices_have_the_date_that_is_given() -> None:
    result = gpuledger("parse", "skypilot_catalog", str(CATALOG), "--observed-at", "2026-08-20", "--json")
    assert result.returncode == 0, result.stderr
    accepted = json.loads(result.stdout)["accepted"]
    assert accepted
    assert {row["observed_at"] for row in accepted} == {"2026-08-20"}
    assert {(row["provider"], row["raw_provider"]) for row in accepted} == {("lambda", "lambda")}


def test_rows_and_prices_are_counted_separately() -> None:
    result = json.loads(gpuledger("parse", "skypilot_catalog", str(CATALOG), "--json").stdout)
    assert result["rows_read"] == result["rows_accepted"] + result["rows_rejected"]
    assert (result["n_prices"], result["n_rejects"]) == (len(result["accepted"]), len(result["rejected"]))
    rows = {row["locator"].partition(",")[0] for row in result["accepted"]}
    assert (len(rows), result["n_prices"] >= len(rows)) == (result["rows_accepted"], True)
    counts = gpuledger("parse", "skypilot_catalog", str(CATALOG)).stderr.splitlines()[-1]
    assert counts.startswith(
        "{rows_read} rows read: {rows_accepted} accepted, {rows_rejected} rejected; {n_prices} prices".format(**result)
    )


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    (tmp_path / "index.csv").touch()
    result = gpuledger("parse", "aws_bulk", str(tmp_path / "index.csv"))
    assert result.returncode == 2
    assert result.stderr == f"{tmp_path}/index.csv: the file is empty; download it again\n"


def test_a_row_with_two_prices_is_one_row(tmp_path: Path) -> None:
    file = tmp_path / "v8_lambda_vms.csv"
    with CATALOG.open(newline="") as catalog, file.open("w", newline="") as copy:
        rows = csv.DictReader(catalog)
        writer = csv.DictWriter(copy, rows.fieldnames or [])
        writer.writeheader()
        writer.writerow(next(rows) | {"Price": "2.0", "SpotPrice": "1.0"})
    assert gpuledger("parse", "skypilot_catalog", str(file)).stderr.strip() == "1 row read: 1 accepted, 0 rejected; 2 prices"


def test_specifications_have_no_prices() -> None:
    result = gpuledger("parse", "ecb", str(DATA / "raw" / "ecb" / "eurofxref-hist.csv"))
    assert "rejected" in result.stderr
    assert "prices" not in result.stderr


@pytest.mark.parametrize("name", ["absent.csv", "."])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str) -> None:
    result = gpuledger("parse", "skypilot_catalog", str(tmp_path / name))
    assert (result.returncode, "give a file that you may read" in result.stderr) == (2, True)
    assert "Traceback" not in result.stderr


def test_a_day_that_is_none_is_refused() -> None:
    result = gpuledger("parse", "skypilot_catalog", str(CATALOG), "--observed-at", "20 August")
    assert result.returncode == 2
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("skypilot_catalog", "its name must be like v8_lambda_vms.csv"),
        ("gpuhunt_catalog", "the file is named after its provider"),
        ("cloud_gpus", "this source reads cloud-gpus.csv, serverless-gpus.csv and neoclouds_2022_2025.csv; rename the file"),
        ("gpurentalprices", "this source reads rental_*.csv and lists of a day as JSON; rename the file"),
        ("paperspace-2022", "this source reads claim_inputs.csv, claim_parts.csv, "),
        ("gpuledger-compiled", "this source reads gpu_models.csv, gpus.csv, left_out.csv, notes.csv; rename the file"),
    ],
)
def test_a_file_with_an_unknown_name_is_refused_with_the_known_names(tmp_path: Path, source: str, told: str) -> None:
    file = tmp_path / "download.csv"
    file.write_text("a,b\n1,2\n")
    result = gpuledger("parse", source, str(file))
    assert result.returncode == 2
    said = " ".join(result.stderr.split())
    assert told in said
    assert "Traceback" not in said
