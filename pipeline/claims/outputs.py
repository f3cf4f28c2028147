"""Records of the arithmetic of statements: the value of each input, and the result of each formula."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pipeline.claims.formula import FormulaError, evaluate
from pipeline.errors import seal_hint
from pipeline.schema.claims import ClaimInput, ClaimPart


class Operand(NamedTuple):
    """A named value of a claim, with its place in a stored file; `is_found` is false for a reference to nothing."""

    claim_id: str
    name: str
    value: float | None
    unit: str | None
    reference: str | None
    origin: str | None
    is_found: bool
    path: str
    locator: str


class Formula(NamedTuple):
    """A part of a claim, with its place in a stored file."""

    claim_id: str
    part: int
    label: str
    formula: str
    path: str
    locator: str


def claim_inputs(operands: Sequence[Operand]) -> Iterator[ClaimInput]:
    """Yield the inputs with their values. Raises FormulaError with file and line for a reference that names no value."""
    for one in operands:
        if not one.is_found:
            raise FormulaError(f"{one.path} {one.locator}: no table has the value {one.reference!r}{seal_hint(one.path)}")
        yield ClaimInput(
            claim_id=one.claim_id, name=one.name, value=one.value, unit=one.unit, reference=one.reference, origin=one.origin
        )


def claim_parts(formulas: Sequence[Formula], operands: Sequence[Operand]) -> Iterator[ClaimPart]:
    """Yield the parts with their results. Raises FormulaError with file and line for a formula that cannot be evaluated."""
    values: dict[str, dict[str, float | None]] = {}
    for one in operands:
        values.setdefault(one.claim_id, {})[one.name] = one.value
    for formula in formulas:
        try:
            found = evaluate(formula.formula, values.get(formula.claim_id, {}))
        except FormulaError as error:
            raise FormulaError(f"{formula.path} {formula.locator}: {error}{seal_hint(formula.path)}") from None
        yield ClaimPart(
            claim_id=formula.claim_id,
            part=formula.part,
            label=formula.label,
            formula=formula.formula,
            arithmetic=f"{formula.label}: {found.shown}",
            holds=found.holds,
        )
