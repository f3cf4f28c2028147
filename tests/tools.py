"""Programs beside Python that some tests need, and the processes that they start."""

import os
import shutil
import sys
from pathlib import Path

import pytest


def missing(message: str) -> None:
    """Skip the test, or fail it where GPULEDGER_REQUIRE_BROWSER is 1, as on the CI machine, which has every program."""
    if os.environ.get("GPULEDGER_REQUIRE_BROWSER") == "1":
        pytest.fail(message)
    pytest.skip(message)


def require_rsync() -> None:
    """Skip or fail the test on a machine without rsync, which uploads to folders and hosts need."""
    if not shutil.which("rsync"):
        missing("no rsync: install it with `apt-get install rsync`")


def readers_of_uploads() -> list[int]:
    """Process ids of the running children of this process that read uploads, by Linux' own list."""
    if sys.platform != "linux":
        pytest.skip("reads /proc")
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if _is_reader(path)]


def _is_reader(process: Path) -> bool:
    try:
        parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
        return int(parent) == os.getpid() and b"pipeline.uploads.worker" in (process / "cmdline").read_bytes()
    except OSError:  # it has ended
        return False
