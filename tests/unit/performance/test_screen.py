"""A wild row leaves the fit and takes nothing with it: with it and without it every index is the same."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.performance import index, panel
from pipeline.performance.model_inputs import ModelInputs
from pipeline.performance.outliers import drop_gross_errors
from tests.unit.performance.simulated import REFERENCE, panels, rows

EFFECTS = {REFERENCE: 0.0, "b": 0.7, "c": -0.4, "d": 1.3}
STEP = 10  # every tenth row of the real panel


def indices(measured):
    """Every measured index in 16-bit, by family and GPU."""
    table = index.comparison_table(measured, "fp16")
    found = {family: table.of_family(family) for family in (*panel.FAMILIES, "all")}
    return {
        (family, gpu): value
        for family, one in found.items()
        for gpu, value in zip(one.gpus, np.exp(panel.fit(one, REFERENCE).effect), strict=True)
    }


def wild(measured, number, factor):
    """The rows with one of them made faster by a factor, and without it."""
    at = pl.int_range(pl.len()) == number
    faster = pl.when(at).then(pl.col("throughput") * factor).otherwise(pl.col("throughput"))
    return measured.with_columns(faster), measured.filter(~at)


@pytest.fixture(scope="module")
def real(con):
    """Rows of one GPU in 16-bit, of the real panel."""
    return ModelInputs.read(con).rows.filter(
        pl.col("precision") == "fp16", pl.col("gpu_count") == 1, pl.col("core").fill_null(True)
    )


def test_no_real_row_is_a_gross_error(real):
    kept = drop_gross_errors(real)
    assert len(kept) > 250
    assert drop_gross_errors(kept).equals(kept)


@pytest.mark.slow
@pytest.mark.parametrize("factor", [10, pytest.param(0.1, marks=pytest.mark.full)])
def test_a_tenfold_row_beside_the_measured_ones_changes_no_index_of_the_real_panel(real, factor):
    """As a doubtful upload comes in: what was measured stands, and one more row of the same GPU and workload."""
    kept = drop_gross_errors(real)
    expected = indices(kept)
    for number in range(0, len(real), STEP):
        faster, _ = wild(real, number, factor)
        found = drop_gross_errors(pl.concat([real, faster[number]]))
        assert found.equals(kept) or indices(found) == expected  # a smaller batch of the GPU stays and is not used


@pytest.mark.slow
@pytest.mark.parametrize("factor", [10, pytest.param(0.1, marks=pytest.mark.full)])
def test_one_tenfold_row_moves_no_index_of_the_real_panel_by_more_than_two_percent(real, factor):
    for number in range(0, len(real), STEP):
        kept, rest = (drop_gross_errors(each) for each in wild(real, number, factor))
        moved = [] if kept.equals(rest) else [(indices(kept), indices(rest))]
        assert all(max(abs(found[key] / value - 1) for key, value in other.items()) < 0.02 for found, other in moved)


@given(number=st.integers(0, 23), factor=st.sampled_from([1e-6, 0.1, 10, 1e6]))
def test_a_wild_row_leaves_alone(number, factor):
    frame = panel.usable(panels(EFFECTS, 6, 0.05, seed=5))
    found, rest = wild(frame, number, factor)
    assert drop_gross_errors(found).equals(drop_gross_errors(rest))


def test_the_next_smaller_batch_takes_the_place_of_a_wild_row():
    smaller = rows({"workload": "w3", "gpu_id": "b", "batch_per_gpu": 32, "throughput": 1.0})
    level = panels(EFFECTS, 6, 0.0, seed=5)
    true = level.filter(pl.col("gpu_id") == "b", pl.col("workload") == "w3")["throughput"][0]
    frame = panel.usable(pl.concat([level, smaller.with_columns(throughput=pl.lit(true))]))
    number = frame.with_row_index().filter(pl.col("gpu_id") == "b", pl.col("workload") == "w3")["index"][0]
    kept = drop_gross_errors(wild(frame, number, 10)[0]).filter(pl.col("gpu_id") == "b", pl.col("workload") == "w3")
    assert kept.select("batch_per_gpu", "throughput").rows() == [(32, true)]


def test_of_two_machines_the_outlier_is_removed():
    level = panels(EFFECTS, 6, 0.05, seed=5)
    frame = panel.usable(pl.concat([level, level.filter(pl.col("gpu_id") == "b")]))
    found, rest = wild(frame, len(frame) - 1, 10)
    assert drop_gross_errors(found).equals(drop_gross_errors(rest))


def test_a_gpu_with_a_single_row_is_not_measured():
    """Nothing could check that row; the GPU is predicted instead."""
    frame = panels(EFFECTS, 4, 0.05, seed=5)
    alone = rows({"workload": "w0", "gpu_id": "new", "throughput": 1e6})
    assert index.comparison_table(panel.usable(pl.concat([frame, alone])), "fp16").gpus == tuple(sorted(EFFECTS))
    doubtful = rows(
        {"workload": "w0", "gpu_id": "new", "throughput": 1e6}, {"workload": "w1", "gpu_id": "new", "throughput": 1e2}
    )
    assert index.comparison_table(panel.usable(pl.concat([frame, doubtful])), "fp16").gpus == tuple(sorted(EFFECTS))
