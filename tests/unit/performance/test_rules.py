"""Rules of thumb: agreement of orders, and estimates in proportion."""

import numpy as np
import pytest

from pipeline.performance import rules_of_thumb as rules
from pipeline.warehouse.sql_models import metrics


def test_the_same_order_agrees_and_the_opposite_does_not():
    speed = np.array([1.0, 2, 5, 9, 20, 21])
    same, opposite = rules.agreement(speed**2, speed), rules.agreement(-speed, speed)
    assert (same.value, opposite.value) == pytest.approx((1, -1))
    assert same.low < same.value
    assert same.n == 6


def test_ties_take_their_mean_rank():
    assert rules.spearman(np.array([1.0, 1, 2]), np.array([1.0, 2, 3])) == pytest.approx(np.sqrt(3) / 2)


@pytest.mark.parametrize("noise", [1e-13, -1e-13])
def test_gpus_that_differ_by_rounding_alone_are_a_tie(noise):
    rule, speed = np.array([1.0, 3, 2, 4, 5]), np.array([1.0, 2, 2, 3, 4])
    assert rules.spearman(rule, speed + np.array([0, noise, 0, 0, 0])) == rules.spearman(rule, speed)


@pytest.mark.parametrize("rule", [[1, 2, np.nan, np.nan, 5, 6], [3, 3, 3, 3, 3, 3]])
def test_too_few_gpus_or_one_value_for_all_give_no_figure(rule):
    found = rules.agreement(np.array(rule, dtype=float), np.arange(6.0))
    assert (found.value, found.low, found.high) == (None, None, None)


def test_the_interval_holds_at_about_its_rate():
    generator, held = np.random.default_rng(1), []
    truth = 6 / np.pi * np.arcsin(0.8 / 2)  # Spearman's correlation of a normal pair with correlation 0.8
    for _ in range(300):
        pair = generator.multivariate_normal([0, 0], [[1, 0.8], [0.8, 1]], 40)
        found = rules.agreement(*pair.T)
        held.append(found.low <= truth <= found.high)
    assert 0.91 <= np.mean(held) <= 0.985


def test_an_order_of_importance_is_compared_with_the_measured_one():
    found = {"a": 0.9, "b": 0.8, "c": 0.7}
    assert rules.order_agreement(("a", "b", "c"), found) == pytest.approx(1)
    assert rules.order_agreement(("c", "b", "a"), found) == pytest.approx(-1)


def test_speeds_in_proportion_are_estimated_exactly_and_others_by_their_median_error():
    compute = np.array([1.0, 2, 4, 8, 16, np.nan])
    assert rules._estimate(compute, 3 * compute).value == pytest.approx(1)
    found = rules._estimate(compute, np.array([1.0, 2.5, 4, 10, 8, 1]))
    assert (found.value, found.n) == (pytest.approx(1 / 1.25), 5)
    assert rules._estimate(compute[:4], compute[:4]).value is None


@pytest.mark.parametrize("name", ["ci_low", "ci_high"])
def test_a_table_that_copies_an_interval_states_its_level(name):
    text = metrics()["guide_priority"].columns[name][1].text
    assert f"{rules.LEVEL:.0%} interval" in text
