"""The command line's contract: answers on stdout, one clear line on stderr, exit codes."""

import json
import re
from importlib import metadata
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pipeline.cli import app
from tests.command import ask, gpuledger


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
    assert all(row["data_date"] <= row["last_snapshot"] for row in rows)


def test_the_version_is_that_of_the_package() -> None:
    assert gpuledger("--version").stdout == f"gpuledger {metadata.version('gpuledger')}\n"


def test_a_large_default_is_written_for_people() -> None:
    text = " ".join(gpuledger("recommend", "--help").stdout.replace("│", " ").split())
    assert "all passes together; default: 10 million." in text
    assert "10000000" not in text


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
        (["break-even", "--gpu", "nvidia-rtx-a6000-48gb", "--purchase", "inf"], "--purchase inf is above 1e+09"),
        (["break-even", "--gpu", "nvidia-rtx-a6000-48gb", "--purchase", "1e300"], "--purchase 1e300 is above 1e+09"),
        (["query", "SELECT nothing FROM gpu"], "Binder Error: Referenced column"),
        (["query", ""], "the statement is empty"),
        (["query", " ; -- nothing"], "the statement is empty"),
        (["query", "SELECT 1; SELECT 2"], "these are 2 statements; run one at a time"),
    ],
)
def test_bad_options_are_named(built: Path, arguments: list[str], told: str) -> None:
    result = gpuledger(*arguments, "--db", str(built / "gpuledger.duckdb"))
    assert (result.returncode, result.stdout) == (2, "")
    assert told in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["buld"], "No such command 'buld'. Did you mean 'build'? Otherwise see `gpuledger --help`"),
        (["bench", "runn"], "No such command 'runn'. Did you mean 'run'? Otherwise see `gpuledger bench --help`"),
    ],
)
def test_an_unknown_command_is_one_line(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(app, arguments, prog_name="gpuledger")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", f"{message}\n")


@pytest.mark.parametrize("command", ["build", "query", "audit", "sources", "recommend", "break-even", "serve", "seal"])
def test_every_command_shows_an_example(command: str) -> None:
    result = gpuledger(command, "--help")
    assert result.returncode == 0
    assert f"Example: gpuledger {command}" in " ".join(result.stdout.split())


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.duckdb").write_text("no database")
    result = gpuledger("query", "SELECT 1", "--db", str(tmp_path / "x.duckdb"))
    assert result.returncode == 2
    assert "cannot be opened" in result.stderr


def test_seal_keeps_to_the_data_folder_and_to_dates(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a")
    for arguments, told in (
        (["seal", str(tmp_path / "x.csv")], "x.csv: not below data; give the path of a stored file"),
        (["seal", "data/nothing.csv"], "data/nothing.csv: no such file; give the path of a stored file"),
        (["seal", "data/specs"], "data/specs: a folder; name the files in it that you edited, such as data/specs/NAME.csv"),
        (["seal", ""], "files: the path is empty; see `gpuledger seal --help`"),
        (["seal", "x", "--published", "soon"], "is not a date"),
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
