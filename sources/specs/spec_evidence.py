"""Specification values of many publishers, each with its address, and the outcome of a cross-check with one database."""

from pipeline.schema.spec_statements import SpecDatabaseCheck, SpecPublisher, SpecValue
from sources import Source, by_file_name, rows_of

SOURCE = Source(
    source_id="spec-evidence",
    title="Specification values by publisher",
    kind="specs",
    yields=(SpecPublisher, SpecValue, SpecDatabaseCheck),
    attribution="The publishers that table spec_publisher names, each with its licence",
    licence="by publisher, see table spec_publisher",
)

parse = by_file_name(
    {
        "publishers.csv": rows_of(SpecPublisher),
        "spec_values.csv": rows_of(SpecValue, factor=1.0),
        "database_check.csv": rows_of(SpecDatabaseCheck),
    }
)
