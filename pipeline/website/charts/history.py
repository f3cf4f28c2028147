"""Charts of prices by day: of a GPU and of a provider. Their specifications are made once; only the data differ."""

import functools
from typing import Any, cast

import altair as alt

from pipeline.website.charts.layout import Row, layered


def price_history(rows: list[Row]) -> dict[str, Any]:
    """The median price by day in its quartile band; dashed, the median corrected for offers that appear or vanish.

    Thin bars at the foot count the offers behind each point. Rows: day (ISO, with a time: without one it is read as UTC),
    usd_p25, usd_median, usd_p75, usd_matched, chain (of matched days), n_offers. The specification is
    made once for all GPUs; only the data differ.
    """
    low, high = min(row["usd_p25"] for row in rows), max(row["usd_p75"] for row in rows)
    matched = [row["usd_matched"] for row in rows if row["usd_matched"] is not None]
    low, high = min([low, *matched]), max([high, *matched])
    margin = max(high - low, 0.1 * high)
    most = max(row["n_offers"] for row in rows)
    values = {
        "prices": [max(0, low - 0.4 * margin), high + 0.1 * margin],
        "counts": [0, 6 * most],
        "thick": max(1, min(5, 250 // len(rows))),
    }
    params = [{"name": name, "value": value} for name, value in values.items()]
    return _price_history() | {"params": params, "datasets": {"days": rows}}


@functools.cache
def _price_history() -> dict[str, Any]:
    ends = {name: [alt.ExprRef(f"{name}[{end}]") for end in (0, 1)] for name in ("prices", "counts")}
    tooltip = [
        alt.Tooltip("day:T", title="Day", format="%-d %B %Y"),
        alt.Tooltip("usd_median:Q", title="Median, USD", format=".3f"),
        alt.Tooltip("usd_p25:Q", title="Lower quartile", format=".3f"),
        alt.Tooltip("usd_p75:Q", title="Upper quartile", format=".3f"),
        alt.Tooltip("usd_matched:Q", title="Same offers", format=".3f"),
        alt.Tooltip("n_offers:Q", title="Offers"),
    ]
    day = alt.X("day:T", title=None).axis(format="%-d %b %Y", tickCount=4, labelOverlap=True, grid=False)
    base = alt.Chart(alt.NamedData(name="days")).encode(x=day)
    counts = base.mark_bar(style="faint", size=alt.ExprRef("thick")).encode(
        y=alt.Y("n_offers:Q", axis=None).scale(domain=ends["counts"]), tooltip=tooltip
    )
    low, middle, matched = (
        alt.Y(f"{name}:Q", title="USD per GPU and hour")
        .scale(domain=ends["prices"], nice=False, zero=False)
        .axis(tickCount=5, format="$.2f")
        for name in ("usd_p25", "usd_median", "usd_matched")
    )
    layers = [
        base.mark_area(opacity=0.2).encode(y=low, y2="usd_p75:Q"),
        base.mark_line(strokeDash=[5, 4], strokeWidth=1.6, style="marked").encode(y=matched, detail="chain:N"),
        base.mark_line(strokeWidth=2.4).encode(y=middle),
        base.mark_point(size=60, filled=True, opacity=0).encode(y=middle, tooltip=tooltip),
    ]
    prices = cast(alt.LayerChart, alt.layer(*layers))
    spec: dict[str, Any] = layered(280, counts, prices).resolve_scale(y="independent").to_dict(validate=False)
    return spec


def provider_history(rows: list[Row]) -> dict[str, Any]:
    """The price level of matched offers by day, one step line for each billing, from 1 at the start of its chain.

    Thin bars at the foot count the offers of each day, all billings together. Rows: day (ISO, with a time), billing (in
    words), price_index, chain, n_offers.
    """
    low, high = min(row["price_index"] for row in rows), max(row["price_index"] for row in rows)
    margin = max(high - low, 0.2)
    days: dict[str, int] = {}
    for row in rows:
        days[row["day"]] = days.get(row["day"], 0) + row["n_offers"]
    values = {
        "level": [max(0, low - 0.45 * margin), high + 0.1 * margin],
        "counts": [0, 6 * max(days.values())],
        "thick": max(1, min(5, 250 // len(days))),
    }
    params = [{"name": name, "value": value} for name, value in values.items()]
    return _provider_history() | {"params": params, "datasets": {"days": rows}}


@functools.cache
def _provider_history() -> dict[str, Any]:
    tooltip = [
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
    layers = [
        lines.mark_line(strokeWidth=2.2, interpolate="step-after").encode(
            strokeDash=alt.StrokeDash("billing:N", legend=None), detail="chain:N"
        ),
        lines.mark_point(size=60, filled=True, opacity=0).encode(tooltip=tooltip),
    ]
    prices = cast(alt.LayerChart, alt.layer(*layers))
    spec: dict[str, Any] = layered(240, counts, prices).resolve_scale(y="independent").to_dict(validate=False)
    return spec
