"""The command `sources`: terms, age and row counts of each source."""

from pipeline.cli.output import DatabaseOption, Format, FormatOption, column_names, open_database, write_rows

_SOURCES = """
    SELECT source_id, kind, automated_access AS access, licence, last_snapshot_at::DATE AS last_snapshot,
        age_days, rows, rejects, stale, origins AS origin, extents AS extent
    FROM source JOIN source_health USING (source_id) JOIN source_summary USING (source_id) ORDER BY kind, source_id
"""


def sources(form: FormatOption = Format.table, db: DatabaseOption = None) -> None:
    """Each source: its kind and terms, the age of its newest snapshot, and its numbers of rows and rejects.

    Example: gpuledger sources --format csv
    """
    with open_database(db) as con:
        result = con.execute(_SOURCES)
        write_rows(column_names(result), result.fetchall(), form)
