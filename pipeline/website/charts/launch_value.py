"""Chart of what a dollar of a GPU's launch price bought, by release date, with its trend."""

import datetime as dt
import math

import altair as alt

from pipeline.website.charts.label_placement import OFFSETS, names_beside, sides_of_names
from pipeline.website.charts.layout import WIDE, Row, chart_of, layered, nearest_point, padded_range, round_ticks
from pipeline.website.i18n.language import gettext

_WIDTH, _HEIGHT, _PADDING = 660, 380, 24  # pixels


def value_by_release(rows: list[Row], title: str, trend: str) -> alt.LayerChart:
    """A mark per GPU on a log axis, the best of each architecture named, and the trend line with its text.

    Rows: gpu, date (ISO, with a time), usd, per_usd, trend, named (the best of its architecture); by date.
    """
    low, high = padded_range([row["per_usd"] for row in rows])
    axis = alt.Axis(format=gettext("%Y"), tickCount="year", labelOverlap=True, grid=False)
    date = alt.X("date:T", title=gettext("Release date"), axis=axis, scale=alt.Scale(padding=_PADDING))
    value = alt.Y("per_usd:Q", title=title).scale(type="log", domain=[low, high], nice=False)
    value = value.axis(values=round_ticks(low, high), format="~r")
    placed = _with_sides(rows, low, high)
    base = chart_of(placed).encode(x=date, y=value)
    used = {row["side"] for row in placed}
    return layered(
        _HEIGHT,
        *_trend_line(rows, date, trend),
        base.mark_point(filled=True, size=50, opacity=0.75),
        *(names_beside(base, side, "gpu:N", alt.value(WIDE), fontSize=11.5) for side in OFFSETS if side in used),
        nearest_point(base, _tooltip(title)),
    )


def _with_sides(rows: list[Row], low: float, high: float) -> list[Row]:
    """The rows with the side of each name, by the places of the marks on a wide screen."""
    days = [dt.datetime.fromisoformat(row["date"]).timestamp() for row in rows]
    share = [(day - days[0]) / max(days[-1] - days[0], 1) for day in days]
    rise = [math.log(row["per_usd"] / low) / math.log(high / low) for row in rows]
    points = [(_PADDING + (_WIDTH - 2 * _PADDING) * across, _HEIGHT * (1 - up)) for across, up in zip(share, rise, strict=True)]
    sides = sides_of_names(points, [row["gpu"] if row["named"] else "" for row in rows], _WIDTH)
    keys = ("gpu", "date", "usd", "per_usd")
    return [{key: row[key] for key in keys} | {"side": side} for row, side in zip(rows, sides, strict=True)]


def _trend_line(rows: list[Row], date: alt.X, text: str) -> list[alt.Chart]:
    """The line between its ends, with the text in the corner that the points leave free."""
    ends = [{"date": row["date"], "per_usd": row["trend"]} for row in (rows[0], rows[-1]) if row["trend"] is not None]
    if len(ends) < 2:
        return []
    line = chart_of(ends).encode(x=date, y="per_usd:Q").mark_line(style="note", strokeWidth=1.8, strokeDash=[6, 4])
    label = chart_of(ends[-1:]).mark_text(style="note", align="right", baseline="bottom", fontSize=12)
    return [
        line,
        label.encode(x=alt.value("width"), y=alt.value(alt.ExprRef("height - 8")), text=alt.value(text), opacity=alt.value(WIDE)),
    ]


def _tooltip(title: str) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("gpu:N", title="GPU"),
        alt.Tooltip("date:T", title=gettext("Release date"), format=gettext("%-d %B %Y")),
        alt.Tooltip("usd:Q", title=gettext("Launch price, USD"), format=",.0f"),
        alt.Tooltip("per_usd:Q", title=title, format=",.3~r"),
    ]
