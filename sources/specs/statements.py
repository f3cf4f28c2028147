"""Reader of `spec_values.csv`, the file in which every source of specifications states its values."""

from pipeline.schema.spec_statements import SpecValue
from sources.document import Parse, rows_of


def statements_of(publisher_id: str) -> Parse:
    """Return the parser of a source that is its own publisher and states numbers only."""
    return rows_of(SpecValue, publisher_id=publisher_id, value_text=None, address=None)
