"""Chart of rental prices by day as steps, with the name of each line at its end, and the number of offers below.

The specification is made once.
"""

import functools
from typing import Any, cast

import altair as alt

from pipeline.website.charts.label_placement import letters
from pipeline.website.charts.layout import HUES, Row, color_of_line, layered, nearest_point, short_name
from pipeline.website.i18n.language import current_language, gettext

_GAP = 15  # pixels between two names
_DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3]]
_LETTER = 6.6  # pixels
_PALE = 0.35  # opacity of a stretch with few offers
_OFFERS_HEIGHT, _OFFERS_GAP = 46, 22  # pixels, of the number of offers below the prices
_PRICE_HEIGHT = f"(height - {_OFFERS_HEIGHT + _OFFERS_GAP})"


def price_by_day(rows: list[Row]) -> dict[str, Any]:
    """Steps by day. Rows: date, usd, label, stretch, place, pale, gpu, billing, line, provider, n_offers.

    `date` is ISO with a time: without one it is read as UTC. `label` is the name of the line and `place` its number. `stretch`
    names the days that one line joins; `pale` marks one with few offers, and is left out elsewhere.

    The script of the page replaces the rows and the two sizes that depend on them.
    """
    sizes = {"top": 1.08 * max(row["usd"] for row in rows), "room": 14 + _LETTER * max(letters(row["label"]) for row in rows)}
    spec = _specification(current_language().code)
    params = [one | {"value": sizes[one["name"]]} if one["name"] in sizes else one for one in spec["params"]]
    return spec | {"params": params, "datasets": {"view": rows}}


@functools.cache
def _specification(_language: str) -> dict[str, Any]:
    room = "min(room, width * (width < 460 ? 0.5 : 0.42))"
    scale = alt.Scale(range=[0, alt.ExprRef(f"width - {room}")])
    axis = alt.Axis(
        format=gettext("%-d %b %Y"),
        tickCount=alt.ExprRef("width < 460 ? 2 : 5"),
        labelOverlap=True,
        labelSeparation=8,
        grid=False,
    )
    days = alt.X("date:T", title=None, scale=scale, axis=axis)
    prices = alt.Y("usd:Q", title=gettext("USD per GPU and hour"))
    prices = prices.scale(domain=[0, alt.ExprRef("top")], range=[alt.ExprRef(_PRICE_HEIGHT), 0], nice=False).axis(
        tickCount=5, tickMinStep=0.01, labelExpr="format(datum.value, datum.value == floor(datum.value) ? '$,d' : '$,.2f')"
    )
    base = alt.Chart(alt.NamedData(name="view")).transform_calculate(
        hue=f"{HUES}[datum.place % {len(HUES)}]", dash=f"floor(datum.place / {len(HUES)}) % {len(_DASHES)}"
    )
    color = color_of_line()
    dash = alt.StrokeDash("dash:N", legend=None, scale=alt.Scale(domain=list(range(len(_DASHES))), range=_DASHES))
    lines = base.mark_line(interpolate="step-after", strokeWidth=2)
    faint = alt.condition("datum.pale", alt.value(_PALE), alt.value(1))
    lines = lines.encode(x=days, y=prices, color=color, strokeDash=dash, detail="stretch:N", opacity=faint)
    counted = base.transform_joinaggregate(days="count()", groupby=["stretch"])  # a price of one day has no line
    points = nearest_point(counted.encode(x=days, y=prices, color=color), _tooltip(), "datum.days == 1")
    offers = base.mark_line(interpolate="step-after", strokeWidth=1.5)
    offers = offers.encode(x=days, y=_offers(), color=color, detail="stretch:N")
    above = cast(alt.LayerChart, alt.layer(lines, points, _names(base, color, room)))
    chart = layered(400, above, offers).resolve_scale(y="independent")
    sizes = [alt.param(name=name, value=1) for name in ("top", "room")]
    spec: dict[str, Any] = chart.add_params(*sizes).to_dict(validate=False)
    spec["params"] = sorted(spec["params"], key=lambda one: one["name"] == "near")
    return spec


def _offers() -> alt.Y:
    """The number of offers behind each price, on a scale of its own below the prices."""
    scale = alt.Scale(range=[alt.ExprRef("height"), alt.ExprRef(f"height - {_OFFERS_HEIGHT}")], zero=True, nice=False)
    whole = "datum.value == floor(datum.value) ? format(datum.value, ',d') : ''"
    axis = alt.Axis(orient="left", tickCount=2, labelExpr=whole, titleLimit=_OFFERS_HEIGHT + _OFFERS_GAP)
    return alt.Y("n_offers:Q", title=gettext("Offers"), scale=scale, axis=axis)


def _names(base: alt.Chart, color: alt.Color, room: str) -> alt.Chart:
    """The name of each line beside its newest price, moved down and then up until no two overlap."""
    ends = (
        base.transform_joinaggregate(newest="max(date)", groupby=["label"])
        .transform_filter("time(datum.date) == time(datum.newest)")
        .transform_calculate(at=f"{_PRICE_HEIGHT} * (1 - datum.usd / top)", name=short_name("datum.label"))
        .transform_window(rank="row_number()", sort=[alt.SortField("at")])
        .transform_calculate(spare=f"datum.at - {_GAP} * datum.rank")
        .transform_window(pushed="max(spare)", sort=[alt.SortField("at")], frame=[None, 0])
        .transform_joinaggregate(names="count()")
        .transform_calculate(
            spot=f"min(datum.pushed + {_GAP} * datum.rank, {_PRICE_HEIGHT} - 2 - {_GAP} * (datum.names - datum.rank))",
        )
    )
    names: alt.Chart = ends.mark_text(align="left", baseline="middle", fontSize=11.5, limit=alt.ExprRef(f"{room} - 8")).encode(
        x=alt.value(alt.ExprRef(f"width - {room} + 8")),
        y=alt.Y("spot:Q").scale(None).axis(None),
        text="name:N",
        color=color,
    )
    return names


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("label:N", title=gettext("Line")),
        alt.Tooltip("date:T", title=gettext("Day"), format=gettext("%-d %B %Y")),
        alt.Tooltip("usd:Q", title=gettext("USD per GPU and hour"), format=".3f"),
        alt.Tooltip("provider:N", title=gettext("Provider")),
        alt.Tooltip("n_offers:Q", title=gettext("Offers")),
    ]
