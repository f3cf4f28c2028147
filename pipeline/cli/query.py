"""The command `query`: read-only SQL on the published database."""

from typing import Annotated

import duckdb
import typer

from pipeline.cli.output import DatabaseOption, Format, FormatOption, column_names, fail, open_database, write_rows


def query(
    sql: Annotated[str, typer.Argument(metavar="SQL")], form: FormatOption = Format.table, db: DatabaseOption = None
) -> None:
    """Run SQL on the published file, read-only.

    Example: gpuledger query "SELECT name, memory_gb FROM gpu ORDER BY memory_gb DESC LIMIT 5"
    """
    with open_database(db) as con:
        try:
            result = con.execute(sql)
            if result is None or not result.description:
                fail("the statement returns no rows; try: SELECT name FROM gpu")
            write_rows(column_names(result), result.fetchall(), form)
        except duckdb.Error as error:
            fail(f'{type(error).__name__}: {str(error).strip()}\nTables and columns: gpuledger query "DESCRIBE"')
