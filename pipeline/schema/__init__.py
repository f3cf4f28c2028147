"""Declarations of the tables that sources, uploads or the performance model feed.

Tables computed by SQL are declared in `pipeline/metrics/`.
"""

from pipeline.schema import (
    benchmarks,
    catalog,
    claims,
    guides,
    llm,
    llm_speed,
    performance,
    prices,
    provenance,
    rates,
    spec_statements,
    specs,
    throughput,
)
from pipeline.schema.core import Col, Column, Record, Table, record, tables_in

RECORDS: dict[str, type[Record]] = tables_in(
    provenance, specs, spec_statements, rates, prices, catalog, guides, claims, throughput, benchmarks, performance, llm, llm_speed
)

__all__ = ["RECORDS", "Col", "Column", "Record", "Table", "record"]
