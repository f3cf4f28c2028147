"""Connections to DuckDB files: one thread unless asked, no extensions from the network, one database as the default."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb

from pipeline.schema.checks import quoted
from pipeline.warehouse.sql_models import macros

# one thread, so that sums of floating-point numbers are the same in every build
CONFIG: dict[str, str | bool | int | float | list[str]] = {
    "threads": 1, "autoinstall_known_extensions": False, "autoload_known_extensions": False,
}  # fmt: skip
# failures of the disk or of memory; DuckDB reports a full disk by the first that applies to where it was noticed
SYSTEM_ERRORS = (
    OSError, MemoryError, duckdb.IOException, duckdb.OutOfMemoryException, duckdb.TransactionException, duckdb.FatalException,
)  # fmt: skip
QUERY_INTERRUPTED = "Query interrupted"  # text of the RuntimeError into which DuckDB turns Ctrl-C
# what DuckDB may use while it writes a database; it spills the rest to a folder beside the file
WRITING_MEMORY = "1GB"
# a format that older clients and the browser's engine open
FILE_OPTIONS = "STORAGE_VERSION 'v1.2.0', BLOCK_SIZE 16384"


def connect_in_memory() -> duckdb.DuckDBPyConnection:
    """Open an empty database in memory. Starting and closing it takes about 20 ms."""
    return hide_progress(duckdb.connect(config=CONFIG))


def hide_progress(con: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    """Return the connection without DuckDB's progress bar, which worker processes print for queries of two seconds."""
    return con.execute("SET enable_progress_bar = false")


@contextmanager
def connect(path: Path, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the file at `path` as the default database, named `ledger`. Raises duckdb.Error if it is no database."""
    with connect_in_memory() as con:
        if not read_only:
            con.execute(f"SET memory_limit = '{WRITING_MEMORY}'; SET temp_directory = {quoted(str(_spill_folder(path)))}")
        con.execute(f"ATTACH {quoted(str(path))} AS ledger ({'READ_ONLY' if read_only else FILE_OPTIONS})")
        con.execute("USE ledger")
        yield con


def column_names(result: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the names of a result's columns; none for a statement without a result."""
    return [column[0] for column in result.description or ()]


def dictionaries(result: duckdb.DuckDBPyConnection) -> list[dict[str, Any]]:
    """Return the rows of a result by the names of its columns."""
    names = column_names(result)
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


@contextmanager
def all_threads(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Use every core in this block. Its statements must not add floating-point numbers; DuckDB keeps the order of rows."""
    con.execute("RESET threads")
    try:
        yield
    finally:
        con.execute(f"SET threads = {CONFIG['threads']}")


@contextmanager
def transaction(con: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Commit all statements of the block, or none if it raises."""
    con.begin()
    try:
        yield
    except BaseException:
        con.rollback()
        raise
    con.commit()


def create(path: Path) -> None:
    """Create an empty working database with the functions of `macros/`, in place of an earlier one."""
    for file in (path, path.with_name(path.name + ".wal")):
        file.unlink(missing_ok=True)
    shutil.rmtree(_spill_folder(path), ignore_errors=True)  # of a build that was killed
    path.parent.mkdir(parents=True, exist_ok=True)
    with connect(path) as con, transaction(con):
        define_macros(con)


def _spill_folder(path: Path) -> Path:
    return path.with_name(path.name + ".spill")


def define_macros(con: duckdb.DuckDBPyConnection, *, tables: bool = False) -> None:
    """Define the functions of `macros/`. Those that read tables need `tables`, since DuckDB looks the tables up at once."""
    for macro in macros().values():
        if tables or macro.kind == "MACRO":
            con.execute(macro.ddl())
            con.execute(f"COMMENT ON {macro.kind} {macro.name} IS {quoted(macro.comment())}")
