"""Results of the formulas of statements: what they read from the database, and the rows of their table."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import duckdb

from pipeline.claims.formula import FormulaError, Values, evaluate
from pipeline.errors import seal_hint
from pipeline.schema.claims import ClaimPart
from pipeline.warehouse.connection import dictionaries
from pipeline.warehouse.sql_models import tables_of

VALUES = "SELECT claim_id, name, value FROM claim_input"
UNKNOWN = """
    SELECT s.path, o.locator, o.reference
    FROM _claim_operand AS o JOIN snapshot AS s USING (snapshot_id) ANTI JOIN _claim_value AS v USING (reference)
    WHERE o.reference IS NOT NULL ORDER BY ALL
"""
FORMULAS = """
    SELECT f.claim_id, f.part, f.label, f.formula, s.path, f.locator
    FROM _claim_formula AS f JOIN snapshot AS s USING (snapshot_id) ORDER BY f.claim_id, f.part
"""
READS = {"claim_part": tables_of(VALUES, UNKNOWN, FORMULAS)}


def every_table(con: duckdb.DuckDBPyConnection) -> dict[str, list[ClaimPart]]:
    """Compute the rows of the parts of statements. Raises FormulaError with file and line, also for a reference to no value."""
    for row in dictionaries(con.execute(UNKNOWN)):
        raise _error(row, f"no table has the value {row['reference']!r}")
    values: dict[str, dict[str, float | None]] = defaultdict(dict)
    for claim_id, name, value in con.execute(VALUES).fetchall():
        values[claim_id][name] = value
    return {"claim_part": [claim_part(row, values[row["claim_id"]]) for row in dictionaries(con.execute(FORMULAS))]}


def claim_part(row: Mapping[str, Any], values: Values) -> ClaimPart:
    """Return a part with its result. Raises FormulaError with file and line for a formula that cannot be evaluated."""
    try:
        found = evaluate(row["formula"], values)
    except FormulaError as error:
        raise _error(row, str(error)) from None
    part = {name: row[name] for name in ("claim_id", "part", "label", "formula")}
    return ClaimPart(**part, arithmetic=f"{row['label']}: {found.shown}", holds=found.holds)


def _error(row: Mapping[str, Any], problem: str) -> FormulaError:
    return FormulaError(f"{row['path']} {row['locator']}: {problem}{seal_hint(row['path'])}")
