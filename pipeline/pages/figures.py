"""Putting a chart on a page: static pictures for both colour schemes, the live chart, its data as a table and as CSV.

How a chart is drawn belongs in `pipeline.charts`; which chart a page shows, in the page's own module.
"""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt
import vl_convert
from markupsafe import Markup

from pipeline.chart_theme import darkened, theme
from pipeline.pages.database import Row
from pipeline.pages.escape import clean
from pipeline.pages.rendering import Book, fragment

VEGA_LITE = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
_STATIC_WIDTH = 760


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with all that must stand around it.

    `direction` says which way is better, `finding` what the picture shows (it is the alt text), `columns` are
    (key, heading) of the rows that the table and the CSV give. `chart` is a chart or its finished specification.
    Where the reader chooses what the chart shows, `by_choice` has the finding for each choice and `controls` the
    means to choose.
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
    by_choice: Mapping[str, str] = field(default_factory=dict)
    controls: Markup | None = None


def publish(book: Book, root: str, figure: Figure) -> Markup:
    """Write the figure's files and return its piece of the page."""
    spec = _inert(figure.chart if isinstance(figure.chart, dict) else figure.chart.to_dict())
    spec.pop("config", None)
    height = _pictures(book, figure.name, spec)
    _write_csv(book, figure)
    return fragment(
        "figure.html.j2",
        root=Markup(root),  # noqa: S704
        figure=figure,
        spec=spec,
        height=height,
        width=_STATIC_WIDTH,
        themes={"light": theme(dark=False), "dark": theme(dark=True)},
    )


def write_vega(book: Book) -> None:
    """Write the bundle that draws charts in the browser, wrapped so that it leaves nothing else behind."""
    bundle = vl_convert.javascript_bundle(vl_version=VEGA_LITE)  # type: ignore[call-arg]  # its stub lacks the default
    target = book.docs / "assets" / "vega.js"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"(function(){{{bundle}\n}})();\n", encoding="utf-8")


def _inert(value: Any) -> Any:
    """The specification with control characters taken out of every text: they end the renderer's process."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, dict):
        return {clean(key): _inert(item) for key, item in value.items()}
    return [_inert(item) for item in value] if isinstance(value, list) else value


def _pictures(book: Book, name: str, spec: dict[str, Any]) -> int:
    """Write the static pictures of both colour schemes; returns their height at the static width."""
    sized = _without_tooltips(spec) | {"width": _STATIC_WIDTH - 90, "config": theme(dark=False)}
    svg = vl_convert.vegalite_to_svg(sized, vl_version=VEGA_LITE)
    folder = book.docs / "assets" / "charts"
    folder.mkdir(parents=True, exist_ok=True)
    for scheme, picture in (("light", svg), ("dark", darkened(svg))):
        (folder / f"{name}-{scheme}.svg").write_text(picture, encoding="utf-8")
    box = svg.split('viewBox="', 1)[1].split('"', 1)[0].split()
    return round(float(box[3]) * _STATIC_WIDTH / float(box[2]))


def _without_tooltips(value: Any) -> Any:
    """The specification of a picture that no pointer meets: it is drawn in two thirds of the time."""
    if isinstance(value, dict):
        return {key: _without_tooltips(item) for key, item in value.items() if key not in {"tooltip", "data", "datasets"}} | {
            key: value[key] for key in ("data", "datasets") if key in value
        }
    return [_without_tooltips(item) for item in value] if isinstance(value, list) else value


def _write_csv(book: Book, figure: Figure) -> None:
    target = book.docs / "data" / "charts" / f"{figure.name}.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    keys = [key for key, _ in figure.columns]
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, keys, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(figure.rows)
