"""Formulas of statements: comparisons of arithmetic over named values. Loading and tables belong in the other modules."""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from pipeline.errors import BuildError

ABOUT = 0.1  # relative difference that `about` allows, as everywhere in the audit
Values = Mapping[str, float | None]


class FormulaError(BuildError):
    """A formula that cannot be evaluated; the message says why."""


@dataclass(frozen=True, slots=True)
class Result:
    """Truth of a formula (None = an input is not known), and the formula with its numbers."""

    holds: bool | None
    shown: str


def is_about(one: float, other: float) -> bool:
    """Tell whether `one` is within 10% of `other`."""
    return abs(one - other) <= ABOUT * abs(other)


def round_half_up(x: float, decimals: float) -> float:
    """Round half up to a number of decimals."""
    return float(Decimal(repr(x)).quantize(Decimal(1).scaleb(-int(decimals)), ROUND_HALF_UP))


_OPERATORS: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_FUNCTIONS: dict[str, Callable[..., float]] = {"min": min, "max": max, "ceil": math.ceil, "rounded": round_half_up}
_COMPARISONS: dict[type[ast.cmpop], tuple[Callable[[float, float], bool], str]] = {
    ast.Lt: (operator.lt, "less than"),
    ast.LtE: (operator.le, "at most"),
    ast.Gt: (operator.gt, "more than"),
    ast.GtE: (operator.ge, "at least"),
    ast.Eq: (math.isclose, "equal to"),
}
_ANSWERS = {True: "yes", False: "no", None: "not known"}


def evaluate(formula: str, values: Values) -> Result:
    """Evaluate comparisons joined by `and`. Raises FormulaError for anything else, and for a division by a missing value."""
    try:
        tree = ast.parse(formula, mode="eval").body
    except SyntaxError as error:
        raise FormulaError(f"the formula {formula!r} cannot be read: {error.msg}") from None
    parts = tree.values if isinstance(tree, ast.BoolOp) and isinstance(tree.op, ast.And) else [tree]
    results = [_compare(part, values) for part in parts]
    known = [one.holds for one in results]
    holds = False if False in known else None if None in known else True
    return Result(holds, "; ".join(one.shown for one in results))


def _compare(node: ast.expr, values: Values) -> Result:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            test, word = _COMPARISONS[type(op)]
        case ast.Call(func=ast.Name(id="about"), args=[left, right]):
            test, word = is_about, "about"
        case _:
            raise FormulaError(f"{ast.unparse(node)!r} does not compare two sides")
    one, other = _number(left, values), _number(right, values)
    holds = None if one is None or other is None else test(one, other)
    return Result(holds, f"{_show(left, one, values)} ({word} {_show(right, other, values)}: {_ANSWERS[holds]})")


def _number(node: ast.expr, values: Values) -> float | None:
    """Value of a side; None where an input is not known."""
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            if name not in values:
                raise FormulaError(f"{name} is not an input of the claim")
            return values[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _apply(operator.neg, [_number(operand, values)])
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            sides = [_number(left, values), _number(right, values)]
            if isinstance(op, ast.Div) and not sides[1]:
                problem = "missing" if sides[1] is None else "0"
                raise FormulaError(f"the formula divides by {ast.unparse(right)}, which is {problem}")
            return _apply(_OPERATORS[type(op)], sides)
        case ast.Call(func=ast.Name(id=name), args=args) if name in _FUNCTIONS:
            return _apply(_FUNCTIONS[name], [_number(one, values) for one in args])
        case _:
            raise FormulaError(f"{ast.unparse(node)!r} is not allowed in a formula")


def _apply(function: Callable[..., float], arguments: list[float | None]) -> float | None:
    return None if None in arguments else float(function(*arguments))


def _show(node: ast.expr, value: float | None, values: Values) -> str:
    """Return a side with its numbers put in, and its value if it is more than a number."""
    if isinstance(node, ast.Constant | ast.Name):
        return _text(value)
    return f"{ast.unparse(_PutIn(values).visit(node))} = {_text(value)}"


class _PutIn(ast.NodeTransformer):
    """Replace names by their values."""

    def __init__(self, values: Values) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.Name:
        return ast.Name(id=_text(self.values[node.id])) if node.id in self.values else node


def _text(value: float | None) -> str:
    return "not known" if value is None else f"{value:.6g}"
