"""The command `audit`: published figures and their recomputation."""

from typing import Annotated

import typer

from pipeline.cli.output import DatabaseOption, FormatOption, err, fail, open_database, write_rows
from pipeline.errors import suggest
from pipeline.warehouse.connection import column_names

_FIGURES = """
    SELECT figure_id, published_text AS published, recomputed_shown AS recomputed, unit, agrees, formula, note
    FROM audit WHERE source_id = coalesce(?, source_id)
    ORDER BY agrees NULLS LAST, agrees IS NULL, figure_id
"""


def audit(
    guide: Annotated[str | None, typer.Option(help="One guide, by its source_id.")] = None,
    form: FormatOption = "table",
    db: DatabaseOption = None,
) -> None:
    """List the figures of published guides, recomputed.

    Disagreements come first, what cannot be recomputed last.

    Example: gpuledger audit --guide paperspace-2022
    """
    with open_database(db) as con:
        guides = [source_id for (source_id,) in con.execute("SELECT DISTINCT source_id FROM audit ORDER BY 1").fetchall()]
        if guide is not None and guide not in guides:
            fail(f"no guide {guide!r}; {suggest(guide, guides)}")
        result = con.execute(_FIGURES, [guide])
        names, rows = column_names(result), result.fetchall()
    write_rows(names, rows, form)
    agreements = [row[names.index("agrees")] for row in rows]
    agree, disagree = agreements.count(True), agreements.count(False)
    err.print(f"{len(rows)} figures: {disagree} disagree, {agree} agree, {len(rows) - agree - disagree} cannot be recomputed")
