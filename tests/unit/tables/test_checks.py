"""The blocking checks that a declaration brings: each finds what it is for, and passes what is sound."""

import math
from functools import cache
from typing import Annotated

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.schema import Col, Record, record
from pipeline.tables import load
from pipeline.warehouse import connection


@record("part", title="Parts", group="test", key=("name",))
class Part(Record):
    """For this test."""

    name: Annotated[str, Col("Name")]
    watts: Annotated[float | None, Col("Power", "W", between=(10, 1000))] = None
    colour: Annotated[str | None, Col("Colour", values=("red", "green"))] = None
    low: Annotated[int | None, Col("Low", check="low <= high")] = None
    high: Annotated[int | None, Col("High")] = None


@cache
def database() -> duckdb.DuckDBPyConnection:
    """One for all tests: to open and to close it takes longer than a test."""
    return connection.connect_in_memory()


def broken(*rows: Part) -> dict[str, list[str]]:
    """Violations by check, of the checks that have any."""
    return {name: lines for name, lines in load.insert(database(), rows, Part).violations.items() if lines}


def test_sound_rows_pass() -> None:
    assert broken(Part(name="a", watts=300, colour="red", low=1, high=2), Part(name="b")) == {}


@pytest.mark.slow
@given(st.floats())
def test_a_number_passes_exactly_when_it_is_in_range(watts: float) -> None:
    sound = math.isfinite(watts) and 10 <= watts <= 1000
    assert ("in_range" not in broken(Part(name="a", watts=watts))) is sound


@pytest.mark.slow
@given(st.lists(st.sampled_from("abcd"), min_size=1, max_size=8))
def test_a_key_passes_exactly_when_it_is_unique(names: list[str]) -> None:
    assert ("unique" not in broken(*(Part(name=name) for name in names))) is (len(set(names)) == len(names))


@pytest.mark.parametrize("text", ["a\x00b", "a\x1bb", "a\u202eb", "a\u200bb", "\ufeffa"])
def test_invisible_characters_are_found(text: str) -> None:
    assert "clean_text" in broken(Part(name=text))


@pytest.mark.parametrize("text", ["Quadro RTX 6000 (Ada) – ½ price", "显卡", "<b>bold</b>"])
def test_visible_text_is_left_alone(text: str) -> None:
    assert broken(Part(name=text)) == {}


def test_vocabulary_condition_and_message() -> None:
    found = broken(Part(name="a", colour="blue"), Part(name="b", low=3, high=2))
    assert found["vocabulary"] == ["colour = blue is none of red, green"]
    assert found["condition_1"] == ["b: breaks the condition low <= high"]
