"""Putting a chart on a page: static pictures for both colour schemes, the live chart, its data as a table, as CSV, and described.

How a chart is drawn belongs in `pipeline.website.charts`; which chart a page shows, in the page's own module.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
from markupsafe import Markup

from pipeline.warehouse.dataset import LICENCE, citation
from pipeline.website.charts.render import WIDTH
from pipeline.website.charts.theme import theme
from pipeline.website.components.database import Row
from pipeline.website.components.escape import clean
from pipeline.website.rendering import PageWriter, render_fragment


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with all that must stand around it.

    `direction` says which way is better, `finding` what the picture shows (it is the alt text), `columns` are
    (key, heading) of the rows that the table and the CSV give. `chart` is a chart or its finished specification.
    `sql` is the query whose rows are drawn, where one query gives them.
    Where the reader chooses what the chart shows, `by_choice` has the finding for each choice.
    """

    name: str
    heading: str
    direction: str
    finding: str
    dated: str
    source: str
    chart: alt.LayerChart | dict[str, Any]
    rows: Sequence[Row]
    columns: Sequence[tuple[str, str]]
    note: str = ""
    sql: str = ""
    by_choice: Mapping[str, str] = field(default_factory=dict)


def render_figure(writer: PageWriter, root: str, figure: Figure) -> Markup:
    """The figure's HTML. Draws its chart and writes its CSV, once for all languages."""
    spec = _clean(figure.chart if isinstance(figure.chart, dict) else figure.chart.to_dict(validate=False))
    spec.pop("config", None)
    return render_fragment(
        "components/figure.html.j2",
        root=Markup(root),  # noqa: S704
        figure=figure,
        spec=spec,
        height=_draw(writer, figure, spec) if writer.is_default_language else writer.renderer.height(figure.name),
        width=WIDTH,
        themes={"light": theme(dark=False), "dark": theme(dark=True)},
    )


def _draw(writer: PageWriter, figure: Figure, spec: dict[str, Any]) -> int:
    _write_csv(writer, figure)
    writer.artifacts.charts[figure.name] = _metadata(writer, figure)
    height = writer.renderer.draw(figure.name, spec)
    writer.artifacts.cached_charts |= writer.renderer.cached
    return height


def _clean(value: Any) -> Any:
    """The specification with control characters taken out of every text: they end the renderer's process."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list) else value


def write_chart_metadata(writer: PageWriter) -> None:
    """Write the description of every chart beside its CSV, when the pages that show them are written."""
    for name, told in writer.artifacts.charts.items():
        here = {"csv": f"{name}.csv", "page": f"../../{told['page']}#{name}"}  # addresses from the file's own folder
        writer.write_json(f"data/charts/{name}.metadata.json", told | here)


def _metadata(writer: PageWriter, figure: Figure) -> dict[str, Any]:
    """What a program needs to use the chart's CSV and to name it; the heading of a column carries its unit."""
    findings = {"findings": dict(figure.by_choice)} if figure.by_choice else {}
    return {
        "name": figure.name,
        "title": figure.heading,
        "direction": figure.direction,
        "finding": figure.finding,
        **findings,
        "note": figure.note or None,
        "as_of": writer.as_of,
        "dated": figure.dated,
        "source": figure.source,
        "licence": LICENCE,
        "citation": citation(writer.as_of),
        "rows": len(figure.rows),
        "columns": [{"name": key, "title": heading, "type": _type(figure.rows, key)} for key, heading in figure.columns],
        "sql": figure.sql or None,
    }


def _type(rows: Sequence[Row], key: str) -> str:
    values = [row[key] for row in rows if row[key] is not None]
    numeric = all(isinstance(value, int | float) and not isinstance(value, bool) for value in values)
    return "number" if values and numeric else "string"


def _write_csv(writer: PageWriter, figure: Figure) -> None:
    keys = [key for key, _ in figure.columns]
    file = io.StringIO(newline="")
    table = csv.DictWriter(file, keys, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(figure.rows)
    writer.write_text(f"data/charts/{figure.name}.csv", file.getvalue())
