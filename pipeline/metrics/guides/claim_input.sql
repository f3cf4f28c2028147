-- title: Inputs of the statements' arithmetic
-- description: One row per value that a formula of claim_part uses, from the guide, from another source, or from a table of this dataset.
-- group: audit
-- column: claim_id | | Statement in guide_claim
-- column: name | | Name in the formula
-- column: value | see unit | The value; empty = not known
-- column: unit | | Unit; empty for a ratio or a count
-- column: reference | | Table, row and column of the value, if it is one of this dataset
-- column: origin | | Place in the guide or address of another source, if it is not
-- unique: claim_id, name
SELECT o.claim_id, o.name, coalesce(o.value, v.value) AS value, o.unit, o.reference, o.origin
FROM _claim_operand AS o
LEFT JOIN _claim_value AS v USING (reference)
