"""Every table that a source feeds, declared once. Tables that SQL computes are declared in `pipeline/metrics/`."""

from pipeline.schema import guides, prices, provenance, rates, specs, throughput
from pipeline.schema.core import Col, Column, Record, Table, record, tables_in

RECORDS: dict[str, type[Record]] = tables_in(provenance, specs, rates, prices, guides, throughput)

__all__ = ["RECORDS", "Col", "Column", "Record", "Table", "record"]
