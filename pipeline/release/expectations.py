"""Expected row counts of tables and snapshots: `data/expectations.csv`, committed so that a change shows in review.

`make expected` (`python -m pipeline.release.expectations [BUILD_FOLDER]`) writes the counts of the last build,
also of one that was refused because rows are missing. The comparison belongs in `gate`.
"""

import csv
import io
import sys
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from pipeline import paths
from pipeline.errors import BuildError
from pipeline.files import write_atomically
from pipeline.readers import RefusedError, numbers, strict_csv
from pipeline.release import release_tables
from pipeline.release.publish import DATABASE, EXPECTATIONS
from pipeline.warehouse import connection
from pipeline.warehouse.workspace import Workspace

_TABLE_NAMES = "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND schema_name = 'main' ORDER BY table_name"
HEADER = ("kind", "source_id", "name", "rows")


@dataclass(frozen=True, slots=True)
class RowCounts:
    """Rows by table, and accepted rows by path of the snapshot, of each source."""

    tables: dict[str, int]
    snapshots: dict[str, dict[str, int]]


NO_COUNTS = RowCounts({}, {})


def read_expectations(file: Path) -> RowCounts:
    """Read the committed counts. Raises BuildError with file and line where the file is missing or not as written."""
    tables: dict[str, int] = {}
    found: defaultdict[str, dict[str, int]] = defaultdict(dict)
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            for line, (kind, source_id, name, rows) in strict_csv.read_rows(stream):
                if kind == "snapshot":
                    found[source_id][name] = numbers.parse_integer(rows, line)
                elif kind == "table":
                    tables[name] = numbers.parse_integer(rows, line)
                elif line > 1:
                    raise RefusedError("PARSE", f"the kind {kind}", line)
    except OSError as error:
        raise BuildError(f"data/{file.name}: {error.strerror}; restore the file, or write it with `make expected`") from None
    except (ValueError, RefusedError) as error:
        place = f" line {error.line}" if isinstance(error, RefusedError) else ""
        raise BuildError(f"data/{file.name}{place}: not `{','.join(HEADER)}`; write the file with `make expected`") from None
    return RowCounts(tables, dict(found))


def count_rows(database: Path) -> RowCounts:
    """Count the rows of a published file, without the tables of releases, which depend on the releases before."""
    with connection.connect(database, read_only=True) as con:
        names = [name for (name,) in con.execute(_TABLE_NAMES).fetchall() if name not in release_tables.TABLES]
        tables = {name: con.execute(f"SELECT count(*) FROM {name}").fetchall()[0][0] for name in names}
        found: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for source_id, path, rows in con.execute("SELECT source_id, path, rows_accepted FROM snapshot ORDER BY ALL").fetchall():
            found[source_id][path] = rows
    return RowCounts(tables, dict(found))


def write_expectations(file: Path, counts: RowCounts) -> None:
    """Write the counts, one line per table and per snapshot."""
    tables = [("table", "", name, rows) for name, rows in counts.tables.items()]
    snapshots = [("snapshot", s, path, rows) for s, found in sorted(counts.snapshots.items()) for path, rows in found.items()]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *tables, *snapshots])
    write_atomically(file, text.getvalue().encode())


def main() -> None:
    """Accept the counts of the last build as the expected ones."""
    workspace = Workspace(paths.DATA, Path(sys.argv[1]) if sys.argv[1:] else paths.BUILD)
    database = workspace.staged_data / DATABASE
    if not database.exists():
        sys.exit(f"{database}: no such file; run `gpuledger build --only data` first")
    try:
        write_expectations(workspace.data / EXPECTATIONS, count_rows(database))
    except OSError as error:
        sys.exit(f"{workspace.data / EXPECTATIONS}: {error.strerror}; free space or correct the permissions, then try again")


if __name__ == "__main__":
    main()
