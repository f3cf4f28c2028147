"""Chart of language models: predicted against measured speed."""

import altair as alt

from pipeline.website.charts.layout import Row, chart_of, layered, padded_range
from pipeline.website.i18n.language import gettext

_SHAPES = ("circle", "diamond", "square")


def predicted_against_measured(rows: list[Row]) -> alt.LayerChart:
    """One mark per GPU and model in each phase; on the line both speeds are equal.

    Rows: gpu, model, phase (in words), measured, predicted (tokens/s).
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
                alt.Tooltip("gpu:N", title="GPU"),
                alt.Tooltip("model:N", title=gettext("Model")),
                alt.Tooltip("phase:N", title=gettext("Phase")),
                alt.Tooltip("measured:Q", title=gettext("Measured"), format=",.3r"),
                alt.Tooltip("predicted:Q", title=gettext("Predicted"), format=",.3r"),
            ],
        ),
    )
