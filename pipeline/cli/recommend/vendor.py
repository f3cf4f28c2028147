"""The option `--vendor` of `recommend`."""

import duckdb

from pipeline.cli.output import fail
from pipeline.errors import suggest
from pipeline.recommend import workload as rules


def check_vendor(con: duckdb.DuckDBPyConnection, vendor: str | None) -> None:
    """End the command unless the vendor makes a GPU of the data."""
    if vendor and vendor.lower() not in map(str.lower, vendors := rules.vendors(con)):
        fail(f"no vendor {vendor!r}; {suggest(vendor, vendors)}")
