"""Text in CSV files that spreadsheets do not run as a formula: it gets an apostrophe in front. Numbers stay numbers."""

import re
from typing import Any

_BEGIN = r"^[=+\-@\t\r]"


def defused(value: Any) -> Any:
    """Return the value of a CSV cell; text that a spreadsheet would run begins with an apostrophe."""
    is_formula = isinstance(value, str) and re.search(_BEGIN, value) and not _is_number(value)
    return f"'{value}" if is_formula else value


def defused_sql(column: str) -> str:
    """Return the same as an SQL expression over a column of text."""
    is_formula = f"regexp_matches({column}, '{_BEGIN}') AND TRY_CAST({column} AS DOUBLE) IS NULL"
    return f"CASE WHEN {is_formula} THEN '''' || {column} ELSE {column} END"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
