"""Pages select: what a page shows of the data is a column of a published table, so no query of a page computes one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipeline.paths import ROOT

PAGES = ROOT / "pipeline" / "website"
# Two calculators answer for several GPUs, a third has a percentage in its form, and the machines of a guide are sorted by the
# memory of all their GPUs.
EXCEPTIONS = {"job_calculator.py": "unnest(", "buying.py": " * ", "system_calculator.py": " / ", "pro_vs_consumer.py": " * "}
COMPUTES = re.compile(
    r"\b(?:GROUP BY|QUALIFY|HAVING|WINDOW|PIVOT)\b|\bOVER *\(|"
    r"\b(?:count|sum|avg|median|min|max|arg_min|arg_max|quantile_cont|string_agg|list|any_value|rank|row_number|unnest|"
    r"round|greatest|least) *\(|"
    r"(?<=[\w)]) (?:/|(?<!SELECT )\*) (?=[\w(])",
    re.IGNORECASE,
)
MODULES = sorted(path for folder in ("pages", "components") for path in (PAGES / folder).rglob("*.py"))


def queries(path: Path) -> Iterator[str]:
    """Every text of a module that is a query; a value printed into one stands as 1."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        parts = node.values if isinstance(node, ast.JoinedStr) else [node]
        text = "".join(str(part.value) if isinstance(part, ast.Constant) else "1" for part in parts)
        if re.match(r"\s*(SELECT|WITH|FROM)\s", text):
            yield text


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PAGES)))
def test_no_page_computes_a_figure_in_sql(path: Path) -> None:
    allowed = EXCEPTIONS.get(path.name)
    found = [(match[0], text) for text in queries(path) for match in COMPUTES.finditer(text) if match[0] != allowed]
    assert found == [], "move the figure into pipeline/metrics, and select it here"
