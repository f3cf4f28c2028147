"""The resource that every asset uses: the folders of a build, the lock on them, and one connection to the working database."""

import datetime as dt
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import dagster as dg
import duckdb
import httpx
from pydantic import Field, PrivateAttr

from pipeline import build_lock, paths
from pipeline.errors import BuildError, OptionError, suggest
from pipeline.fetch.client import Web
from pipeline.release import gate
from pipeline.tables import build_tables
from pipeline.warehouse import connection
from pipeline.warehouse.build_records import BuildRecords
from pipeline.warehouse.workspace import Workspace

# in the message of an IO error: the file is no database, is incomplete, or has the format of another version of DuckDB
DAMAGES = ("not a valid DuckDB database file", "storage version number", "Could not read enough bytes", "replaying WAL")

EVERY_ASSET = "__ASSET_JOB"  # Dagster's name of the job that runs a selection of assets


class BuildResource(dg.ConfigurableResource["BuildResource"]):
    """Folders and options of a run. One run at a time works in a build folder; others wait for it.

    `fetch` downloads new bytes where a snapshot is materialized; without it the stored ones are verified.
    `ingest` reads the inbox where `accepted_uploads` is materialized.
    `accept_terms` names sources that are fetched although their terms forbid automated access. `as_of` is an ISO date.
    `accept_loss` names sources that may lose rows or snapshots.
    """

    data: str = str(paths.DATA)
    out: str = str(paths.BUILD)
    as_of: str = ""
    fetch: bool = False
    ingest: bool = False
    accept_terms: list[str] = Field(default_factory=list)
    accept_loss: list[str] = Field(default_factory=list)
    _workspace: Workspace = PrivateAttr()
    _connection: duckdb.DuckDBPyConnection = PrivateAttr()
    _web: Web | None = PrivateAttr(default=None)
    _problem: Exception | None = PrivateAttr(default=None)
    _run: tuple[dg.DagsterInstance, str] | None = PrivateAttr(default=None)

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator["BuildResource"]:
        """Open the build folder. What prevents it fails each step, because Dagster shows no line of its own for a resource."""
        _refuse_empty_selection(context)
        with ExitStack() as opened:
            try:
                self._open(context, opened)
            except (BuildError, *connection.SYSTEM_ERRORS) as error:
                self._problem = error
            yield self

    def _open(self, context: dg.InitResourceContext, opened: ExitStack) -> None:
        self._problem, self._web = None, None
        self._run = (context.instance, context.run.run_id) if context.instance and context.run else None
        self._workspace = self.make_workspace()
        opened.enter_context(build_lock.hold(self._workspace.out, wait=lambda holder: _log_wait(context, holder)))
        self._connection = opened.enter_context(open_database(self._workspace))

    def make_workspace(self) -> Workspace:
        """Return the folders that the options name. Raises OptionError."""
        workspace = Workspace(Path(self.data), Path(self.out).resolve(), _parse_day(self.as_of), frozenset(self.accept_loss))
        names = gate.names(workspace) if workspace.accept_loss else frozenset()
        if unknown := workspace.accept_loss - names:
            near = suggest(min(unknown), names, "`gpuledger sources`")
            raise OptionError(f"--accept-loss {min(unknown)}: no such source; {near}")
        if workspace.as_of and workspace.as_of < (first := build_tables.first_day(workspace.data)):
            raise OptionError(f"--as-of {workspace.as_of}: no data are that old; choose {first} or a later day")
        return workspace

    @property
    def workspace(self) -> Workspace:
        """Folders of the run. Raises the problem of a build folder that could not be opened."""
        if self._problem:
            raise self._problem
        return self._workspace

    @property
    def records(self) -> BuildRecords:
        """Versions of materialized assets."""
        return BuildRecords(self._workspace.records)

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """Connection to the working database."""
        return self._connection

    def stop_if_canceled(self) -> None:
        """Raise DagsterExecutionInterruptedError if the run was canceled.

        Dagster interrupts a run once, by an exception. Python drops it where it meets a callback of the garbage collector.
        """
        if self._run and (run := self._run[0].get_run_by_id(self._run[1])) and run.status == dg.DagsterRunStatus.CANCELING:
            raise dg.DagsterExecutionInterruptedError

    @property
    def web(self) -> Web:
        """Connections that all fetches of the run share, because requests to one host are limited together."""
        self._web = self._web or Web(http=httpx.Client())
        return self._web


@contextmanager
def open_database(workspace: Workspace) -> Iterator[duckdb.DuckDBPyConnection]:
    """Open the working database, a new one where there is none or where the file is damaged.

    A new database is empty, so the records of tables are deleted with the old one.
    Raises BuildError where the file is whole but cannot be opened, as while another program holds it.
    """
    if not _is_readable(workspace.database):
        BuildRecords(workspace.records).delete_tables()
        connection.create(workspace.database)
    with connection.connect(workspace.database) as con:
        with connection.transaction(con):  # else each of a hundred statements waits for the disk
            connection.define_macros(con)
        yield con


def _is_readable(database: Path) -> bool:
    if not database.exists():
        return False
    try:
        with connection.connect(database) as con:
            con.execute("SELECT count(*) FROM duckdb_tables()").fetchall()
    except duckdb.IOException as error:
        if not any(damage in str(error) for damage in DAMAGES):
            raise _describe_refusal(database, str(error)) from None
        return False
    except duckdb.OutOfMemoryException:
        raise
    except duckdb.Error:
        return False
    return True


def _describe_refusal(database: Path, message: str) -> BuildError:
    """Return why DuckDB does not open a file, and which process holds it, from DuckDB's message."""
    cause = message.splitlines()[0].partition(f'"{database}": ')[2].partition(". See also")[0] or message.splitlines()[0]
    step = "end that program" if "Conflicting lock" in cause else "free space or correct the permissions"
    return BuildError(f"{database}: {cause}; {step}, then run `gpuledger build` again")


def _parse_day(text: str) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text) if text else None
    except ValueError:
        raise OptionError(f"--as-of {text!r} is not a date; write it like 2026-11-20") from None


def _refuse_empty_selection(context: dg.InitResourceContext) -> None:
    """Raise DagsterInvalidSubsetError for a selection that matches nothing, which Dagster's command line takes for all assets."""
    if context.run and context.run.job_name == EVERY_ASSET and not context.run.asset_selection:
        raise dg.DagsterInvalidSubsetError(
            "the selection matches no asset; list them with `dagster asset list -m pipeline.definitions`"
        )


def _log_wait(context: dg.InitResourceContext, holder: str) -> None:
    if context.log:
        context.log.info(f"Waiting for process {holder}, which works in the same build folder.")
