"""Names at the ends of lines: none overlaps, none leaves the chart, and their order is that of the lines."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.website.charts.label_placement import free_spots, spread

HEIGHT, GAP = 360.0, 15.0


@given(st.lists(st.floats(0, HEIGHT), min_size=1, max_size=int(HEIGHT / GAP)))
def test_names_are_apart_within_the_chart_and_in_order(spots: list[float]) -> None:
    placed = spread(spots, GAP, HEIGHT)
    order = sorted(range(len(spots)), key=lambda at: spots[at])
    tops = [placed[at] for at in order]
    assert all(below - above >= GAP - 1e-6 for above, below in itertools.pairwise(tops))
    assert min(tops) >= -1e-6
    assert max(tops) <= HEIGHT + 1e-6


def test_names_with_room_stay_beside_their_lines() -> None:
    assert spread([300.0, 20.0, 100.0], GAP, HEIGHT) == [300.0, 20.0, 100.0]


def test_names_of_one_place_are_moved_no_further_than_needed() -> None:
    assert spread([100.0, 100.0], GAP, HEIGHT) == pytest.approx([100.0, 115.0])


def test_a_further_name_takes_the_nearest_free_place() -> None:
    assert free_spots([50.0, 52.0], [100.0], GAP) == [50.0, 65.0]
    assert free_spots([100.0], [90.0, 105.0], GAP) == [120.0]
    assert free_spots([], [90.0], GAP) == []
