"""Rows that count in the panel, and GPU effects that do not depend on units, order or single outliers."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.performance import index, panel
from tests.unit.performance.simulated import REFERENCE, cells_of, panels, rows

EFFECTS = {REFERENCE: 0.0, "b": 0.7, "c": -0.4, "d": 1.3}


def effects(frame):
    table = index.comparison_table(panel.usable(frame), "fp16")
    return dict(zip(table.gpus, panel.fit(table, REFERENCE).effect, strict=True))


def test_two_gpus_of_known_ratio():
    frame = rows(
        *(
            {"workload": name, "gpu_id": gpu, "throughput": 50.0 * times}
            for name in "xy"
            for gpu, times in ((REFERENCE, 1), ("b", 3))
        )
    )
    assert effects(frame)["b"] == pytest.approx(np.log(3), abs=1e-9)


@pytest.mark.slow
@given(st.lists(st.floats(1e-3, 1e3), min_size=6, max_size=6))
def test_the_unit_of_a_workload_does_not_matter(factors):
    frame = panels(EFFECTS, 6, 0.05, seed=1)
    scale = {f"w{number}": factor for number, factor in enumerate(factors)}
    other = frame.with_columns(pl.col("throughput") * pl.col("workload").replace_strict(scale))
    assert effects(other) == pytest.approx(effects(frame), abs=1e-6)


@pytest.mark.slow
@given(st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(random):
    frame = panels(EFFECTS, 5, 0.05, seed=2)
    order = list(range(len(frame)))
    random.shuffle(order)
    assert effects(frame[order]) == effects(frame)


def test_flagged_doubtful_and_unnamed_rows_stay_out():
    good = {"throughput": 1.0}
    bad = [{"flag": "suspect"}, {"raw_gpu_name": "V100 SXM2 32GB?"}, {"gpu_id": None}, {"family": "other"}]
    assert panel.usable(rows(good, *bad))["throughput"].to_list() == [1.0]


def test_machines_alike_count_once():
    cells = cells_of(*({"throughput": value} for value in (90.0, 100.0, 400.0)))
    assert cells.select("throughput", "n_rows").rows() == [(100.0, 3)]


def test_two_suites_of_one_workload_are_two_panels():
    """New software doubles every speed; no GPU gains by being measured on it."""
    old = panels(EFFECTS, 4, 0.0, seed=3)
    new = old.filter(pl.col("gpu_id").is_in(["b", "d"])).with_columns(pl.col("throughput") * 2, suite=pl.lit("two"))
    found = effects(pl.concat([old.filter(pl.col("gpu_id") != "d"), new]))
    assert found == pytest.approx(EFFECTS, abs=1e-6)


def test_a_workload_on_one_gpu_does_not_move_the_index():
    frame = panels(EFFECTS, 4, 0.05, seed=4)
    alone = rows({"workload": "only here", "gpu_id": "c", "throughput": 1e6})
    assert effects(pl.concat([frame, alone])) == effects(frame)


def test_a_gpu_without_a_link_to_the_reference_has_no_index():
    island = rows(*({"workload": name, "gpu_id": gpu} for name in ("island", "islet") for gpu in ("y", "z")))
    found = index.measured_indices(
        index.comparison_table(panel.usable(pl.concat([panels(EFFECTS, 4, 0.05, seed=6), island])), "fp16")
    )
    assert {one.gpu_id for one in found} == set(EFFECTS)


def test_few_gpus_or_workloads_give_no_interval_and_say_why():
    pair = panels({REFERENCE: 0.0, "b": 1.0}, 5, 0.05, seed=7)
    notes = {one.gpu_id: one.note for one in index.measured_indices(index.comparison_table(panel.usable(pair), "fp16"))}
    assert notes["b"] == "no interval: fewer than 3 GPUs measured in this family"
    two = panels(EFFECTS, 2, 0.05, seed=8).with_columns(family=pl.col("workload").replace_strict({"w0": "cnn", "w1": "rnn"}))
    table = index.comparison_table(panel.usable(two), "fp16").of_family("rnn")
    found = [one for one in index.measured_indices(table) if one.gpu_id != REFERENCE]
    assert {one.interval() for one in found} == {None}
    assert {one.note for one in found} == {"no interval: this GPU or the reference was measured in one workload only"}


def test_an_unmeasured_reference_is_named():
    table = panel.tabulate(panel.singles(panel.cells(panel.usable(panels({"b": 1.0, "c": 0.0}, 3, 0.1, seed=9)))))
    with pytest.raises(KeyError, match=REFERENCE):
        panel.fit(table, REFERENCE)


@pytest.mark.parametrize("workloads", [3, 5, 10])
def test_intervals_hold_at_about_their_rate(workloads):
    truth = {f"gpu{number}": 0.1 * number for number in range(1, 12)} | {REFERENCE: 0.0}
    held = []
    for seed in range(40):
        table = index.comparison_table(panel.usable(panels(truth, workloads, 0.1, seed)), "fp16")
        ends = [(np.log(one.interval()), truth[one.gpu_id]) for one in index.measured_indices(table) if one.interval()]
        held += [low <= value <= high for (low, high), value in ends]
    assert 0.83 <= np.mean(held) <= 0.97
