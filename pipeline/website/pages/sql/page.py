"""SQL page: queries in the reader's browser, with example questions, tables and functions.

The examples in `examples.sql` keep to what the engine knows: no `current_date`, no Parquet, no extension. The engine comes from
`pipeline.website.writing.npm_packages`. The page's behavior is in `sql.js`.
"""

import gzip
import hashlib
import re
from pathlib import Path
from typing import Any, Final

from pipeline.release.publish import DATABASE
from pipeline.website.writing import npm_packages
from pipeline.website.writing.database import group_by
from pipeline.website.writing.page_writer import PageWriter

PACKED = f"{DATABASE}.gz"
_QUESTION = re.compile(r"^-- (.+\?)$", re.MULTILINE)
_QUESTIONS = _QUESTION.split(Path(__file__).with_name("examples.sql").read_text(encoding="utf-8"))[1:]
EXAMPLES: Final = {question: sql.strip() for question, sql in zip(_QUESTIONS[::2], _QUESTIONS[1::2], strict=True)}
_FUNCTIONS = "SELECT * FROM function_dictionary ORDER BY function_name"
_PARAMETERS = "SELECT * FROM parameter_dictionary ORDER BY function_name, ordinal"


def write(writer: PageWriter) -> None:
    """Write the page and the files that its engine needs."""
    first = writer.data.rows(next(iter(EXAMPLES.values())))
    writer.write_page(
        "sql",
        "Ask in SQL",
        "Ask the whole dataset in SQL, in your browser: nothing is installed and no query leaves your machine.",
        files=writer.data.once(PACKED, lambda: _files(writer)),
        examples=EXAMPLES,
        first=first,
        numeric={name for name, value in (first or [{}])[0].items() if type(value) in (int, float)},
        bare=_bare,
        tables=writer.data.tables,
        functions=writer.data.rows(_FUNCTIONS),
        parameters=group_by(writer.data.rows(_PARAMETERS), "function_name"),
    )


def _bare(value: object) -> object:
    """Return a value as the page's script prints it: all digits of a number, and `true` in place of Python's True."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.15g}" if isinstance(value, float) else value


def _files(writer: PageWriter) -> dict[str, Any] | None:
    """Copy engine and database beside the pages of the first language; None if built without an engine.

    The mark is in the addresses of both, and changes with them.
    """
    engine = npm_packages.engine()
    if engine is None:
        return None
    folder = writer.docs / "assets" / "duckdb"
    engine.copy_to(folder)
    packed = gzip.compress((writer.release / DATABASE).read_bytes(), 6, mtime=0)  # hosts do not compress this type
    (folder / PACKED).write_bytes(packed)
    mark = hashlib.sha256(engine.version.encode() + packed).hexdigest()[:12]
    return {"version": engine.version, "bytes": engine.bytes + len(packed), "mark": mark}
