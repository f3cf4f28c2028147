"""Ctrl-C during a build: it is no failed check."""

import dagster as dg
import pytest

from pipeline.orchestration import build_run
from pipeline.warehouse.connection import QUERY_INTERRUPTED


@pytest.mark.parametrize(
    ("error", "is_interrupt"),
    [(RuntimeError(QUERY_INTERRUPTED), True), (dg.DagsterExecutionInterruptedError(), True), (RuntimeError("no table"), False)],
)
def test_a_step_that_ctrl_c_ended_is_told_from_one_that_failed(error: BaseException, is_interrupt: bool) -> None:
    @dg.op
    def step() -> None:
        raise error

    job = dg.GraphDefinition(name="job", node_defs=[step]).to_job()
    result = job.execute_in_process(raise_on_error=False, run_config=build_run.QUIET)
    assert build_run._is_interrupted(result) is is_interrupt
