"""Specification values of many publishers, each with its address, and the outcome of a cross-check with one database."""

from collections.abc import Iterator

from pipeline.schema.spec_statements import SpecDatabaseCheck, SpecPublisher, SpecValue
from sources import Accepted, Document, Rejected, Source

SOURCE = Source(
    source_id="spec-evidence",
    title="Specification values by publisher",
    kind="specs",
    yields=(SpecPublisher, SpecValue, SpecDatabaseCheck),
    attribution="The publishers that table spec_publisher names, each with its licence",
    licence="by publisher, see table spec_publisher",
    stale_after_days=None,
)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield publishers, statements or outcomes of the cross-check, by file name."""
    files = {
        "publishers.csv": lambda: document.records(SpecPublisher),
        "spec_values.csv": lambda: document.records(SpecValue, factor=1.0),
        "database_check.csv": lambda: document.records(SpecDatabaseCheck),
    }
    yield from document.parser_of(files)()
