"""Rows that the arithmetic of statements reads from the database, and the entry point that computes its tables."""

import duckdb

from pipeline.claims import outputs
from pipeline.schema.core import Record
from pipeline.warehouse.sql_models import tables_of

OPERANDS = """
    SELECT o.claim_id, o.name, coalesce(o.value, v.value), o.unit, o.reference, o.origin,
        o.reference IS NULL OR v.reference IS NOT NULL, s.path, o.locator
    FROM _claim_operand AS o
    JOIN snapshot AS s USING (snapshot_id)
    LEFT JOIN _claim_value AS v USING (reference)
    ORDER BY o.claim_id, o.name
"""
FORMULAS = """
    SELECT f.claim_id, f.part, f.label, f.formula, s.path, f.locator
    FROM _claim_formula AS f
    JOIN snapshot AS s USING (snapshot_id)
    ORDER BY f.claim_id, f.part
"""
READS = {"claim_input": tables_of(OPERANDS), "claim_part": tables_of(FORMULAS, OPERANDS)}


def every_table(con: duckdb.DuckDBPyConnection) -> dict[str, list[Record]]:
    """Compute the rows of the inputs and of the parts of statements, by table name."""
    operands = [outputs.Operand(*row) for row in con.execute(OPERANDS).fetchall()]
    formulas = [outputs.Formula(*row) for row in con.execute(FORMULAS).fetchall()]
    return {"claim_input": list(outputs.claim_inputs(operands)), "claim_part": list(outputs.claim_parts(formulas, operands))}
