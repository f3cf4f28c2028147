"""Packages from npm: the site is built without them, and `make` explains what is missing."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pipeline.website.writing import npm_packages
from tests.command import ROOT

FILES = (
    "Makefile",
    "pyproject.toml",
    "constraints.txt",
    "site/npm.sh",
    "site/package.json",
    "site/package-lock.json",
    "site/engine.mjs",
)
ENGINE = "site/node_modules/.gpuledger/duckdb/engine.json"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout whose Python packages are installed."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    (tmp_path / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (tmp_path / ".venv" / "installed").touch()
    return tmp_path


@pytest.mark.parametrize(
    "npm",
    [
        "echo no such host >&2; exit 7",
        "mkdir -p node_modules/.gpuledger/duckdb; echo {} > node_modules/.gpuledger/duckdb/engine.json",
    ],
)
def test_make_continues_without_npm_packages_and_names_what_is_missing(checkout: Path, npm: str) -> None:
    command = checkout / "bin" / "npm"
    command.parent.mkdir()
    command.write_text(f"#!/bin/sh\n{npm}\n")
    command.chmod(0o755)
    environment = os.environ | {"PATH": f"{command.parent}:{os.environ['PATH']}"}
    result = subprocess.run(["make", ENGINE], cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert ("no such host" in result.stderr) == ("Packages of npm are missing" in result.stdout) == ("exit 7" in npm)
    assert (checkout / ENGINE).exists() == ("exit 7" not in npm)


def test_an_engine_is_complete_with_its_manifest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npm_packages, "_MANIFEST", tmp_path / "engine.json")
    assert npm_packages.engine() is None
    (tmp_path / "engine.json").write_text(json.dumps({"version": "1.2.3", "bytes": 4}))
    assert npm_packages.engine() == npm_packages.Engine("1.2.3", 4)
