"""The command `break-even`: its days, its labels of GPUs, and the machines that it knows."""

import math
from pathlib import Path

import pytest

from pipeline.warehouse import connection
from tests.command import ask, gpuledger


def test_break_even_reproduces_the_guides_case(built: Path) -> None:
    terms = ["--gpu", "nvidia-geforce-rtx-3090-24gb", "--purchase", "2200", "--cloud", "2.14", "--watts", "450"]
    result = gpuledger("break-even", *terms, "--db", str(built / "gpuledger.duckdb"))
    assert result.returncode == 0
    assert "buying is cheaper from day 293" in result.stderr


def test_the_price_of_electricity_has_both_names(built: Path) -> None:
    terms = ["break-even", "--gpu", "nvidia-geforce-rtx-3090-24gb", "--purchase", "2200", "--cloud", "2.14"]
    assert ask(built, *terms, "--kwh", "0.3") == ask(built, *terms, "--electricity", "0.3") != ask(built, *terms)
    bought = ["recommend", "--workload", "cnn", "--buy", "--older-prices"]
    assert ask(built, *bought, "--kwh", "0.3") == ask(built, *bought, "--electricity", "0.3") != ask(built, *bought)


def test_break_even_counts_a_sale_of_the_gpu(built: Path) -> None:
    terms = ["--gpu", "nvidia-geforce-rtx-3090-24gb", "--purchase", "2200", "--cloud", "2.14", "--watts", "450"]
    terms += ["--resale", "0.8"]
    rows = ask(built, "break-even", *terms)
    assert float(rows[0]["gpu_sells_for_usd"]) == pytest.approx(1499 * 0.8, abs=0.01)
    result = gpuledger("break-even", *terms, "--db", str(built / "gpuledger.duckdb"))
    assert "buying is cheaper from day 106, if the GPU is then sold" in result.stderr


@pytest.mark.parametrize(("billing", "is_hosts"), [("marketplace", True), ("on_demand", False)])
def test_break_even_says_when_the_rent_is_the_lowest_of_a_marketplace(built: Path, billing: str, is_hosts: bool) -> None:
    sql = f"SELECT gpu_id FROM offer_default WHERE acquisition = 'rent' AND billing = '{billing}' AND NOT stale ORDER BY 1"
    row, *_ = ask(built, "query", sql)
    asked = ["break-even", "--gpu", row["gpu_id"], "--purchase", "2200", "--watts", "450"]
    result = gpuledger(*asked, "--db", str(built / "gpuledger.duckdb"))
    assert ("the lowest of its independent hosts" in result.stderr) is is_hosts, result.stderr


TERMS = ["--purchase", "2200", "--cloud", "2.14", "--watts", "450"]


@pytest.mark.parametrize("label", ["RTX 3090", "rtx-3090", "NVIDIA GeForce RTX 3090", "3090 24GB"])
def test_break_even_understands_a_label_like_resolve(built: Path, label: str) -> None:
    by_id = ask(built, "break-even", "--gpu", "nvidia-geforce-rtx-3090-24gb", *TERMS)
    assert ask(built, "break-even", "--gpu", label, *TERMS) == by_id


@pytest.mark.parametrize("model", ["H100", "H200", "A100"])
def test_break_even_takes_the_cheapest_variant_of_a_model(built: Path, model: str) -> None:
    result = gpuledger("break-even", "--gpu", model, "--purchase", "30000", "--db", str(built / "gpuledger.duckdb"))
    assert result.returncode == 0, result.stderr
    chosen = result.stderr.removeprefix("--gpu ").split(":")[0]
    sql = f"""SELECT usd FROM offer_default JOIN gpu USING (gpu_id)
        WHERE gpu_model_id = 'nvidia-{model.lower()}' AND acquisition = 'rent' AND NOT stale ORDER BY usd LIMIT 1"""
    (low,) = ask(built, "query", sql)
    assert f"--cloud {float(low['usd']):g}:" in result.stderr
    assert "the cheapest to rent of those with the prices needed" in result.stderr
    again = ["--gpu", chosen, "--purchase", "30000"]
    assert ask(built, "break-even", *again) == ask(built, "break-even", "--gpu", model, "--purchase", "30000")


@pytest.mark.parametrize("command", [["break-even"], ["fits", "--model", "llama-3.1-8b"]])
@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("RTX 3091", "nvidia-geforce-rtx-3090-24gb"),
        ("RTX 409", "did you mean nvidia-geforce-rtx-4090-"),
        ("RTX 6000", "state the model"),
        ("8x H100 SXM", "not one whole GPU; choose from nvidia-h100-sxm5-80gb"),
        ("g6f.large", "not one whole GPU; choose from nvidia-l4-24gb"),
    ],
)
def test_a_label_that_is_not_one_gpu_names_the_next_step(built: Path, command: list[str], label: str, text: str) -> None:
    result = gpuledger(*command, "--gpu", label, "--db", str(built / "gpuledger.duckdb"))
    assert (result.returncode, result.stdout) == (2, "")
    assert text in result.stderr


def test_break_even_counts_as_the_table_does(built: Path) -> None:
    sql = """SELECT break_even_days, gpu_usd + host_usd AS usd, cloud_usd_per_gpu_hour AS cloud FROM break_even
        WHERE buy_gpu_id = 'nvidia-rtx-a6000-48gb' AND utilisation_percent = 15 AND NOT guide_case ORDER BY ALL LIMIT 1"""
    (row,) = ask(built, "query", sql)
    terms = ["--purchase", row["usd"], "--cloud", row["cloud"]]
    result = gpuledger("break-even", "--gpu", "nvidia-rtx-a6000-48gb", *terms, "--db", str(built / "gpuledger.duckdb"))
    assert f"buying is cheaper from day {float(row['break_even_days']):.0f}" in result.stderr


def test_break_even_of_eight_gpus_rents_eight_of_them(built: Path) -> None:
    """Eight H100 for 280,000 USD at 5,800 W beside eight at 2 USD an hour each."""
    terms = ["--gpu", "nvidia-h100-sxm5-80gb", "--gpus", "8", "--purchase", "280000", "--cloud", "2", "--utilisation", "0.8"]
    result = gpuledger("break-even", *terms, "--db", str(built / "gpuledger.duckdb"))
    days = math.ceil(280_000 / (24 * 0.8 * (8 * 2 - (8 * 700 + 2 * 100) / 1000 * 0.12)))
    assert f"buying is cheaper from day {days}" in result.stderr


@pytest.mark.parametrize("gpus", ["1", "4"])
def test_the_price_that_is_printed_gives_the_same_answer(built: Path, gpus: str) -> None:
    asked = ["break-even", "--gpu", "nvidia-geforce-rtx-4090-24gb", "--gpus", gpus, "--utilization", "0.5"]
    result = gpuledger(*asked, "--older-prices", "--db", str(built / "gpuledger.duckdb"))
    option, usd = result.stderr.split(":")[0].split()
    assert option == "--purchase"
    assert ask(built, *asked, option, usd) == ask(built, *asked, "--older-prices")


@pytest.mark.parametrize(("gpus", "change"), [("3", "SELECT 1"), ("1", "UPDATE gpu SET form_factor = 'SXM5', slot_width = NULL")])
def test_break_even_builds_no_machine_whose_price_is_unknown(database_copy: Path, gpus: str, change: str) -> None:
    """Neither one of three GPUs nor a desktop around a module."""
    with connection.connect(database_copy) as con:
        con.execute(change)
    terms = ["--gpu", "nvidia-geforce-rtx-4090-24gb", "--gpus", gpus, "--older-prices"]
    result = gpuledger("break-even", *terms, "--db", str(database_copy))
    assert result.returncode == 2
    assert f"a machine for {gpus} x nvidia-geforce-rtx-4090-24gb is not known; add --purchase" in result.stderr
