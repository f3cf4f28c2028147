"""Engines that run the SQL: DuckDB in this process, or Spark over Spark Connect, with Parquet in folders that it sees too."""

import os
import socket
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import duckdb

from pipeline.errors import BuildError
from pipeline.schema.checks import quoted
from pipeline.warehouse.connection import connect_in_memory

MEMORY_GB = 1.0  # of DuckDB; it spills the rest to the disk


class AggregateError(BuildError):
    """Observations or an engine that cannot be used; the message says what to do."""


class DuckDB:
    """DuckDB in this process. `con` is an empty database in memory."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self.con = con

    def read(self, name: str, files: Sequence[Path]) -> None:
        """Define a view of Parquet files, which have the same columns."""
        names = ", ".join(quoted(str(file)) for file in files)
        self.define(name, f"SELECT * FROM read_parquet([{names}], hive_partitioning = false)")

    def define(self, name: str, sql: str) -> None:
        """Define a view of a SELECT."""
        self.con.execute(f"CREATE OR REPLACE TEMP VIEW {name} AS {sql}")

    def columns(self, name: str) -> list[str]:
        """Return the columns of a view."""
        return [row[0] for row in self.rows(f"DESCRIBE {name}")]

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a SELECT."""
        return self.con.execute(sql).fetchall()

    def write(self, sql: str, folder: Path) -> None:
        """Write the rows of a SELECT as one Parquet file into an empty folder."""
        self.con.execute(f"COPY ({sql}) TO {quoted(str(folder / 'rows.parquet'))} (FORMAT parquet)")


class Spark:
    """The same in a Spark session, which may be far away: only Spark Connect and Parquet are between this process and it."""

    def __init__(self, session: Any) -> None:
        self.session = session

    def read(self, name: str, files: Sequence[Path]) -> None:
        self.session.read.parquet(*(str(file) for file in files)).createOrReplaceTempView(name)

    def define(self, name: str, sql: str) -> None:
        self.session.sql(sql).createOrReplaceTempView(name)

    def columns(self, name: str) -> list[str]:
        return list(self.session.table(name).columns)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return [tuple(row) for row in self.session.sql(sql).collect()]

    def write(self, sql: str, folder: Path) -> None:
        self.session.sql(sql).coalesce(1).write.mode("overwrite").parquet(str(folder))


Engine = DuckDB | Spark


def start(remote: str, spill: Path, memory_gb: float = MEMORY_GB) -> AbstractContextManager[Engine]:
    """Start DuckDB with this memory, in 10^9 bytes, or a session of Spark where its address is given."""
    return _spark(remote) if remote else _duckdb(spill, memory_gb)


@contextmanager
def _duckdb(spill: Path, memory_gb: float) -> Iterator[Engine]:
    """Start DuckDB on all cores; what does not fit into its memory goes to the folder `spill`. Raises AggregateError."""
    limits = {"memory_limit": f"{memory_gb}GB", "temp_directory": str(spill), "threads": str(os.cpu_count())}
    with connect_in_memory() as con:
        con.execute("; ".join(f"SET {name} = {quoted(value)}" for name, value in limits.items()))
        try:
            yield DuckDB(con)
        except duckdb.OutOfMemoryException as error:
            raise AggregateError(f"DuckDB: {_first_line(error)}; give it more than --memory-gb {memory_gb:g}") from error
        except duckdb.Error as error:
            raise AggregateError(f"DuckDB: {_first_line(error)}; look at the Parquet files it names, then try again") from error


@contextmanager
def _spark(remote: str) -> Iterator[Engine]:
    """Open a session of the Spark Connect server at `remote`, such as sc://localhost:15002. Raises AggregateError."""
    try:
        from pyspark.errors import PySparkException  # noqa: PLC0415
        from pyspark.sql import SparkSession  # noqa: PLC0415
    except ImportError as error:
        raise AggregateError("the engine spark needs a package: .venv/bin/pip install -e '.[spark]'") from error
    _expect_server(remote)
    try:
        session = SparkSession.builder.remote(remote).getOrCreate()
        yield Spark(session)
        session.stop()
    except PySparkException as error:
        raise AggregateError(
            f"Spark at {remote}: {_first_line(error)}; look at the log of that server, then try again"
        ) from error


def _expect_server(remote: str) -> None:
    """Raise AggregateError at once where nothing answers; the client of Spark would try for minutes."""
    address = urlsplit(remote)
    if address.scheme != "sc" or not address.hostname:
        raise AggregateError(f"{remote} is not the address of a Spark Connect server; for example: --remote sc://localhost:15002")
    try:
        socket.create_connection((address.hostname, address.port or 15002), timeout=10).close()
    except OSError as error:
        hint = "start a server there, for example: sail spark server --port 15002"
        raise AggregateError(f"no Spark Connect server at {remote} ({error.strerror or error}); {hint}") from error


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]
