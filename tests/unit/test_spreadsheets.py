"""Cells of CSV files that a spreadsheet would run as a formula."""

import duckdb
import pytest

from pipeline.spreadsheets import defused, defused_sql

CELLS = [
    ("=cmd|'/c calc'!A1", "'=cmd|'/c calc'!A1"),
    ("@SUM(1+1)*cmd|x", "'@SUM(1+1)*cmd|x"),
    ("+1 (555) 0100", "'+1 (555) 0100"),
    ("-2+3", "'-2+3"),
    ("\t=1", "'\t=1"),
    ("\r=1", "'\r=1"),
    ("-5", "-5"),
    ("-5.25e3", "-5.25e3"),
    ("+7", "+7"),
    ("NVIDIA A100", "NVIDIA A100"),
    ("5-6", "5-6"),
    ("", ""),
]


@pytest.mark.parametrize(("text", "cell"), CELLS)
def test_python_and_sql_write_the_same_cell(text: str, cell: str) -> None:
    assert defused(text) == cell
    assert duckdb.execute(f"SELECT {defused_sql('t')} FROM (SELECT ? AS t)", [text]).fetchall() == [(cell,)]


def test_values_that_are_no_text_stay() -> None:
    assert [defused(value) for value in (-5, -0.5, None, True)] == [-5, -0.5, None, True]
