"""Chart of verdicts counted by group."""

import altair as alt

from pipeline.website.charts.layout import LABEL_LIMIT, Row, chart_of, layered
from pipeline.website.i18n.language import gettext

_LEGEND_COLUMNS = alt.ExprRef("containerSize()[0] < 460 ? 1 : 3")


def verdicts(rows: list[Row], label: str, axis: str) -> alt.LayerChart:
    """Stacked bars of the figures of each group by verdict, good first.

    Rows: `label`, verdict, figures, place (order of the verdict).
    """
    order = list(dict.fromkeys(row[label] for row in rows))
    kinds = list(dict.fromkeys(row["verdict"] for row in sorted(rows, key=lambda row: int(row["place"]))))
    color = alt.Color("verdict:N", sort=kinds, scale=alt.Scale(domain=kinds, range="diverging")).legend(columns=_LEGEND_COLUMNS)
    base = chart_of(rows).encode(
        y=alt.Y(f"{label}:N", sort=order, title=None).axis(labelLimit=LABEL_LIMIT),
        x=alt.X("figures:Q", stack="zero", title=axis).axis(tickCount=5),
        order=alt.Order("place:Q"),
    )
    tooltip = [
        alt.Tooltip(f"{label}:N", title=gettext("Of")),
        alt.Tooltip("verdict:N", title=gettext("Verdict")),
        alt.Tooltip("figures:Q", title=axis),
    ]
    bars = base.mark_bar(height={"band": 0.66}).encode(color=color, tooltip=tooltip)
    return layered((34 if len(order) < 12 else 22) * len(order), bars)
