"""Chart of the days until buying is cheaper than renting."""

import altair as alt

from pipeline.website.charts.layout import Row, chart_of, layered, round_ticks


def days_to_break_even(rows: list[Row], marked: list[Row]) -> alt.LayerChart:
    """Days until buying is cheaper, over the share of hours used; with the guide's own case emphasized.

    Rows: case, guide_case, utilisation, days; marked: utilisation, days, label.
    """
    x = alt.X("utilisation:Q", title="Share of hours in use").axis(format=".0%", values=[0.05, 0.15, 0.25, 0.5, 0.75, 1])
    y = (
        alt.Y("days:Q", title="Days until buying is cheaper (log)")
        .scale(type="log", nice=False)
        .axis(format=",", values=round_ticks(1, 1e6))
    )
    tooltip = [
        alt.Tooltip("case:N", title="Bought"),
        alt.Tooltip("utilisation:Q", title="In use", format=".0%"),
        alt.Tooltip("days:Q", title="Days", format=",.0f"),
    ]
    base = chart_of(rows).encode(x=x, y=y, detail="case:N", tooltip=tooltip)
    spot = chart_of(marked).encode(x=x, y=y)
    others = [base.transform_filter("!datum.guide_case").mark_line(style="faint", strokeWidth=1.2)]
    return layered(
        360,
        *(others if any(not row["guide_case"] for row in rows) else []),  # a layer without rows has no extent
        base.transform_filter("datum.guide_case").mark_line(strokeWidth=2.8, point=True),
        spot.mark_point(size=190, filled=True, opacity=1, shape="diamond", style="marked"),
        spot.mark_text(align="left", dx=12, dy=-12, style="strong", fontSize=13).encode(text="label:N"),
    )
