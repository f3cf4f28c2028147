"""The command `sources`: terms, age and row counts of each source, and the prices on which sources differ."""

from typing import Annotated

import typer

from pipeline.cli.output import DatabaseOption, FormatOption, open_database, write_rows
from pipeline.warehouse.connection import column_names

_SOURCES = """
    SELECT source_id, kind, automated_access AS access, licence, last_snapshot_at::DATE AS last_snapshot,
        coalesce(published_at, last_snapshot_at)::DATE AS data_date, age_days, rows, rejects, stale, origins AS origin, extents AS extent, count(c.provider) AS conflicts
    FROM source
    JOIN source_health USING (source_id)
    JOIN source_summary USING (source_id)
    LEFT JOIN price_conflict AS c ON source_id IN (c.source_a, c.source_b)
    GROUP BY ALL
    ORDER BY kind, source_id
"""
_CONFLICTS = """
    SELECT provider, gpu_model_id, gpu_id, billing, commitment, first_day, last_day, ongoing, source_a, observed_at_a,
        usd_per_gpu_hour_min_a, usd_per_gpu_hour_max_a, source_b, observed_at_b, usd_per_gpu_hour_min_b, usd_per_gpu_hour_max_b,
        preferred
    FROM price_conflict ORDER BY ALL
"""


def sources(
    form: FormatOption = "table",
    db: DatabaseOption = None,
    conflicts: Annotated[
        bool, typer.Option("--conflicts", help="List the prices on which sources differed by more than 10% in the last 60 days.")
    ] = False,
) -> None:
    """List the sources with their terms, age and rows.

    Columns: kind and terms of each source, age of its newest snapshot, numbers of rows, rejects and conflicts. Conflicts are those of the last 60 days.

    Example: gpuledger sources --format csv
    """
    with open_database(db) as con:
        result = con.execute(_CONFLICTS if conflicts else _SOURCES)
        write_rows(column_names(result), result.fetchall(), form)
