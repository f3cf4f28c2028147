"""Failures of the disk and of memory end a step with one line, which says what to do next."""

import errno
import os

import dagster as dg
import duckdb
import pytest

from pipeline.errors import BuildError
from pipeline.orchestration.materialize import one_line_errors

AGAIN = "then run `gpuledger build` again"
MEMORY = f"not enough memory; close other programs, {AGAIN}"
DISK = f"no space left on the disk; free space, {AGAIN}"
FULL = os.strerror(errno.ENOSPC)


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (MemoryError(), MEMORY),
        (duckdb.OutOfMemoryException("Out of Memory Error: failed to pin block\n\nPossible solutions:"), MEMORY),
        (OSError(errno.ENOSPC, FULL, "work/x.parquet"), DISK),
        (duckdb.IOException(f'IO Error: Could not write file "x": {FULL}\nmore'), DISK),
        (
            PermissionError(errno.EACCES, "Permission denied", "work/x.parquet"),
            f"gpu: work/x.parquet: Permission denied; free space or correct the permissions, {AGAIN}",
        ),
        (BuildError("gpus.csv line 2: a problem"), "gpus.csv line 2: a problem"),
    ],
)
def test_a_step_fails_with_one_line(error: Exception, line: str) -> None:
    with pytest.raises(dg.Failure) as failed, one_line_errors("gpu"):
        raise error
    assert failed.value.description == line


def test_a_defect_of_the_code_keeps_its_trace() -> None:
    with pytest.raises(ZeroDivisionError), one_line_errors("gpu"):
        _ = 1 / 0
