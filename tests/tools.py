"""Programs beside Python that some tests need."""

import os
import shutil

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
