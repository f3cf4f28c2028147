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

from pipeline.release.dataset import LICENCE, citation
from pipeline.spreadsheets import defused
from pipeline.website.writing.database import Row
from pipeline.website.writing.escape import clean
from pipeline.website.writing.page_writer import PageWriter, render_fragment


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with its texts and data.

    `title` states the finding and `finding` adds to it; both are the text alternative. `subject` is what the chart shows,
    `direction` which way is better. `columns` are pairs of key and heading for table and CSV. `chart` is a chart or its
    specification. `sql` is the query that returns the rows. `picker` has the controls of a chart whose
    script fills the table in the browser. If a form of the page chooses what the chart shows, `by_choice` has the findings.
    """

    name: str
    title: str
    subject: str
    direction: str
    dated: str
    source: str
    chart: alt.LayerChart | dict[str, Any]
    rows: Sequence[Row]
    columns: Sequence[tuple[str, str]]
    sql: str
    finding: str = ""
    note: str = ""
    picker: Mapping[str, Any] = field(default_factory=dict)
    by_choice: Mapping[str, str] = field(default_factory=dict)


def render_figure(writer: PageWriter, root: str, figure: Figure | None) -> Markup:
    """The HTML of a figure; empty without one. Its chart is drawn in each language, its CSV written once for all."""
    if figure is None:
        return Markup()
    spec = _clean(figure.chart if isinstance(figure.chart, dict) else figure.chart.to_dict(validate=False))
    spec.pop("config", None)
    if writer.is_default_language:
        _write_csv(writer, figure)
        writer.artifacts.charts[figure.name] = _metadata(writer, figure)
    width, height = writer.renderer.draw(figure.name, spec)
    writer.artifacts.cached_charts |= writer.renderer.cached
    if figure.picker:
        spec = spec | {"datasets": {}}  # its script loads the rows
    context = {"figure": figure, "spec": spec, "width": width, "height": height, "citation": citation(writer.as_of)}
    template = "components/figure.html.j2"
    alone = render_fragment(template, root=Markup("../"), alone=True, **context)
    writer.embeds[figure.name] = {"title": figure.title, "figure": alone}
    return render_fragment(template, root=Markup(root), alone=False, **context)  # noqa: S704


def _clean(value: Any) -> Any:
    """Remove what a specification does not need: control characters, which crash the renderer, and digits beyond the sixth."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, float):
        return float(f"{value:.6g}")
    if isinstance(value, dict):
        return {clean(key): _clean(item) for key, item in value.items()}
    return [_clean(item) for item in value] if isinstance(value, list) else value


def write_chart_metadata(writer: PageWriter) -> None:
    """Write the metadata of every chart next to its CSV, after the pages that show them."""
    for name, metadata in writer.artifacts.charts.items():
        paths = {
            "csv": f"{name}.csv",
            "page": f"../../{metadata['page']}#{name}",
            "embed": f"../../embed/{name}.html",
        }  # relative to the file's folder
        writer.write_json(f"data/charts/{name}.metadata.json", metadata | paths)


def _metadata(writer: PageWriter, figure: Figure) -> dict[str, Any]:
    """Metadata for programs that use or cite the chart's CSV. The title of a column contains its unit."""
    findings = {"findings": dict(figure.by_choice)} if figure.by_choice else {}
    return {
        **{name: getattr(figure, name) for name in ("name", "title", "subject", "direction")},
        "finding": figure.finding or figure.title,
        **findings,
        "note": figure.note or None,
        "as_of": writer.as_of,
        "dated": figure.dated,
        "source": figure.source,
        "licence": LICENCE,
        "citation": citation(writer.as_of),
        "rows": len(figure.rows),
        "columns": [{"name": key, "title": heading, "type": _type(figure.rows, key)} for key, heading in figure.columns],
        "sql": figure.sql,
    }


def _type(rows: Sequence[Row], key: str) -> str:
    values = [row[key] for row in rows if row[key] is not None]
    numeric = all(type(value) in (int, float) for value in values)
    return "number" if values and numeric else "string"


def _write_csv(writer: PageWriter, figure: Figure) -> None:
    keys = [key for key, _ in figure.columns]
    file = io.StringIO(newline="")
    table = csv.DictWriter(file, keys, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows({key: defused(row.get(key)) for key in keys} for row in figure.rows)
    writer.write_text(f"data/charts/{figure.name}.csv", file.getvalue())
