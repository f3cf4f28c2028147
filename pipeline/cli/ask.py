"""Commands that ask the published file: query, audit, sources."""

from pathlib import Path
from typing import Annotated

import duckdb
import typer

from pipeline.cli.output import Format, database, err, fail, write

Db = Annotated[Path | None, typer.Option("--db", help="Another published file.")]
Form = Annotated[Format, typer.Option("--format", help="Form of the answer.")]


def query(sql: Annotated[str, typer.Argument(metavar="SQL")], form: Form = Format.table, db: Db = None) -> None:
    """Run SQL on the published file, read-only.

    Example: gpuledger query "SELECT name, memory_gb FROM gpu ORDER BY memory_gb DESC LIMIT 5"
    """
    with database(db) as con:
        try:
            answer = con.execute(sql)
            if answer is None or not answer.description:
                fail("the statement gives no rows; ask something like: SELECT name FROM gpu")
            write([column[0] for column in answer.description], answer.fetchall(), form)
        except duckdb.Error as error:
            fail(f'{type(error).__name__}: {str(error).strip()}\nTables and columns: gpuledger query "DESCRIBE"')


def audit(
    guide: Annotated[str | None, typer.Option(help="One guide, by its source_id.")] = None,
    form: Form = Format.table,
    db: Db = None,
) -> None:
    """Figures of the published guides beside their recomputation; disagreements first, then what cannot be recomputed.

    Example: gpuledger audit --guide paperspace-2022
    """
    with database(db) as con:
        _known_guide(con, guide)
        answer = con.execute(
            """SELECT figure_id, published_text AS published, recomputed_rounded AS recomputed, unit, agrees, formula, note
               FROM audit WHERE source_id = coalesce(?, source_id)
               ORDER BY agrees NULLS LAST, agrees IS NULL, figure_id""",
            [guide],
        )
        names = [column[0] for column in answer.description]
        rows = answer.fetchall()
    write(names, rows, form)
    agree, disagree = (sum(1 for row in rows if row[4] is verdict) for verdict in (True, False))
    err.print(f"{len(rows)} figures: {disagree} disagree, {agree} agree, {len(rows) - agree - disagree} cannot be recomputed")


def _known_guide(con: duckdb.DuckDBPyConnection, guide: str | None) -> None:
    known = [name for (name,) in con.execute("SELECT DISTINCT source_id FROM audit ORDER BY 1").fetchall()]
    if guide is not None and guide not in known:
        fail(f"no guide {guide!r}; known are {', '.join(known)}")


def sources(form: Form = Format.table, db: Db = None) -> None:
    """Each source: what it gives, on what terms, how old its newest snapshot is, how many rows were kept.

    Example: gpuledger sources --format csv
    """
    with database(db) as con:
        answer = con.execute(
            """SELECT source_id, kind, automated_access AS access, licence, last_snapshot_at::DATE AS last_snapshot,
                      age_days, rows, rejects, stale
               FROM source JOIN source_health USING (source_id) ORDER BY kind, source_id"""
        )
        write([column[0] for column in answer.description], answer.fetchall(), form)
