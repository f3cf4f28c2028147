"""The command line's contract: answers on stdout, one clear line on stderr, exit codes."""

import csv
import io
import json
import math
import re
from pathlib import Path

import pytest

from pipeline.cli import app
from pipeline.warehouse import connection
from tests.command import gpuledger


def ask(built: Path, *arguments: str) -> list[dict[str, str]]:
    """The answer of a command as CSV rows."""
    result = gpuledger(*arguments, "--format", "csv", "--db", str(built / "gpuledger.duckdb"))
    assert result.returncode == 0, result.stderr
    return list(csv.DictReader(io.StringIO(result.stdout)))


def test_query_prints_each_form(built: Path) -> None:
    sql = "SELECT gpu_id, memory_gb FROM gpu WHERE gpu_id = 'nvidia-tesla-v100-pcie-32gb'"
    assert ask(built, "query", sql) == [{"gpu_id": "nvidia-tesla-v100-pcie-32gb", "memory_gb": "32.0"}]
    result = gpuledger("query", sql, "--format", "json", "--db", str(built / "gpuledger.duckdb"))
    assert json.loads(result.stdout) == [{"gpu_id": "nvidia-tesla-v100-pcie-32gb", "memory_gb": 32.0}]
    assert "nvidia-tesla-v100-pcie-32gb" in gpuledger("query", sql, "--db", str(built / "gpuledger.duckdb")).stdout


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT nothing FROM gpu",
        "DELETE FROM gpu",
        "COPY gpu TO 'stolen.csv'",
        "SELECT * FROM read_csv('/etc/passwd')",
        "ATTACH 'other.duckdb'",
        "SET enable_external_access = true",
        "INSTALL httpfs",
    ],
)
def test_query_can_neither_write_nor_leave_the_file(built: Path, sql: str) -> None:
    result = gpuledger("query", sql, "--db", str(built / "gpuledger.duckdb"))
    assert result.returncode == 2
    assert result.stdout == ""
    assert "Error" in result.stderr
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("command", [["query", "SELECT 1"], ["audit"], ["sources"], ["recommend"], ["break-even", "--gpu", "x"]])
def test_a_missing_database_is_named(tmp_path: Path, command: list[str]) -> None:
    result = gpuledger(*command, "--db", str(tmp_path / "none.duckdb"))
    assert result.returncode == 2
    assert "none.duckdb does not exist; name a file like gpuledger.duckdb, or leave --db out" in result.stderr


def test_audit_lists_disagreements_first(built: Path) -> None:
    verdicts = [row["agrees"] for row in ask(built, "audit")]
    assert len(verdicts) >= 190
    assert verdicts == sorted(verdicts, key=["False", "True", ""].index)
    assert "False" in verdicts


def test_audit_knows_its_guides(built: Path) -> None:
    result = gpuledger("audit", "--guide", "nobody", "--db", str(built / "gpuledger.duckdb"))
    assert result.returncode == 2
    assert "paperspace-2022" in result.stderr


def test_sources_lists_each_source_once(built: Path) -> None:
    rows = ask(built, "sources")
    names = [row["source_id"] for row in rows]
    assert len(names) == len(set(names)) >= 15
    assert all(int(row["rows"]) + int(row["rejects"]) > 0 for row in rows if row["last_snapshot"])


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


def test_a_large_default_is_written_for_people() -> None:
    text = " ".join(gpuledger("recommend", "--help").stdout.replace("│", " ").split())
    assert "all passes together; default: 10 million." in text
    assert "10000000" not in text


def test_break_even_counts_a_sale_of_the_gpu(built: Path) -> None:
    terms = ["--gpu", "nvidia-geforce-rtx-3090-24gb", "--purchase", "2200", "--cloud", "2.14", "--watts", "450"]
    terms += ["--resale", "0.8"]
    rows = ask(built, "break-even", *terms)
    assert float(rows[0]["gpu_sells_for_usd"]) == pytest.approx(1499 * 0.8, abs=0.01)
    result = gpuledger("break-even", *terms, "--db", str(built / "gpuledger.duckdb"))
    assert "buying is cheaper from day 106, if the GPU is then sold" in result.stderr


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
        ("RTX 6000", "state the model"),
        ("8x H100 SXM", "not one whole GPU; choose from nvidia-h100-sxm5-80gb"),
        ("g6f.large", "not one whole GPU; choose from nvidia-l4-24gb"),
    ],
)
def test_a_label_that_is_not_one_gpu_names_the_next_step(built: Path, command: list[str], label: str, text: str) -> None:
    result = gpuledger(*command, "--gpu", label, "--db", str(built / "gpuledger.duckdb"))
    assert (result.returncode, result.stdout) == (2, "")
    assert text in result.stderr


def test_recommend_ranks_and_gives_reasons(built: Path) -> None:
    rows = ask(built, "recommend", "--workload", "efficientnet_training", "--rent")
    chosen, out = [row for row in rows if row["rank"]], [row for row in rows if not row["rank"]]
    assert [row["rank"] for row in chosen] == [str(n) for n in range(1, len(chosen) + 1)]
    assert chosen[0]["usd_per_run"] == min((row["usd_per_run"] for row in chosen), key=float)
    assert "cheapest" in chosen[0]["reason"]
    assert all(row["reason"].startswith("out: ") for row in out)
    assert {row["gpu_id"] for row in out if "memory" in row["reason"]} >= {
        "nvidia-quadro-m4000-8gb",
        "nvidia-quadro-rtx-4000-8gb",
    }


@pytest.mark.parametrize("workload", ["cnn", "transformer", "rnn", "all", "all-fp32", "memory-bandwidth"])
def test_recommend_knows_kinds_of_work(built: Path, workload: str) -> None:
    rows = ask(built, "recommend", "--workload", workload, "--objective", "fastest", "--vendor", "NVIDIA")
    seconds = [float(row["seconds"]) for row in rows if row["rank"]]
    assert len(seconds) > 10
    assert seconds == sorted(seconds)
    assert all(row["seconds_low"] or row["basis"] == "measured" or workload == "memory-bandwidth" for row in rows if row["rank"])
    assert {row["basis"] for row in rows if row["rank"]} <= {"measured", "predicted"}


def test_the_removed_workload_of_language_models_names_its_replacement(built: Path) -> None:
    result = gpuledger("recommend", "--workload", "llm-decode", "--db", str(built / "gpuledger.duckdb"))
    assert result.returncode == 2
    assert "--model" in result.stderr


def test_recommend_takes_several_terms_and_the_limits_of_a_machine(built: Path) -> None:
    terms = ["--buy", "--older-prices", "--gpus", "4", "--max-slots", "8", "--max-watts", "1300", "--min-memory", "48"]
    rows = ask(built, "recommend", "--workload", "all", *terms)
    reasons = {row["gpu_id"]: row["reason"] for row in rows}
    assert "do not fit 8 slots" in ask_reason(built, "nvidia-geforce-rtx-4090-24gb", *terms[:6])
    assert "above 1300 W" in reasons["nvidia-rtx-pro-6000-blackwell-workstation-96gb"]
    assert not reasons["nvidia-rtx-6000-ada-48gb"].startswith("out: ")
    spot = ask(built, "recommend", "--workload", "all", "--billing", "spot", "--billing", "on_demand")
    dear = {row["gpu_id"]: float(row["usd_per_run"]) for row in ask(built, "recommend", "--workload", "all") if row["rank"]}
    assert all(float(row["usd_per_run"]) <= dear[row["gpu_id"]] for row in spot if row["rank"] and row["gpu_id"] in dear)


def ask_reason(built: Path, gpu_id: str, *terms: str) -> str:
    """Answer of `recommend` for one GPU."""
    return next(row["reason"] for row in ask(built, "recommend", "--workload", "all", *terms) if row["gpu_id"] == gpu_id)


def test_every_limit_of_recommend_excludes_with_its_reason(built: Path) -> None:
    base = ["recommend", "--workload", "stylegan_xl_training"]
    for option, reason in {
        ("--min-memory", "40"): "40 GB asked for",
        ("--budget", "0.6", "--hours", "1"): "above the budget of 0.60 USD",
        ("--min-cuda", "10.0"): "needs CUDA",
        ("--billing", "spot"): "no offer on these terms states this GPU",
    }.items():
        assert any(reason in row["reason"] for row in ask(built, *base, *option)), option


def test_a_workload_may_be_named_as_in_addresses_of_the_site(built: Path) -> None:
    named = [ask(built, "recommend", "--workload", name) for name in ("stylegan-xl-training", "stylegan_xl_training")]
    assert named[0] == named[1]


def test_without_a_gpu_the_terms_that_count_are_named(built: Path) -> None:
    asked = ("recommend", "--workload", "all", "--provider", "salad", "--db", str(built / "gpuledger.duckdb"))
    assert "Only the terms on_demand count; name others with --billing." in " ".join(gpuledger(*asked).stderr.split())
    assert "Rent " in gpuledger(*asked, "--billing", "marketplace").stderr


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["recommend"], "yolor_inference"),
        (["recommend", "--workload", "chess"], "no workload 'chess'; choose from"),
        (["recommend", "--workload", "stylegan"], "did you mean stylegan_xl_training?"),
        (["recommend", "--workload", "yolor_inference", "--billing", "free"], "'free' is not one of 'on_demand'"),
        (
            ["recommend", "--workload", "yolor_inference", "--billing", "spot", "--billing", "free"],
            "'free' is not one of 'on_demand'",
        ),
        (["recommend", "--workload", "cnn", "--objective", "best"], "'best' is not one of 'cheapest', 'fastest', 'memory'"),
        (["recommend", "--workload", "cnn", "--vendor", "Nobody"], "NVIDIA"),
        (["recommend", "--workload", "cnn", "--budget", "inf"], "finite"),
        (["recommend", "--workload", "yolor_inference", "--min-cuda", "new"], "not a version"),
        (["recommend", "--workload", "yolor_inference", "--gpus", "0"], "--gpus"),
        (["recommend", "--workload", "yolor_inference", "--gpus", "9"], "scaling is measured for up to 8 GPUs"),
        (["recommend", "--workload", "memory-bandwidth", "--gpus", "1000"], "scaling is measured for up to 8 GPUs"),
        (["recommend", "--workload", "yolor_inference", "--provider", "papersapce"], "did you mean paperspace or hyperstack?"),
        (["recommend", "--workload", "yolor_inference", "--provider", "Nobody"], "WHERE acquisition = 'rent'"),
        (["recommend", "--workload", "cnn", "--provider", "ebay"], "no GPU to rent; choose another, or add --buy"),
        (["recommend", "--workload", "cnn", "--buy", "--provider", "AWS"], "no GPU to buy; choose another, or add --rent"),
        (["recommend", "--workload", "cnn", "--electricity", "0.2"], "--electricity has no effect without --buy"),
        (["recommend", "--workload", "cnn", "--hours", "3"], "--hours has no effect without --budget"),
        (["recommend", "--workload", "cnn", "--buy", "--hours", "3"], "--hours has no effect without --electricity"),
        (["recommend", "--workload", "cnn", "--buy", "--billing", "spot"], "--billing has no effect with --buy"),
        (["break-even", "--gpu", "nvidia-rtx-a6000-48gb", "--purchase", "inf"], "finite"),
        (["query", ""], "the statement is empty"),
        (["query", " ; -- nothing"], "the statement is empty"),
        (["query", "SELECT 1; SELECT 2"], "these are 2 statements; give one at a time"),
    ],
)
def test_bad_options_are_named(built: Path, arguments: list[str], told: str) -> None:
    result = gpuledger(*arguments, "--db", str(built / "gpuledger.duckdb"))
    assert (result.returncode, result.stdout) == (2, "")
    assert told in result.stderr


@pytest.mark.parametrize("command", ["build", "query", "audit", "sources", "recommend", "break-even", "serve", "seal"])
def test_every_command_shows_an_example(command: str) -> None:
    result = gpuledger(command, "--help")
    assert result.returncode == 0
    assert f"Example: gpuledger {command}" in " ".join(result.stdout.split())


def test_break_even_counts_as_the_table_does(built: Path) -> None:
    sql = """SELECT break_even_days, gpu_usd + host_usd AS usd, cloud_usd_per_hour AS cloud FROM break_even
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


@pytest.mark.parametrize(("gpus", "change"), [("3", "SELECT 1"), ("1", "UPDATE gpu SET form_factor = 'SXM5', slot_width = NULL")])
def test_break_even_builds_no_machine_whose_price_is_unknown(database_copy: Path, gpus: str, change: str) -> None:
    """Neither one of three GPUs nor a desktop around a module."""
    with connection.connect(database_copy) as con:
        con.execute(change)
    terms = ["--gpu", "nvidia-geforce-rtx-4090-24gb", "--gpus", gpus, "--older-prices"]
    result = gpuledger("break-even", *terms, "--db", str(database_copy))
    assert result.returncode == 2
    assert f"a machine for {gpus} x nvidia-geforce-rtx-4090-24gb is not known; add --purchase" in result.stderr


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.duckdb").write_text("no database")
    result = gpuledger("query", "SELECT 1", "--db", str(tmp_path / "x.duckdb"))
    assert result.returncode == 2
    assert "cannot be opened" in result.stderr


def test_seal_keeps_to_the_data_folder_and_to_dates(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a")
    for arguments, told in (
        (["seal", str(tmp_path / "x.csv")], "no such file below"),
        (["seal", "x", "--published", "soon"], "no date"),
        (["seal", "x", "--origin", "foo"], "--origin 'foo' is not one of 'fetched', 'carried_over', 'transcribed'"),
    ):
        result = gpuledger(*arguments)
        assert (result.returncode, told in result.stderr) == (2, True)
    assert not (tmp_path / "x.csv.json").exists()


@pytest.mark.parametrize("command", [command.name for command in app.registered_commands])
def test_help_begins_with_a_verb_and_names_arguments_once(command: str) -> None:
    lines = [line.strip() for line in gpuledger(command, "--help").stdout.splitlines()]
    (usage,) = (line for line in lines if line.startswith("Usage:"))
    assert not re.search(r"\[\[|\.\.\.\S|[{\[][a-z]", usage), usage
    verb = next(line for line in lines if line and line != usage).split()[0]
    assert verb not in {"Figures", "Each", "GPUs"}
