"""The command `query`: read-only SQL on the published database."""

from typing import Annotated

import duckdb
import typer

from pipeline.cli.output import DatabaseOption, FormatOption, fail, open_database, write_rows
from pipeline.warehouse.connection import column_names

EXAMPLE = '"SELECT name FROM gpu"'


def query(
    sql: Annotated[str, typer.Argument(metavar="SQL", help="One statement in DuckDB's SQL.")],
    form: FormatOption = "table",
    db: DatabaseOption = None,
) -> None:
    """Run SQL on the published file, read-only.

    Example: gpuledger query "SELECT name, memory_gb FROM gpu ORDER BY memory_gb DESC LIMIT 5"
    """
    if any("\ud800" <= sign <= "\udfff" for sign in sql):  # bytes that Python could not read
        fail(f"the statement is not UTF-8; try: gpuledger query {EXAMPLE}")
    with open_database(db) as con:
        try:
            statements = con.extract_statements(sql)
            if len(statements) != 1:
                problem = f"these are {len(statements)} statements; run one at a time" if statements else "the statement is empty"
                fail(f"{problem}; try: gpuledger query {EXAMPLE}")
            result = con.execute(statements[0])
            write_rows(column_names(result), result.fetchall(), form)
        except duckdb.Error as error:
            fail(f'{str(error).strip()}\nTables and columns: gpuledger query "DESCRIBE"')
