"""Charts of language models: cost of tokens by GPU, and predicted against measured speed."""

from typing import Any

import altair as alt

from pipeline.website.charts.layout import CENTS, Row, chart_of, layered, padded_range
from pipeline.website.i18n.language import gettext

_SHAPES = ("circle", "diamond", "square")


def predicted_against_measured(rows: list[Row]) -> alt.LayerChart:
    """One mark per GPU and model in each phase; on the line both speeds are equal.

    Rows: card, model, phase (in words), measured, predicted (tokens/s).
    """
    low, high = padded_range([row[key] for row in rows for key in ("measured", "predicted")])
    phases = list(dict.fromkeys(row["phase"] for row in rows))
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    measured = alt.X("measured:Q", title=gettext("Measured, tokens per second (log)"), scale=scale).axis(
        tickCount=6, format="~s", grid=False
    )
    predicted = alt.Y("predicted:Q", title=gettext("Predicted, tokens per second (log)"), scale=scale).axis(
        tickCount=6, format="~s", grid=False
    )
    equal = chart_of([{"measured": low, "predicted": low}, {"measured": high, "predicted": high}])
    marks = chart_of(rows).mark_point(filled=True, opacity=0.75, size=45)
    return layered(
        420,
        equal.mark_line(strokeDash=[5, 4], strokeWidth=1.4, style="note").encode(x=measured, y=predicted),
        marks.encode(
            x=measured,
            y=predicted,
            color=alt.Color("phase:N", sort=phases, scale=alt.Scale(domain=phases)),
            shape=alt.Shape("phase:N", sort=phases, scale=alt.Scale(domain=phases, range=list(_SHAPES[: len(phases)]))),
            tooltip=[
                alt.Tooltip("card:N", title="GPU"),
                alt.Tooltip("model:N", title=gettext("Model")),
                alt.Tooltip("phase:N", title=gettext("Phase")),
                alt.Tooltip("measured:Q", title=gettext("Measured"), format=",.3r"),
                alt.Tooltip("predicted:Q", title=gettext("Predicted"), format=",.3r"),
            ],
        ),
    )


def cost_by_gpu(rows: list[Row]) -> dict[str, Any]:
    """One mark and interval per GPU, unranked ones pale and last. The script of the page replaces the rows.

    Rows: order, label (GPU), usd, low, high (USD), speed (tokens/s), provider, is_first, is_unranked.
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
        base.mark_point(filled=True, size=90).encode(y=gpus, x=cost, opacity=weight, tooltip=_cost_tooltip()),
    )
    spec: dict[str, Any] = chart.to_dict(validate=False)
    return spec | {"datasets": {"view": rows}}


def _cost_tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("label:N", title="GPU"),
        alt.Tooltip("usd:Q", title="USD", format="$,.3~r"),
        alt.Tooltip("low:Q", title=gettext("Low"), format="$,.3~r"),
        alt.Tooltip("high:Q", title=gettext("High"), format="$,.3~r"),
        alt.Tooltip("speed:Q", title=gettext("Tokens/s"), format=",.3~r"),
        alt.Tooltip("provider:N", title=gettext("Provider")),
    ]
