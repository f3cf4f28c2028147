"""Batch curves: what was put in comes out, thin data borrows, and two configurations are no curve."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.performance import batch, panel
from tests.unit.performance.simulated import cells_of, rows


def points(batches, fixed_s, rate, **other):
    return [{"batch_per_gpu": size, "throughput": size / (fixed_s + size / rate), **other} for size in batches]


def curves(*measured):
    return batch.curves(cells_of(*measured))


@given(
    fixed_s=st.floats(1e-3, 10),
    rate=st.floats(1, 1e5),
    batches=st.lists(st.integers(1, 4096), min_size=2, max_size=6, unique=True),
)
def test_known_fixed_time_and_rate_come_out(fixed_s, rate, batches):
    size = np.array(sorted(batches), dtype=float)
    found = batch.affine(size, fixed_s + size / rate)
    assert found[0] + size / (1 / found[1]) == pytest.approx(fixed_s + size / rate, rel=1e-6)
    if fixed_s * rate > size[0] / 10 and fixed_s * rate < size[-1] * 10:
        assert found == pytest.approx((fixed_s, 1 / rate), rel=1e-4)


def test_one_curve_keeps_its_own_points():
    (one,) = curves(*points((8, 16, 32, 64), 0.1, 500))
    assert (one.fixed_s, one.rate, one.half_batch) == pytest.approx((0.1, 500, 50), rel=1e-6)


@given(st.floats(1, 1e4), st.floats(0, 1e4))
def test_the_gain_falls_with_the_batch_and_never_exceeds_two(size, half):
    gain = batch.gain_per_doubling(np.array([size, 2 * size]), half)
    assert 0 <= gain[1] <= gain[0] <= 1
    assert batch.gain_per_doubling(50, 50) == pytest.approx(1 / 3)


def test_a_gpu_with_one_batch_takes_the_curve_of_its_workload_at_its_own_batch():
    lent = points((8, 16, 32, 64), 0.1, 500)
    found = {one.key[5]: one for one in curves(*lent, {"gpu_id": "thin", "batch_per_gpu": 200, "throughput": 900.0})}
    thin = found["thin"]
    assert thin.own_share is None
    assert thin.half_batch == pytest.approx(50, rel=1e-6)
    assert thin.share == pytest.approx(50 / 250, rel=1e-6)
    assert thin.share_sd > next(one for gpu, one in found.items() if gpu != "thin").share_sd


def test_no_workload_lends_to_another():
    found = curves(*points((8, 64), 0.1, 500), {"workload": "other", "batch_per_gpu": 200})
    assert {one.key[2] for one in found} == {"w"}


def test_more_work_in_less_time_is_two_configurations():
    mixed = [{"batch_per_gpu": 16, "throughput": 25.0}, {"batch_per_gpu": 32, "throughput": 60.0}]
    assert curves(*mixed) == []
    assert len(batch.doublings(cells_of(*mixed))) == 0


def test_batches_less_than_a_doubling_apart_are_no_curve():
    """An error of 2% in one latency moves the fixed share by more than 1 between batches of 126 and 128."""
    assert curves(*points((126, 128), 0.1, 500)) == []
    (one,) = curves(*points((64, 126, 128), 0.1, 500))
    assert one.half_batch == pytest.approx(50, rel=1e-6)


def test_extrapolation_beats_a_constant_on_a_saturating_gpu():
    cells = cells_of(*points((16, 32, 64, 128), 0.1, 500))
    error = {name: np.abs(found).max() for name, found in batch.extrapolations(cells).items()}
    assert error["affine_latency"] < 1e-6 < error["constant_2020_guide"] < error["no_correction"]


def test_doublings_stay_within_panel_gpu_count_and_link():
    cells = cells_of(*points((8, 16), 0.1, 500), *points((32,), 0.1, 500, gpu_count=2), *points((64,), 0.1, 500, suite="two"))
    assert batch.doublings(cells).select("batch_per_gpu").rows() == [(8,)]
    gain = batch.doublings(cells)["gain"][0]
    assert gain == pytest.approx(float(batch.gain_per_doubling(8, 50)))


def test_an_unknown_batch_is_no_point():
    frame = rows(*points((8, 16), 0.1, 500)).with_columns(pl.col("batch_per_gpu"), flag=pl.lit(None, pl.String))
    unknown = frame.with_columns(batch_per_gpu=pl.lit(None, pl.Int64), flag=pl.lit("batch_unknown"))
    assert len(panel.usable(pl.concat([frame, unknown]))) == 2
