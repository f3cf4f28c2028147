"""The SQL files of this folder, read as metrics are: a header and one SELECT. Running them belongs in `normalize` and `load`.

`constants.sql` defines the functions that the others call. A file `<table>_table.sql` selects the rows of that table from
`parsed_<table>`, the parsed rows of all snapshots; tables without such a file are loaded as parsed.
"""

import functools
from pathlib import Path

from pipeline.warehouse.sql_models import SqlFile, read_sql_file, tables_of

FOLDER = Path(__file__).parent
HEADER_KEYS = {"title", "description"}


@functools.cache
def sql_files() -> dict[str, SqlFile]:
    """Return every SQL file of this folder by name, without the suffix; read once."""
    return {path.stem: read_sql_file(path, HEADER_KEYS) for path in sorted(FOLDER.glob("*.sql"))}


def query(name: str) -> str:
    """Return the SQL of a file by its name."""
    return sql_files()[name].body


def table_query(table: str) -> str:
    """Return the SELECT of a table's rows from the relation `parsed_<table>`."""
    file = sql_files().get(f"{table}_table")
    return file.body if file else f"FROM parsed_{table}"


@functools.cache
def tables_read(table: str) -> set[str]:
    """Return the tables that the SELECT of a table's rows reads besides its parsed rows."""
    return set(tables_of(table_query(table))) - {f"parsed_{table}"} if f"{table}_table" in sql_files() else set()
