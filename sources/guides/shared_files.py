"""Files of the same form in every guide's folder: figures, rules, statements and the arithmetic that decides them."""

from functools import partial

from pipeline.schema import Record
from pipeline.schema.claims import ClaimFormula, ClaimOperand
from pipeline.schema.guides import GuideRule, GuideStatement, PublishedFigure
from sources.document import Parse, rows_of
from sources.guides.figures import figures

RECORDS: tuple[type[Record], ...] = (PublishedFigure, GuideRule, GuideStatement, ClaimFormula, ClaimOperand)


def parsers(source_id: str) -> dict[str, Parse]:
    """Return the parsers of these files by name."""
    return {
        "figures.csv": partial(figures, source_id=source_id),
        "rules.csv": rows_of(GuideRule),
        "statements.csv": rows_of(GuideStatement),
        "claim_parts.csv": rows_of(ClaimFormula),
        "claim_inputs.csv": rows_of(ClaimOperand),
    }
