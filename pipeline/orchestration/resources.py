"""The resource that every asset uses: the folders of a build, the lock on them, and one connection to the working database."""

import datetime as dt
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg
import duckdb
import httpx
from pydantic import Field, PrivateAttr

from pipeline import paths
from pipeline.fetch import lock
from pipeline.fetch.client import Web
from pipeline.warehouse import connection
from pipeline.warehouse.build_records import BuildRecords
from pipeline.warehouse.workspace import Workspace


class BuildResource(dg.ConfigurableResource["BuildResource"]):
    """Folders and options of a run. One run at a time works in a build folder; others wait for it.

    `fetch` downloads new bytes where a snapshot is materialized; without it the stored ones are verified.
    `accept_terms` names sources that are fetched although their terms forbid automated access. `as_of` is an ISO date.
    `accept_loss` names sources that may lose rows or snapshots.
    """

    data: str = str(paths.DATA)
    out: str = str(paths.BUILD)
    as_of: str = ""
    fetch: bool = False
    accept_terms: list[str] = Field(default_factory=list)
    accept_loss: list[str] = Field(default_factory=list)
    _workspace: Workspace = PrivateAttr()
    _connection: duckdb.DuckDBPyConnection = PrivateAttr()
    _web: Web | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator["BuildResource"]:
        self._workspace, self._web = self.make_workspace(), None
        waiting = lock.hold(self._workspace.out, wait=lambda holder: _log_wait(context, holder))
        with waiting, open_database(self._workspace) as self._connection:
            yield self

    def make_workspace(self) -> Workspace:
        """Return the folders that the options name."""
        day = dt.date.fromisoformat(self.as_of) if self.as_of else None
        return Workspace(Path(self.data), Path(self.out).resolve(), day, frozenset(self.accept_loss))

    @property
    def workspace(self) -> Workspace:
        """Folders of the run."""
        return self._workspace

    @property
    def records(self) -> BuildRecords:
        """Versions of materialized assets."""
        return BuildRecords(self._workspace.records)

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """Connection to the working database."""
        return self._connection

    @property
    def web(self) -> Web:
        """Connections that all fetches of the run share, because requests to one host are limited together."""
        self._web = self._web or Web(http=httpx.Client())
        return self._web


@contextmanager
def open_database(workspace: Workspace) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the working database, a new one where there is none or where the file is unreadable.

    A new database is empty, so the records of tables are deleted with the old one.
    """
    if not _is_readable(workspace.database):
        BuildRecords(workspace.records).delete_tables()
        connection.create(workspace.database)
    with connection.connect(workspace.database) as con:
        connection.define_macros(con)
        yield con


def _is_readable(database: Path) -> bool:
    if not database.exists():
        return False
    try:
        with connection.connect(database) as con:
            con.execute("SELECT count(*) FROM duckdb_tables()").fetchall()
    except duckdb.Error:
        return False
    return True


def _log_wait(context: dg.InitResourceContext, holder: str) -> None:
    if context.log:
        context.log.info(f"Waiting for process {holder}, which works in the same build folder.")
