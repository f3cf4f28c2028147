"""Charts of what an hour's rent buys: compute and memory."""

import altair as alt

from pipeline.website.charts.layout import LABEL_LIMIT, Row, chart_of, layered, padded_range, round_ticks, short_name
from pipeline.website.i18n.language import gettext


def cost_of_compute(rows: list[Row]) -> alt.LayerChart:
    """One line per GPU, a mark for each number format, on a log axis, best first.

    Rows: gpu, format, usd_per_tflop_hour, behind (number of offers and providers), last (the row labeled with `behind`).
    """
    order = list(dict.fromkeys(row["gpu"] for row in rows))
    formats = list(dict.fromkeys(row["format"] for row in rows))
    low, high = padded_range([row["usd_per_tflop_hour"] for row in rows])
    end = alt.ExprRef(f"containerSize()[0] < 460 ? {high * 2.5:.4g} : {high * 1.25:.4g}")  # room for the text at the last mark
    base = chart_of(rows).encode(
        y=alt.Y("gpu:N", sort=order, title=None).axis(labelLimit=LABEL_LIMIT, labelExpr=short_name("datum.label")),
        x=alt.X("usd_per_tflop_hour:Q", title=gettext("USD per TFLOPS-hour (log)"))
        .scale(type="log", domain=[low, end], nice=False)
        .axis(format="$~r", values=round_ticks(low, high)),
    )
    span = base.mark_line(style="faint", strokeWidth=1.5).encode(detail="gpu:N")
    marks = base.mark_point(filled=True, size=110, opacity=1).encode(
        color=alt.Color("format:N", sort=formats, scale=alt.Scale(domain=formats, range="ordinal")),
        shape=alt.Shape("format:N", sort=formats, scale=alt.Scale(domain=formats, range=["circle", "diamond"])),
        tooltip=[
            alt.Tooltip("gpu:N", title="GPU"),
            alt.Tooltip("format:N", title=gettext("Format")),
            alt.Tooltip("usd_per_tflop_hour:Q", title=gettext("USD per TFLOPS-hour"), format=".4f"),
            alt.Tooltip("behind:N", title=gettext("Offers / providers")),
        ],
    )
    behind = base.transform_filter("datum.last").mark_text(style="note", align="left", dx=10, fontSize=11).encode(text="behind:N")
    return layered(27 * len(order), span, marks, behind)


def memory_per_dollar(rows: list[Row]) -> alt.LayerChart:
    """Bars at the cheapest price with a tick at the median, in the order of the rows.

    Rows: gpu, memory_gb, gb_per_usd_hour, gb_per_usd_hour_median, behind (number of offers and providers), best (opaque).
    """
    order = [row["gpu"] for row in rows]
    base = chart_of(rows).encode(
        y=alt.Y("gpu:N", sort=order, title=None).axis(labelLimit=LABEL_LIMIT, labelExpr=short_name("datum.label")),
        tooltip=[
            alt.Tooltip("gpu:N", title="GPU"),
            alt.Tooltip("gb_per_usd_hour:Q", title=gettext("GB per USD and hour, cheapest"), format=",.3~r"),
            alt.Tooltip("gb_per_usd_hour_median:Q", title=gettext("at the median"), format=",.3~r"),
            alt.Tooltip("behind:N", title=gettext("Offers / providers")),
        ],
    )
    length = alt.X("gb_per_usd_hour:Q", title=gettext("GB for one USD an hour")).axis(tickCount=5, format="~s")
    bars = base.mark_bar(height={"band": 0.68}).encode(
        x=length, opacity=alt.condition("datum.best", alt.value(1), alt.value(0.5))
    )
    median = base.mark_tick(thickness=2, height={"band": 0.68}, style="strong").encode(x="gb_per_usd_hour_median:Q")
    labeled = base.transform_calculate(said="format(datum.gb_per_usd_hour, ',.3~r') + '   (' + datum.behind + ')'")
    text = labeled.mark_text(align="left", dx=6).encode(x=length, text="said:N")
    return layered(27 * len(order), bars, median, text)
