"""Charts of prices by day: of a GPU and of a provider. Their specifications are made once; only the data differ."""

import functools
from typing import Any, cast

import altair as alt

from pipeline.website.charts.layout import Row, layered


def price_history(rows: list[Row]) -> dict[str, Any]:
    """The median over providers by day as steps, one color for each billing; thin, the cheapest offer.

    Prices hold until the next day on which somebody looked. Thin bars at the foot count the offers behind each day. Rows: day
    (ISO, with a time: without one it is read as UTC), billing (in words), line (points of one line),
    usd_min, low_provider, usd_median, n_offers, n_providers. The specification is made once for all GPUs; only the data differ.
    """
    highest = max(max(row["usd_min"], row["usd_median"] or 0) for row in rows)
    counts: dict[str, int] = {}
    for row in rows:
        counts[row["day"]] = counts.get(row["day"], 0) + row["n_offers"]
    values = {
        "prices": [0, 1.1 * highest],
        "counts": [0, 6 * max(counts.values())],
        "thick": max(1, min(5, 250 // len(counts))),
    }
    params = [{"name": name, "value": value} for name, value in values.items()]
    shared = _price_history()
    return shared | {"params": [*shared.get("params", []), *params], "datasets": {"days": rows}}


@functools.cache
def _price_history() -> dict[str, Any]:
    tooltip = [alt.Tooltip("billing:N", title="Billing"), *_tooltip()]
    ends = {name: [alt.ExprRef(f"{name}[{end}]") for end in (0, 1)] for name in ("prices", "counts")}
    base = (
        alt.Chart(alt.NamedData(name="days"))
        .transform_joinaggregate(last_day="max(day)")
        .transform_filter("shown_days == 0 || toDate(datum.last_day) - toDate(datum.day) <= shown_days * 86400000")
        .encode(x=_day_axis())
    )
    counts = base.mark_bar(style="faint", size=alt.ExprRef("thick")).encode(
        y=alt.Y("sum(n_offers):Q", axis=None).scale(domain=ends["counts"])
    )
    low, median = (
        alt.Y(f"{name}:Q", title="USD per GPU and hour")
        .scale(domain=ends["prices"], nice=False, zero=False)
        .axis(tickCount=5, format="$.2f")
        for name in ("usd_min", "usd_median")
    )
    lines = base.encode(color=alt.Color("billing:N").legend(symbolType="stroke"), detail="line:N")
    layers = [
        lines.mark_line(strokeWidth=2.6, interpolate="step-after").encode(y=median),
        lines.mark_line(strokeWidth=1.1, interpolate="step-after").encode(y=low),
        lines.mark_point(size=60, filled=True, opacity=0).encode(y=low, tooltip=tooltip),
    ]
    prices = cast(alt.LayerChart, alt.layer(*layers))
    chart = layered(280, counts, prices).resolve_scale(y="independent").add_params(_day_range())
    spec: dict[str, Any] = chart.to_dict(validate=False)
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
    base = alt.Chart(alt.NamedData(name="days")).encode(x=_day_axis())
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


def market_history(rows: list[Row], months: list[Row], names: list[str], shown: int) -> dict[str, Any]:
    """The cheapest offer of several GPUs by day as steps, with a checkbox for each; the first `shown` are checked.

    Rows as those of `price_history`, with gpu (its name) and place (its place in `names`) instead of billing. Bars at the foot
    count the offers of the checked GPUs by month; rows of `months`: day, place, n_offers.
    """
    checks = [
        alt.param(name=f"show_{place}", value=place < shown, bind=alt.binding_checkbox(name=name))
        for place, name in enumerate(names)
    ]
    checked = " || ".join(f"(datum.place == {place} && show_{place})" for place in range(len(names)))
    base, by_month = (
        alt.Chart(alt.NamedData(name=name))
        .transform_filter(checked)
        .transform_joinaggregate(last_day="max(day)")
        .transform_filter("shown_days == 0 || toDate(datum.last_day) - toDate(datum.day) <= shown_days * 86400000")
        .encode(x=_day_axis())
        for name in ("days", "months")
    )
    counts = by_month.mark_bar(style="faint", size=4).encode(
        y=alt.Y("sum(n_offers):Q", axis=None).scale(domainMax=alt.ExprRef("offers"))
    )
    dashes = [[1, 0] if place < shown else [5, 3] for place in range(len(names))]
    price = alt.Y("usd_min:Q", title="USD per GPU and hour").axis(tickCount=5, format="$.2f")
    lines = base.encode(
        y=price,
        color=alt.Color("gpu:N", sort=names).legend(symbolType="stroke", columns=alt.ExprRef("containerSize()[0] < 460 ? 2 : 6")),
        strokeDash=alt.StrokeDash("gpu:N", sort=names).scale(domain=names, range=dashes).legend(None),
        detail="line:N",
    )
    tooltip = [alt.Tooltip("gpu:N", title="GPU"), *_tooltip()]
    layers = [
        lines.mark_line(strokeWidth=2.2, interpolate="step-after"),
        lines.mark_point(size=60, filled=True, opacity=0).encode(tooltip=tooltip),
    ]
    chart = layered(320, counts, cast(alt.LayerChart, alt.layer(*layers))).resolve_scale(y="independent")
    spec: dict[str, Any] = chart.add_params(_day_range(), *checks).to_dict(validate=False)
    offers = {"name": "offers", "value": 6 * _most_offers(months)}
    return spec | {"params": [*spec["params"], offers], "datasets": {"days": rows, "months": months}}


def _most_offers(months: list[Row]) -> int:
    by_month: dict[str, int] = {}
    for row in months:
        by_month[row["day"]] = by_month.get(row["day"], 0) + row["n_offers"]
    return max(by_month.values())


def _day_range() -> alt.Parameter:
    return alt.param(
        name="shown_days", value=0,
        bind=alt.binding_radio(options=[0, 730, 365, 91], labels=["all", "2 years", "1 year", "3 months"], name="Time shown: "),
    )  # fmt: skip


def _day_axis() -> alt.X:
    return alt.X("day:T", title=None).axis(format="%-d %b %Y", tickCount=4, labelOverlap=True, grid=False)


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("day:T", title="Day", format="%-d %B %Y"),
        alt.Tooltip("usd_min:Q", title="Lowest, USD", format=".3f"),
        alt.Tooltip("low_provider:N", title="at"),
        alt.Tooltip("usd_median:Q", title="Median of providers, USD", format=".3f"),
        alt.Tooltip("n_offers:Q", title="Offers"),
        alt.Tooltip("n_providers:Q", title="Providers"),
    ]
