"""The command line as a user runs it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def gpuledger(*arguments: str, data: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run one command to its end; `data` is another data folder."""
    environment = os.environ | ({"GPULEDGER_DATA": str(data)} if data else {})
    command = [sys.executable, "-m", "pipeline.cli", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
