"""Reader of `spec_values.csv`, the file in which every source of specifications states its values."""

from collections.abc import Iterator

from pipeline.schema.spec_statements import SpecValue
from sources import Accepted, Document


def read_statements(document: Document, publisher_id: str) -> Iterator[Accepted]:
    """Yield the statements of a source that is its own publisher and states numbers only."""
    yield from document.records(SpecValue, publisher_id=publisher_id, value_text=None, address=None)
