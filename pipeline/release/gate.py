"""Gate of publication: a build that loses rows or snapshots, or contains a future date, is not published.

The comparison needs no local state: the committed expectations are the floor. Where there is a last release, its rows count
too, except those of a table or snapshot whose expectation a review has lowered since. Growth always passes.
"""

import datetime as dt
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import duckdb

from pipeline.errors import BuildError
from pipeline.fetch.snapshots import list_snapshots
from pipeline.release.expectations import NO_COUNTS, RowCounts, count_rows, read_expectations
from pipeline.release.publish import DATABASE, EXPECTATIONS, CheckFailedError
from pipeline.tables.build_tables import UPLOAD_TABLES
from pipeline.tables.lineage import feeds
from pipeline.warehouse import connection
from pipeline.warehouse.workspace import Workspace
from sources import discover

MAX_LOSS = 0.02  # share of a source's accepted rows, or of a table's rows, that a build may lose without consent
UPLOADS = "uploads"  # name in --accept-loss of the tables that accepted uploads feed
DATED = {"price": "observed_at", "exchange_rate": "date"}
Counts = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Baseline:
    """Rows that a build must not lose: committed counts, and those of the last release with the expectations of its build."""

    expected: RowCounts
    released: RowCounts
    reviewed: RowCounts

    @classmethod
    def of(cls, workspace: Workspace) -> "Baseline":
        """Read the expectations and, where there is one, the last release."""
        release = workspace.last_release
        expected = read_expectations(workspace.data / EXPECTATIONS)
        released, reviewed = _of_release(count_rows, release / DATABASE), _of_release(read_expectations, release / EXPECTATIONS)
        return cls(expected, released, reviewed)

    @property
    def tables(self) -> Counts:
        """Rows by table."""
        return _floor(self.expected.tables, self.released.tables, self.reviewed.tables)

    def snapshots(self, source_id: str) -> Counts:
        """Accepted rows of a source by path."""
        return _floor(*(one.snapshots.get(source_id, {}) for one in (self.expected, self.released, self.reviewed)))

    @property
    def source_ids(self) -> list[str]:
        """Sources with snapshots."""
        return sorted({*self.expected.snapshots, *self.released.snapshots})


def _of_release(read: Callable[[Path], RowCounts], file: Path) -> RowCounts:
    """Return counts of the last release; none where the file is missing or unreadable, because the expectations still apply."""
    try:
        return read(file) if file.exists() else NO_COUNTS
    except (duckdb.Error, BuildError):
        return NO_COUNTS


def _floor(expected: Counts, released: Counts, reviewed: Counts) -> Counts:
    """Return the larger of the committed count and that of the last release; the first where a review has lowered it since."""
    lowered = {name for name, rows in reviewed.items() if name not in expected or expected[name] < rows}
    kept = {name: rows for name, rows in released.items() if name not in lowered}
    return {name: max(expected.get(name, 0), kept.get(name, 0)) for name in {*expected, *kept}}


def _accepts_review(now: Counts, released: Counts, reviewed: Counts, names: Collection[str]) -> bool:
    """True if the counts of this build, committed as expectations, become the floor of all names: they lower reviewed ones."""
    return all(name not in released or (name in reviewed and now.get(name, -1) < reviewed[name]) for name in names)


def names(workspace: Workspace) -> set[str]:
    """Names that `accept_loss` may contain: present sources, those of earlier builds, and the uploads."""
    return {UPLOADS, *discover(), *Baseline.of(workspace).source_ids}


def refuse_losses(workspace: Workspace, database: Path) -> None:
    """Raise CheckFailedError, one line per loss or future date, unless the staged file contains all that it must."""
    now = count_rows(database)
    with connection.connect(database, read_only=True) as con:
        unreadable = dict(con.execute("SELECT path, problem FROM source_problem").fetchall())
        future = list(_future_dates(con, dt.datetime.now(dt.UTC).date()))
    if lines := [*_losses(workspace, now, unreadable), *future]:
        raise CheckFailedError("\n".join(lines))


def _losses(workspace: Workspace, now: RowCounts, unreadable: Mapping[str, str]) -> Iterator[str]:
    """Describe the loss of each source; then of each table that lost rows although none of its sources did, reviewed or not."""
    baseline, lossy = Baseline.of(workspace), set(workspace.accept_loss)
    for source_id in (one for one in baseline.source_ids if one not in workspace.accept_loss):
        before, after = baseline.snapshots(source_id), now.snapshots.get(source_id, {})
        released, reviewed = (one.snapshots.get(source_id, {}) for one in (baseline.released, baseline.reviewed))
        lost = _lost(before, after)
        lossy |= {source_id} if lost or _lost(released, after) else set()
        for path in lost.keys() & _accepted_shrinks(workspace, source_id):
            del lost[path]
        consent = _consent(source_id, by_review=_accepts_review(after, released, reviewed, lost))
        yield from _missing_snapshots(source_id, sorted(lost.keys() - after.keys()), unreadable, consent)
        yield from _lost_rows(source_id, before, {path: rows for path, rows in lost.items() if path in after}, consent)
    yield from _table_losses(baseline, now.tables, lossy)


def _lost(before: Counts, after: Counts) -> dict[str, int]:
    return {path: rows - after.get(path, 0) for path, rows in before.items() if path not in after or after[path] < rows}


def _missing_snapshots(source_id: str, missing: list[str], unreadable: Mapping[str, str], consent: str) -> Iterator[str]:
    if missing:
        problem = unreadable.get(missing[0], "the snapshot is missing")
        more = f" (and {len(missing) - 1} more of source {source_id})" if missing[1:] else ""
        yield f"{missing[0]}: {problem}{more}. Restore it; {consent}"


def _lost_rows(source_id: str, before: Counts, lost: Counts, consent: str) -> Iterator[str]:
    """Describe the loss of a source by the file that lost most, if it is above the limit."""
    total, rows = sum(lost.values()), sum(before.values())
    if _exceeds(total, rows):
        path = max(lost, key=lambda one: lost[one])
        share = f"source {source_id} loses {total / rows:.0%}, limit {MAX_LOSS:.0%}"
        counts = f"{before[path] - lost[path]} rows accepted where {before[path]} are expected"
        yield f"{path}: {counts} ({share}). Restore the rows; {consent}"


def _table_losses(baseline: Baseline, after: Counts, lossy: Collection[str]) -> Iterator[str]:
    for table, rows in sorted(baseline.tables.items()):
        feeding, lost = _feeding(table), rows - after.get(table, 0)
        if feeding and feeding.isdisjoint(lossy) and _exceeds(lost, rows):
            share = f"loses {lost / rows:.0%}, limit {MAX_LOSS:.0%}"
            counts = f"{after.get(table, 0)} rows where {rows} are expected"
            by_review = _accepts_review(after, baseline.released.tables, baseline.reviewed.tables, {table})
            yield f"table {table}: {counts} ({share}). Restore its data; {_consent(min(feeding), by_review=by_review)}"


def _consent(source_id: str, *, by_review: bool) -> str:
    """Say how to accept a loss. Row counts accept no loss of rows that were never among them, but in a release alone."""
    review = "run `make expected`, or " if by_review else ""
    return f"if the loss is meant, {review}add --accept-loss {source_id} to the command"


def _exceeds(lost: int, rows: int) -> bool:
    return lost > MAX_LOSS * rows


def _feeding(table: str) -> set[str]:
    """Return the names whose data fill a table. Computed tables have none, because they may shrink; so does `reject`."""
    if table in UPLOAD_TABLES:
        return {UPLOADS}
    return set() if table == "reject" else set(feeds(table))


def _accepted_shrinks(workspace: Workspace, source_id: str) -> set[str]:
    """Paths of the snapshots whose sidecar accepts the loss, with a reason."""
    parser = discover().get(source_id)
    records = list_snapshots(parser.SOURCE, workspace.data) if parser else []
    accepted = (record.path for record in records if str(record.facts.get("accepted_shrink") or "").strip())
    return {f"data/{path.relative_to(workspace.data)}" for path in accepted}


def _future_dates(con: duckdb.DuckDBPyConnection, today: dt.date) -> Iterator[str]:
    """Describe, per file, the first row dated more than one day after `today`."""
    for table, column in DATED.items():
        sql = (
            f"SELECT path, min_by(locator, {column}), min({column}), count(*) FROM {table} JOIN snapshot USING (snapshot_id) "
            f"WHERE {column} > ? GROUP BY path ORDER BY path"
        )
        for path, locator, date, rows in con.execute(sql, [today + dt.timedelta(days=1)]).fetchall():
            more = f" (and {rows - 1} more of its rows)" if rows > 1 else ""
            yield (
                f"{path} {locator}: {column} {date} is more than one day after today, {today}{more}. "
                f"Correct the row, then run `gpuledger seal {path}`"
            )
