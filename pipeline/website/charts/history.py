"""How a provider's prices moved, as an Altair specification over plain rows. What is said of it belongs in `pages`."""

import functools
from typing import Any, cast

import altair as alt

from pipeline.website.charts import Row, layered


def provider_history(rows: list[Row]) -> dict[str, Any]:
    """The price level of matched offers by day, one step line for each billing, from 1 at the start of its chain.

    Thin bars at the foot count the offers of each day, all billings together. Rows: day (ISO, with a time), billing (in
    words), price_index, chain, n_offers. The specification is made once; only its data differ.
    """
    low, high = min(row["price_index"] for row in rows), max(row["price_index"] for row in rows)
    room = max(high - low, 0.2)
    days: dict[str, int] = {}
    for row in rows:
        days[row["day"]] = days.get(row["day"], 0) + row["n_offers"]
    values = {
        "level": [max(0, low - 0.45 * room), high + 0.1 * room],
        "counts": [0, 6 * max(days.values())],
        "thick": max(1, min(5, 250 // len(days))),
    }
    params = [{"name": name, "value": value} for name, value in values.items()]
    return _provider_history() | {"params": params, "datasets": {"days": rows}}


@functools.cache
def _provider_history() -> dict[str, Any]:
    told = [
        alt.Tooltip("day:T", title="Day", format="%-d %B %Y"),
        alt.Tooltip("billing:N", title="Billing"),
        alt.Tooltip("price_index:Q", title="Price level", format=".3f"),
        alt.Tooltip("n_offers:Q", title="Offers"),
    ]
    ends = {name: [alt.ExprRef(f"{name}[{end}]") for end in (0, 1)] for name in ("level", "counts")}
    day = alt.X("day:T", title=None).axis(format="%-d %b %Y", tickCount=4, labelOverlap=True, grid=False)
    base = alt.Chart(alt.NamedData(name="days")).encode(x=day)
    counts = base.mark_bar(style="faint", size=alt.ExprRef("thick")).encode(
        y=alt.Y("sum(n_offers):Q", axis=None).scale(domain=ends["counts"])
    )
    level = alt.Y("price_index:Q", title="Price level of the same offers")
    level = level.scale(domain=ends["level"], nice=False, zero=False).axis(tickCount=5, format=".2f")
    lines = base.encode(y=level, color=alt.Color("billing:N").legend(symbolType="stroke"))
    drawn = [
        lines.mark_line(strokeWidth=2.2, interpolate="step-after").encode(
            strokeDash=alt.StrokeDash("billing:N", legend=None), detail="chain:N"
        ),
        lines.mark_point(size=60, filled=True, opacity=0).encode(tooltip=told),
    ]
    prices = cast(alt.LayerChart, alt.layer(*drawn))
    made: dict[str, Any] = layered(240, counts, prices).resolve_scale(y="independent").to_dict(validate=False)
    return made
