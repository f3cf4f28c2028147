"""Tables of the arithmetic behind statements of the guides: values, formulas and their results."""

from typing import Annotated

from pipeline.schema.core import Col, Record, record
from pipeline.schema.provenance import Sourced

CLAIM = "Statement in guide_claim"
PART = "Number of the part"
LABEL = "What the part compares"
FORMULA = "Comparison over the names in claim_input; about(a, b) allows 10%, rounded(a, n) rounds half up"


@record("_claim_operand", title="Inputs of the arithmetic of statements", group="guides", key=("claim_id", "name"))
class ClaimOperand(Sourced):
    """One row per name that a formula uses: a figure with its source, or a reference to a value of another table."""

    claim_id: Annotated[str, Col(CLAIM)]
    name: Annotated[str, Col("Name in the formula")]
    value: Annotated[float | None, Col("A figure", check="(value IS NULL) <> (reference IS NULL)")] = None
    unit: Annotated[str | None, Col("Unit")] = None
    reference: Annotated[str | None, Col("A value of another table, as _claim_value names it")] = None
    origin: Annotated[
        str | None, Col("Place in the guide, or address of another source", check="value IS NULL OR origin IS NOT NULL")
    ] = None


@record("_claim_formula", title="Formulas of the arithmetic of statements", group="guides", key=("claim_id", "part"))
class ClaimFormula(Sourced):
    """One row per part of a statement: the comparison that decides it."""

    claim_id: Annotated[str, Col(CLAIM)]
    part: Annotated[int, Col(PART, above=0)]
    label: Annotated[str, Col(LABEL)]
    formula: Annotated[str, Col(FORMULA)]


@record("claim_part", title="Parts of the statements, computed", group="audit", key=("claim_id", "part"))
class ClaimPart(Record):
    """One row per part of a statement that a formula decides: the formula, the same with its numbers, and the result."""

    claim_id: Annotated[str, Col(CLAIM)]
    part: Annotated[int, Col(PART)]
    label: Annotated[str, Col(LABEL)]
    formula: Annotated[str, Col(FORMULA)]
    arithmetic: Annotated[str, Col("The formula with the numbers put in")]
    holds: Annotated[bool | None, Col("Whether the part is true; empty = an input is not known")]
