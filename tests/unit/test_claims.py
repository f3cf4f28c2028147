"""Formulas of statements: what they compute, and what stops a build."""

import datetime as dt

import duckdb
import pytest

from pipeline.claims.formula import FormulaError, evaluate
from pipeline.claims.outputs import claim_part, every_table
from pipeline.schema.claims import ClaimOperand
from sources import Document, UnparsableError
from sources.guides import wechat_2022

VALUES = {"a4000": 18.66, "a6000": 13.88, "unknown": None, "nothing": 0.0}
PATH = "data/raw/wechat-2022/claim_parts.csv"
SEAL = f"Correct the file, then run `gpuledger seal {PATH}`"


@pytest.mark.parametrize(
    ("formula", "holds", "shown"),
    [
        ("a4000 / a6000 <= 1.1", False, "18.66 / 13.88 = 1.34438 (at most 1.1: no)"),
        ("about(a4000 / a6000, 1.3)", True, "18.66 / 13.88 = 1.34438 (about 1.3: yes)"),
        ("a4000 > 10 and a6000 > 14", False, "18.66 (more than 10: yes); 13.88 (more than 14: no)"),
        ("unknown > 1", None, "not known (more than 1: not known)"),
        ("unknown > 1 and a4000 < 1", False, "not known (more than 1: not known); 18.66 (less than 1: no)"),
        ("(2 - 2 ** -10) * 2 ** 15 == 65504", True, "(2 - 2 ** (-10)) * 2 ** 15 = 65504 (equal to 65504: yes)"),
        ("rounded(0.125, 2) == 0.13", True, "rounded(0.125, 2) = 0.13 (equal to 0.13: yes)"),
        ("max(a4000, a6000) - 1 >= 17.66", True, "max(18.66, 13.88) - 1 = 17.66 (at least 17.66: yes)"),
    ],
)
def test_a_formula_is_computed_and_shown_with_its_numbers(formula, holds, shown):
    found = evaluate(formula, VALUES)
    assert (found.holds, found.shown) == (holds, shown)


@pytest.mark.parametrize(
    ("formula", "problem"),
    [
        ("a4000 / unknown > 1", "divides by unknown, which is missing"),
        ("a4000 / nothing > 1", "divides by nothing, which is 0"),
        ("a4000 / (a6000 - 13.88) > 1", "divides by a6000 - 13.88, which is 0"),
        ("a5000 > 1", "a5000 is not an input"),
        ("a4000", "does not compare"),
        ("True", "does not compare"),
        ("a4000 > 1 or a6000 > 1", "does not compare"),
        ("__import__('os').getcwd() > 1", "not allowed"),
        ("a4000 >", "cannot be read"),
    ],
)
def test_a_formula_that_cannot_be_evaluated_names_file_and_line(formula, problem):
    row = {"claim_id": "w05", "part": 1, "label": "Test", "formula": formula, "path": PATH, "locator": "line 3"}
    with pytest.raises(FormulaError, match=problem) as error:
        claim_part(row, VALUES)
    assert str(error.value).startswith(f"{PATH} line 3: ")
    assert str(error.value).endswith(SEAL)


def test_a_reference_to_nothing_names_file_and_line():
    with duckdb.connect() as con:
        con.execute("CREATE TABLE snapshot AS SELECT 'a' AS snapshot_id, ? AS path", [PATH])
        con.execute("CREATE TABLE _claim_value AS SELECT 'gpu/known/memory_gb' AS reference, 80.0 AS value")
        con.execute(
            "CREATE TABLE _claim_operand AS SELECT 'a' AS snapshot_id, 'line ' || unnest([2, 3, 4]) AS locator, "
            "unnest(['gpu/known/memory_gb', 'gpu/none/memory_gb', NULL]) AS reference"
        )
        with pytest.raises(FormulaError, match=r"claim_parts.csv line 3: no table has the value 'gpu/none/memory_gb'") as error:
            every_table(con)
    assert str(error.value).endswith(SEAL)


def parsed(line: str) -> list[object]:
    text = f"claim_id,name,value,unit,reference,origin\n{line}\n"
    document = Document("data/raw/wechat-2022/claim_inputs.csv", text.encode(), dt.date(2022, 3, 14))
    return [one.row for one in wechat_2022.parse(document)]


def test_an_input_is_a_figure_with_a_source_or_a_reference():
    assert parsed("w05,x,3,GB,,Part 4") == [ClaimOperand(claim_id="w05", name="x", value=3.0, unit="GB", origin="Part 4")]


def test_an_input_that_is_no_number_names_file_and_line():
    with pytest.raises(UnparsableError, match=r"claim_inputs.csv line 2: value = 'three' is not a number"):
        parsed("w05,x,three,GB,,Part 4")
