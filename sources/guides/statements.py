"""Statements of the guides and the arithmetic that decides them: files of the same form in every guide's folder."""

from collections.abc import Callable, Iterator

from pipeline.schema import Record
from pipeline.schema.claims import ClaimFormula, ClaimOperand
from pipeline.schema.guides import GuideStatement
from sources import Accepted, Document
from sources.document import rows_of

RECORDS: tuple[type[Record], ...] = (GuideStatement, ClaimFormula, ClaimOperand)
PARSERS: dict[str, Callable[[Document], Iterator[Accepted]]] = {
    "statements.csv": rows_of(GuideStatement),
    "claim_parts.csv": rows_of(ClaimFormula),
    "claim_inputs.csv": rows_of(ClaimOperand),
}
