"""Figures of pages: a chart as static pictures and live, its data as a table and CSV, and its metadata.

Charts are in `pipeline.website.charts`, the figures of a page in the page's module.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
from markupsafe import Markup

from pipeline.warehouse.release.dataset import LICENCE, citation
from pipeline.website.charts.render import WIDTH
from pipeline.website.charts.theme import theme
from pipeline.website.components.database import Row
from pipeline.website.components.escape import clean
from pipeline.website.rendering import PageWriter, render_fragment


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its texts and data.

    `direction` states which way is better, `finding` what the chart shows (also the alt text). `columns` are pairs of
    key and heading for table and CSV. `chart` is a chart or its specification. `sql` is the query that returns the rows,
    if there is one. If readers choose what the chart shows, `by_choice` has the finding of each choice.
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
    """Remove control characters from every text of the specification; they crash the renderer."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list) else value


def write_chart_metadata(writer: PageWriter) -> None:
    """Write the metadata of every chart next to its CSV, after the pages that show them."""
    for name, metadata in writer.artifacts.charts.items():
        paths = {"csv": f"{name}.csv", "page": f"../../{metadata['page']}#{name}"}  # relative to the file's folder
        writer.write_json(f"data/charts/{name}.metadata.json", metadata | paths)


def _metadata(writer: PageWriter, figure: Figure) -> dict[str, Any]:
    """Metadata for programs that use or cite the chart's CSV. The title of a column contains its unit."""
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
