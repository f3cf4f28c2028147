"""Predictions: more of a resource never lowers one, nothing unknown is filled in, and intervals hold."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.performance import evaluation, forecast
from pipeline.performance.predict import (
    MEMORY,
    MODELS,
    AdditiveTime,
    Gpus,
    choose_model,
    half_width,
    leave_out_errors,
    limit_tensor_rate,
    predict,
)

NAMES = ("old", "mid", "new")


def world(n, seed, noise=0.05):
    """Gpus whose speed is a power law of their features, with an offset by generation."""
    generator = np.random.default_rng(seed)
    scale = generator.normal(0, 0.6, (n, 1))
    features = np.log([600, 100, 70, 250, 24]) + scale + generator.normal(0, 0.3, (n, MEMORY + 1))
    generation = np.array([NAMES[number % 3] for number in range(n)])
    offset = np.array([{"old": -0.05, "mid": 0.0, "new": 0.05}[name] for name in generation])
    effect = features @ [0.4, 0.25, 0.2, 0.15, 0.0] - 4 + offset + generator.normal(0, noise, n)
    return Gpus(np.array([f"gpu{number:02}" for number in range(n)]), features, generation, effect)


def one_of(gpus, number):
    return gpus[np.array([number])]


@given(seed=st.integers(0, 20), feature=st.integers(0, 4), more=st.floats(0, 2))
def test_more_of_a_resource_never_lowers_a_prediction(seed, feature, more):
    known = world(15, seed)
    asked = one_of(world(16, seed + 100), 15)
    richer = Gpus(asked.ids, asked.features.copy(), asked.generation, asked.effect)
    richer.features[0, feature] += more
    for model in MODELS:
        assert (predict(model, known, richer) >= predict(model, known, asked) - 1e-9).all()


def test_additive_time_is_exact_on_its_own_world():
    gpus = world(12, 1)
    time = np.exp(-gpus.features[:, :3]) @ [3.0, 0.5, 0.2]
    known = Gpus(gpus.ids, gpus.features, gpus.generation, -np.log(time))
    fitted = AdditiveTime(known[np.arange(10)], np.ones((1, 10), dtype=bool))
    assert fitted.predict(known[np.arange(10, 12)])[0] == pytest.approx(known.effect[10:], abs=1e-6)


def test_a_tensor_rate_counts_only_as_far_as_memory_feeds_it():
    """1,000 GB/s feed 100 TFLOPS at 100 FLOP per byte: half of a rate of 100 TFLOPS, and never more than that rate."""
    gpus = world(3, 1)
    gpus.features[:, 0], gpus.features[:, 1] = np.log(1000), np.log([100, 1e-3, 1e9])
    limited = limit_tensor_rate(gpus)
    assert np.exp(limited.features[:, 1]) == pytest.approx([50, 1e-3, 100], rel=1e-4)
    assert np.array_equal(limited.features[:, 2:], gpus.features[:, 2:])


def test_a_missing_power_limit_is_left_out_and_not_filled_in():
    known, asked = world(20, 2), one_of(world(21, 3), 20)
    asked.features[0, 3] = np.nan
    without = Gpus(known.ids, known.features.copy(), known.generation, known.effect)
    without.features[:, 3] = np.nan
    for model in MODELS:
        assert predict(model, known, asked) == pytest.approx(predict(model, without, asked))


def test_a_missing_needed_specification_gives_no_prediction():
    known, asked = world(20, 2), one_of(world(21, 3), 20)
    asked.features[0, 1] = np.nan
    for model in MODELS:
        assert np.isnan(predict(model, known, asked)).all()


def test_a_known_generation_lends_its_offset_and_a_new_one_none():
    known = world(30, 4, noise=0.0)
    shifted = Gpus(known.ids, known.features, known.generation, known.effect + np.where(known.generation == "new", 0.3, 0.0))
    asked = one_of(world(31, 5), 30)
    model = MODELS[0]
    each = [
        float(predict(model, shifted, Gpus(asked.ids, asked.features, np.array([name]), asked.effect))[0])
        for name in ("new", "none", "mid")
    ]
    assert each[0] > each[1] > each[2]


def test_leaving_out_never_uses_the_gpu_itself():
    gpus = world(12, 6)
    changed = Gpus(gpus.ids, gpus.features, gpus.generation, gpus.effect.copy())
    changed.effect[4] += 1.0
    assert leave_out_errors(changed, gpus.ids)[:, 4] == pytest.approx(leave_out_errors(gpus, gpus.ids)[:, 4] - 1.0)


@pytest.mark.parametrize(("n", "groups", "expected"), [(30, 30, 28), (9, 9, 9), (30, 7, 30)])
def test_the_interval_is_the_conformal_quantile_or_the_largest_error(n, groups, expected):
    size = np.arange(1, n + 1) / 100
    labels = np.array([str(number % groups) for number in range(n)])
    assert half_width(-size, labels) == pytest.approx(expected / 100)


def test_conformal_intervals_hold_at_about_their_rate():
    held = []
    for seed in range(60):
        gpus = world(24, seed)
        known, asked = gpus[np.arange(20)], gpus[np.arange(20, 24)]
        model, inner = choose_model(known, known.ids)
        held += list(np.abs(predict(model, known, asked) - asked.effect) <= half_width(inner, known.ids))
    assert 0.84 <= np.mean(held) <= 0.97


def test_forecasts_widen_where_less_is_known():
    known = world(21, 7)
    asked = world(5, 8)
    gpus = Gpus(
        np.concatenate([known.ids, [f"asked{number}" for number in range(5)]]),
        np.vstack([known.features, asked.features]),
        np.concatenate([known.generation, ["old", "old", "unseen", "old", "old"]]),
        np.concatenate([known.effect, np.full(5, np.nan)]),
    )
    gpus.features[22, 3] = np.nan
    gpus.features[25, 0] = np.nan
    vendor = np.array(["one"] * 24 + ["other", "one"])
    found = {item.gpu_id: item for item in forecast.forecast_all(gpus, vendor, 0.0)}
    assert set(found) == {"asked0", "asked1", "asked2"}  # asked3 is of a vendor without a measured GPU
    assert found["asked1"].half_width >= found["asked0"].half_width
    assert found["asked1"].note.endswith("power limit unknown")
    assert found["asked2"].half_width >= found["asked0"].half_width
    assert "no GPU of its compute capability" in found["asked2"].note
    wider = found["asked0"].half_width + 1e-3
    least = {item.gpu_id: item.half_width for item in forecast.forecast_all(gpus, vendor, wider)}
    assert least == {gpu_id: max(wider, item.half_width) for gpu_id, item in found.items()}
    assert forecast.forecast_all(gpus[np.arange(5, 26)][np.array([0, 1, 2, 17])], vendor[:4], 0.0) == []


def test_each_baseline_computes_what_its_name_says():
    features = np.log([[1000, 100, 50, 200, 10], [2000, 150, 100, 200, 10], [3000, 100, 75, 200, 10]])
    gpus = Gpus(np.array(["a", "b", "c"]), features, np.array(["x", "x", "y"]), np.array([0.0, np.log(2), 1.0]))
    known, asked, used = gpus[np.arange(1)], gpus[np.arange(1, 3)], np.ones((2, 1), dtype=bool)
    assert np.exp(evaluation.BASELINES["bandwidth_ratio"](known, asked, used)) == pytest.approx([2, 3])
    assert np.exp(evaluation.BASELINES["tensor_tflops_ratio"](known, asked, used)) == pytest.approx([1.5, 1])
    same, other = np.exp(evaluation.dettmers_2020(known, asked, used))
    assert same == pytest.approx((100 / 50 + 2000 / 1000) / 2)
    assert np.isnan(other)
