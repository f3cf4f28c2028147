"""Ctrl-C during a build: it is no failed check, and no program that was started for the build prints a trace."""

from pathlib import Path

import dagster as dg
import pytest

from pipeline.orchestration import build_run
from pipeline.warehouse.connection import QUERY_INTERRUPTED
from tests.command import press_ctrl_c


@pytest.mark.parametrize(
    ("error", "is_interrupt"),
    [(RuntimeError(QUERY_INTERRUPTED), True), (dg.DagsterExecutionInterruptedError(), True), (RuntimeError("no table"), False)],
)
def test_a_step_that_ctrl_c_ended_differs_from_one_that_failed(error: BaseException, is_interrupt: bool) -> None:
    @dg.op
    def step() -> None:
        raise error

    job = dg.GraphDefinition(name="job", node_defs=[step]).to_job()
    result = job.execute_in_process(raise_on_error=False, run_config=build_run.QUIET)
    assert build_run._is_interrupted(result) is is_interrupt


def test_ctrl_c_ends_a_recorded_run_without_a_trace(tmp_path: Path) -> None:
    """Dagster starts programs that copy the output of a run; a terminal sends Ctrl-C to them too."""
    assert press_ctrl_c(RECORDED_WORK, tmp_path) == ("interrupted\n", "")


RECORDED_WORK = """
import os, signal, sys, time
from pathlib import Path
from pipeline.orchestration.command_line import record_run
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test runner in the background ignores Ctrl-C and passes that on
terminal = os.dup(1)  # Dagster copies the output once a second, and this test waits for it
def work(context):
    time.sleep(1)  # the programs start
    os.write(terminal, b"started\\n")
    time.sleep(60)
    return []
try:
    record_run(Path(sys.argv[1]), "build", work)
except KeyboardInterrupt:
    os.write(terminal, b"interrupted\\n")
"""
