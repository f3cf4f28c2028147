"""Chart of what a job or a number of tokens costs, by GPU."""

from collections.abc import Sequence
from typing import Any

import altair as alt

from pipeline.website.charts.layout import CENTS, Row, layered
from pipeline.website.i18n.language import gettext


def cost_by_gpu(rows: Sequence[Row], speed: alt.Tooltip) -> dict[str, Any]:
    """One mark and interval per GPU, recommended ones full and unranked ones pale. The script of the page replaces the rows.

    Rows: order, label (GPU), usd, low, high (USD), provider, is_first, is_unranked, and the field of `speed`, which the
    tooltip has beside the cost.
    """
    base = alt.Chart(alt.NamedData(name="view"))
    gpus = alt.Y("label:N", title=None, sort=alt.EncodingSortField("order", order="ascending"))
    cost = alt.X("usd:Q", title=gettext("Cost (USD)")).axis(format="$,.3~r", labelExpr=CENTS, tickCount=5)
    weight = (
        alt.when("datum.is_first").then(alt.value(1)).when("datum.is_unranked").then(alt.value(0.25)).otherwise(alt.value(0.75))
    )
    chart = layered(
        360,
        base.mark_rule(strokeWidth=1.5, style="faint").encode(y=gpus, x="low:Q", x2="high:Q"),
        base.mark_point(filled=True, size=90).encode(y=gpus, x=cost, opacity=weight, tooltip=_tooltip(speed)),
    )
    spec: dict[str, Any] = chart.to_dict(validate=False)
    return spec | {"datasets": {"view": rows}}


def _tooltip(speed: alt.Tooltip) -> list[alt.Tooltip]:
    return [
        alt.Tooltip("label:N", title="GPU"),
        alt.Tooltip("usd:Q", title="USD", format="$,.3~r"),
        alt.Tooltip("low:Q", title=gettext("Low"), format="$,.3~r"),
        alt.Tooltip("high:Q", title=gettext("High"), format="$,.3~r"),
        speed,
        alt.Tooltip("provider:N", title=gettext("Provider")),
    ]
