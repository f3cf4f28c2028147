"""Speedups: a pure batch effect and a pure network effect are taken out, and what is left is the truth."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.performance import batch, scaling, speedup
from pipeline.performance.bootstrap import clustered_median
from tests.unit.performance.simulated import cells_of

A, B = "nvidia-a100-sxm4-40gb", "nvidia-tesla-v100-sxm2-16gb"


def pairs(*measured):
    cells = cells_of(*measured)
    best = speedup.best(cells, batch.curves(cells), scaling.efficiencies(cells))
    return speedup.pairs(best, 0.02)


def curve(gpu, batches, half, rate, **other):
    return [{"gpu_id": gpu, "batch_per_gpu": b, "throughput": rate * b / (b + half), **other} for b in batches]


def test_two_gpus_at_one_batch():
    row = pairs({"gpu_id": A, "throughput": 300.0}, {"gpu_id": B, "throughput": 200.0}).row(0, named=True)
    assert (row["naive_ratio"], row["batch_factor"], row["network_factor"]) == (1.5, 1.0, 1.0)
    assert row["corrected"] == pytest.approx(1.5)
    assert row["ci_low"] < 1.5 < row["ci_high"]
    assert row["batch_basis"] == "same_batch"


def test_a_pure_batch_effect_is_taken_out():
    """Two GPUs alike, one with four times the batch."""
    row = pairs(*curve(A, (32, 64, 128, 256), 40, 1000), *curve(B, (32, 64), 40, 1000)).row(0, named=True)
    assert row["naive_ratio"] > 1.2
    assert row["batch_factor"] == pytest.approx(row["naive_ratio"], rel=1e-6)
    assert row["corrected"] == pytest.approx(1, rel=1e-6)
    assert row["ratio_at_own_maximum"] == pytest.approx(row["naive_ratio"])
    assert row["batch_basis"] == "own_curve"


def test_a_pure_network_effect_is_taken_out():
    many = [
        {"gpu_id": gpu, "gpu_count": 8, "throughput": 800 * share, "interconnect": "nvlink"}
        for gpu, share in ((A, 0.95), (B, 0.8))
    ]
    row = pairs({"gpu_id": A}, {"gpu_id": B}, *many).filter(pl.col("gpu_count") == 8).row(0, named=True)
    assert row["naive_ratio"] == pytest.approx(0.95 / 0.8)
    assert row["network_factor"] == pytest.approx(0.95 / 0.8)
    assert row["corrected"] == pytest.approx(1)


def test_without_a_curve_the_prior_widens_the_interval():
    row = pairs({"gpu_id": A, "batch_per_gpu": 256}, {"gpu_id": B, "batch_per_gpu": 64}).row(0, named=True)
    assert row["batch_basis"] == "prior"
    assert row["batch_factor"] == pytest.approx(1.08**2)
    assert row["ci_high"] / row["ci_low"] > 1.3


def test_several_gpus_without_one_alone_have_no_network_factor_and_no_row():
    assert len(pairs(*({"gpu_id": gpu, "gpu_count": 8} for gpu in (A, B)))) == 0


@given(
    batches=st.lists(st.integers(1, 4096), min_size=2, max_size=2, unique=True),
    share=st.floats(0, 0.99),
    share_sd=st.floats(0, 2),
    has_curve=st.booleans(),
)
def test_batches_never_move_a_speedup_further_than_their_ratio(batches, share, share_sd, has_curve):
    """The gain of a batch is between none and proportional, however little is known of the fixed share of the time."""
    large, small = max(batches), min(batches)
    cells = cells_of({"gpu_id": A, "batch_per_gpu": large, "throughput": 300.0}, {"gpu_id": B, "batch_per_gpu": small})
    shapes = [
        batch.Curve((cells["panel"][0], "lab", "w", "cnn", "fp16", gpu, 1), (size,), size, share, share_sd, None, 1.0)
        for gpu, size in ((A, large), (B, small))
    ]
    best = speedup.best(cells, shapes if has_curve else [], scaling.efficiencies(cells))
    row = speedup.pairs(best, 0.0).row(0, named=True)
    ends = (3 * small / large * (1 - 1e-9), row["ci_low"], row["corrected"], row["ci_high"], 3 * (1 + 1e-9))
    assert list(ends) == sorted(ends)


def test_the_interval_covers_the_gains_of_every_plausible_fixed_share():
    """A share of 0.2, known to 0.1 (standard deviation): the ends are the gains at 0.2 -+ 0.196."""
    cells = cells_of({"gpu_id": A, "batch_per_gpu": 256, "throughput": 300.0}, {"gpu_id": B, "batch_per_gpu": 64})
    shapes = [batch.Curve((cells["panel"][0], "lab", "w", "cnn", "fp16", A, 1), (256,), 256, 0.2, 0.1, 0.2, 1.0)]
    row = speedup.pairs(speedup.best(cells, shapes, scaling.efficiencies(cells)), 0.0).row(0, named=True)
    for name, share in (("ci_low", 0.396), ("corrected", 0.2), ("ci_high", 0.004)):
        gain = 4 * (share + (1 - share) / 4)  # a batch of 256 takes a time of 1, one of 64 the rest
        assert row[name] == pytest.approx(3 / gain, rel=1e-3)


def test_the_interval_of_a_speedup_holds_at_about_its_rate():
    """The truth is 2. Curves of different workloads are not pooled, so each workload is a case of its own."""
    generator = np.random.default_rng(1)
    noisy = [
        one | {"workload": f"w{number}", "throughput": one["throughput"] * np.exp(generator.normal(0, 0.02))}
        for number in range(400)
        for one in (*curve(A, (32, 64, 128, 256), 40, 2000), *curve(B, (32, 64), 40, 1000))
    ]
    found = pairs(*noisy)
    assert len(found) == 400
    assert 0.9 <= found.select((pl.col("ci_low") <= 2) & (pl.col("ci_high") >= 2)).to_series().mean() <= 1


def test_families_need_three_workloads_for_an_interval():
    measured = [
        {"workload": f"w{n}", "gpu_id": gpu, "throughput": 100 * value}
        for n in range(3)
        for gpu, value in ((A, 2 + n / 10), (B, 1))
    ]
    (found,) = speedup.families(pairs(*measured)).filter(pl.col("family") == "cnn").iter_rows(named=True)
    assert found["n_workloads"] == 3
    assert found["ci_low"] < found["corrected"] < found["ci_high"]
    (two,) = speedup.families(pairs(*measured[:4])).filter(pl.col("family") == "all").iter_rows(named=True)
    assert two["ci_low"] is None


def test_efficiency_is_per_gpu_at_the_same_batch():
    cells = cells_of({}, {"gpu_count": 4, "throughput": 360.0, "interconnect": "nvlink"}, {"gpu_count": 4, "batch_per_gpu": 32})
    found = scaling.efficiencies(cells).sort("batch_per_gpu")["efficiency"].to_list()
    assert found == [pytest.approx(0.9)]


def test_a_clustered_interval_is_wider_than_rows_alone_would_give():
    generator = np.random.default_rng(2)
    centre = generator.normal(0, 1, 8)
    values = np.repeat(centre, 30) + generator.normal(0, 0.01, 240)
    clusters = [str(number) for number in np.repeat(np.arange(8), 30)]
    middle, low, high = clustered_median(values, clusters)
    _, low_rows, high_rows = clustered_median(values, [str(number) for number in range(240)])
    assert low <= middle <= high
    assert high - low > high_rows - low_rows
    assert clustered_median(values[:60], clusters[:60])[1:] == (None, None)


def test_the_clustered_interval_holds_at_about_its_rate():
    generator, held = np.random.default_rng(3), []
    for _ in range(200):
        values = np.repeat(generator.normal(0, 1, 12), 5)
        _, low, high = clustered_median(values, [str(number) for number in np.repeat(np.arange(12), 5)])
        held.append(low <= 0 <= high)
    assert 0.88 <= np.mean(held) <= 0.99
