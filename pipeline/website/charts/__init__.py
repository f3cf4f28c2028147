"""The charts themselves, as Altair specifications over plain rows. Where one stands and what is said of it belongs in `pages`.

Every chart takes rows that are ready to draw and returns a chart that fills the width it is given. Colours come from
the theme (light or dark), never from a chart, and no meaning rests on colour alone.
"""

import functools
from collections.abc import Sequence
from typing import Any, cast

import altair as alt

from pipeline.website.charts.labels import placed

Row = dict[str, Any]
SHAPES = ("cross", "square", "triangle-up", "diamond", "circle", "triangle-down")
LABELS = alt.ExprRef("containerSize()[0] < 460 ? 110 : 200")
_LEGEND = alt.ExprRef("width < 460 ? 3 : 8")
_VERDICT_COLUMNS = alt.ExprRef("containerSize()[0] < 460 ? 2 : 3")
_COSTS = [digit * 10.0**power for power in range(-5, 3) for digit in (1, 2, 5)]


def chart_of(rows: Sequence[Row]) -> alt.Chart:
    """An empty chart over the rows."""
    data: Any = alt.Data  # its constructor of inline data is untyped
    return alt.Chart(data(values=list(rows)))


def layered(height: int, *layers: alt.Chart | alt.LayerChart) -> alt.LayerChart:
    """The layers as one chart that fills the width it is given."""
    return cast(alt.LayerChart, alt.layer(*layers).properties(width="container", height=height))


def price_against_time(rows: list[Row], task: str) -> alt.LayerChart:
    """Price of an hour against seconds of one run, one task at a time; diagonals join equal costs of a run.

    Rows: task, machine, generation, usd_per_hour, seconds (None = out of memory), usd_per_run, best (nothing beats it in both).
    """
    timed = [row for row in rows if row["seconds"] is not None]
    failed = [row for row in rows if row["seconds"] is None]
    low, high = _span([row["usd_per_hour"] for row in rows])
    price = alt.X("usd_per_hour:Q", title="Price of one hour, USD (log)").scale(type="log", domain=[low, high], nice=False)
    price = price.axis(values=_nice_ticks(low, high), format="$.2f", grid=False)
    box = {
        name: _span([row["seconds"] for row in timed if row["task"] == name])
        for name in dict.fromkeys(row["task"] for row in timed)
    }
    ends = [alt.ExprRef(f"bounds[task][{end}]") for end in (0, 1)]
    time = alt.Y("seconds:Q", title="Seconds for one run (log)").scale(type="log", domain=ends, nice=False)
    time = time.axis(tickCount=5, format="~r", grid=False)
    drawn = layered(400, *_equal_costs(timed, low, high, price, time), _out_of_memory(failed, price), *_runs(timed, price, time))
    return drawn.add_params(alt.param(name="task", value=task), alt.param(name="bounds", value=box))


def _runs(rows: list[Row], price: alt.X, time: alt.Y) -> list[alt.Chart]:
    generations = list(dict.fromkeys(row["generation"] for row in rows))
    shapes = alt.Scale(domain=generations, range=list(SHAPES[: len(generations)]))
    told = [
        alt.Tooltip("machine:N", title="Card"),
        alt.Tooltip("usd_per_hour:Q", title="USD per hour", format=".2f"),
        alt.Tooltip("seconds:Q", title="Seconds", format=",.2f"),
        alt.Tooltip("usd_per_run:Q", title="USD per run", format=".4f"),
    ]
    base = chart_of(placed(rows)).transform_filter("datum.task == task").encode(x=price, y=time)
    marks = base.mark_point(filled=True, opacity=1).encode(
        color=alt.Color("generation:N", sort=generations, scale=alt.Scale(domain=generations)).legend(columns=_LEGEND),
        shape=alt.Shape("generation:N", sort=generations, scale=shapes).legend(columns=_LEGEND),
        size=alt.condition("datum.best", alt.value(150), alt.value(75)),
        tooltip=told,
    )
    return [marks, *(_names(base, side) for side in ("right", "left", "above", "below"))]


_OFFSETS: dict[str, tuple[Any, int, int]] = {
    "right": ("left", 10, 0),
    "left": ("right", -10, 0),
    "above": ("center", 0, -14),
    "below": ("center", 0, 15),
}


def _names(base: alt.Chart, side: str) -> alt.Chart:
    """Names of the cards on one side of their marks; on a narrow screen only those that nothing beats."""
    align, dx, dy = _OFFSETS[side]
    seen = alt.condition("datum.best || width > 460", alt.value(1), alt.value(0))
    text: alt.Chart = base.transform_filter(f"datum.side == '{side}'").mark_text(align=align, dx=dx, dy=dy, baseline="middle")
    named: alt.Chart = text.encode(text="machine:N", opacity=seen)
    return named


def _out_of_memory(rows: list[Row], price: alt.X) -> alt.Chart:
    base = chart_of(rows).transform_filter("datum.task == task")
    told = [alt.Tooltip("machine:N", title="Out of memory"), alt.Tooltip("usd_per_hour:Q", title="USD per hour", format=".2f")]
    crosses: alt.Chart = base.mark_text(text="✕", style="note", fontSize=13).encode(x=price, y=alt.value(6), tooltip=told)
    return crosses


def _equal_costs(rows: list[Row], low: float, high: float, price: alt.X, time: alt.Y) -> list[alt.Chart]:
    lines = [point for task in dict.fromkeys(row["task"] for row in rows) for point in _cost_lines(rows, task, low, high)]
    base = chart_of(lines).transform_filter("datum.task == task").encode(x=price, y=time)
    drawn = base.mark_line(style="faint", strokeDash=[2, 4], strokeWidth=1).encode(detail="cost:N")
    named = (
        base.transform_filter("datum.named")
        .mark_text(style="note", align="right", dx=-4, dy=-7, fontSize=11)
        .encode(text="cost:N")
    )
    return [drawn, named]


def _cost_lines(rows: list[Row], task: str, low: float, high: float) -> list[Row]:
    """Both ends of each diagonal `price x time = cost`, cut to the box of the task's runs."""
    fast, slow = _span([row["seconds"] for row in rows if row["task"] == task])
    lines: list[Row] = []
    for cost in _COSTS:
        left, right = max(low, 3600 * cost / slow), min(high, 3600 * cost / fast)
        if right > left * 1.3:
            label = f"${cost:g} a run" if cost >= 0.995 else f"{100 * cost:g}¢ a run"
            ends = [{"usd_per_hour": x, "seconds": 3600 * cost / x, "cost": label, "task": task} for x in (left, right)]
            lines += [ends[0] | {"named": False}, ends[1] | {"named": True}]
    return lines


def _span(values: list[float]) -> tuple[float, float]:
    return (min(values) / 1.25, max(values) * 1.3)


def _nice_ticks(low: float, high: float) -> list[float]:
    steps = [digit * 10.0**power for power in range(-4, 6) for digit in (1, 2, 5)]
    return [round(step, 4) for step in steps if low <= step <= high]


def cost_of_compute(rows: list[Row]) -> alt.LayerChart:
    """One line per card, a mark for each number format, on a log axis, best first.

    Rows: card, format, usd_per_tflop_hour, behind (what the price rests on), last (the row that `behind` stands beside).
    """
    order = list(dict.fromkeys(row["card"] for row in rows))
    formats = list(dict.fromkeys(row["format"] for row in rows))
    low, high = _span([row["usd_per_tflop_hour"] for row in rows])
    base = chart_of(rows).encode(
        y=alt.Y("card:N", sort=order, title=None).axis(labelLimit=LABELS),
        x=alt.X("usd_per_tflop_hour:Q", title="USD for one TFLOPS during one hour (log)")
        .scale(type="log", domain=[low, high * 1.25], nice=False)
        .axis(format="$~r", values=_nice_ticks(low, high)),
    )
    span = base.mark_line(style="faint", strokeWidth=1.5).encode(detail="card:N")
    marks = base.mark_point(filled=True, size=110, opacity=1).encode(
        color=alt.Color("format:N", sort=formats, scale=alt.Scale(domain=formats, range="ordinal")),
        shape=alt.Shape("format:N", sort=formats, scale=alt.Scale(domain=formats, range=["circle", "diamond"])),
        tooltip=[
            alt.Tooltip("card:N", title="Card"),
            alt.Tooltip("format:N", title="Format"),
            alt.Tooltip("usd_per_tflop_hour:Q", title="USD per TFLOPS and hour", format=".4f"),
            alt.Tooltip("behind:N", title="Offers / providers"),
        ],
    )
    behind = base.transform_filter("datum.last").mark_text(style="note", align="left", dx=10, fontSize=11).encode(text="behind:N")
    return layered(27 * len(order), span, marks, behind)


def memory_per_dollar(rows: list[Row]) -> alt.LayerChart:
    """Bars at the cheapest price with a tick at the median, in the order of the rows.

    Rows: card, memory_gb, gb_per_usd_hour, gb_per_usd_hour_median, behind (what the price rests on), best (drawn strong).
    """
    order = [row["card"] for row in rows]
    base = chart_of(rows).encode(
        y=alt.Y("card:N", sort=order, title=None).axis(labelLimit=LABELS),
        tooltip=[
            alt.Tooltip("card:N", title="Card"),
            alt.Tooltip("gb_per_usd_hour:Q", title="GB per USD and hour, cheapest", format=",.3~r"),
            alt.Tooltip("gb_per_usd_hour_median:Q", title="at the median", format=",.3~r"),
            alt.Tooltip("behind:N", title="Offers / providers"),
        ],
    )
    long = alt.X("gb_per_usd_hour:Q", title="GB for one USD an hour").axis(tickCount=5, format="~s")
    drawn = base.mark_bar(height={"band": 0.68}).encode(x=long, opacity=alt.condition("datum.best", alt.value(1), alt.value(0.5)))
    median = base.mark_tick(thickness=2, height={"band": 0.68}, style="strong").encode(x="gb_per_usd_hour_median:Q")
    named = base.transform_calculate(said="format(datum.gb_per_usd_hour, ',.3~r') + '   (' + datum.behind + ')'")
    text = named.mark_text(align="left", dx=6).encode(x=long, text="said:N")
    return layered(27 * len(order), drawn, median, text)


def verdicts(rows: list[Row], label: str, axis: str) -> alt.LayerChart:
    """Stacked bars of how many of a group hold. Rows: `label`, verdict, figures, place (order of the verdict); good first."""
    order, kinds = (list(dict.fromkeys(row[key] for row in rows)) for key in (label, "verdict"))
    color = alt.Color("verdict:N", sort=kinds, scale=alt.Scale(domain=kinds, range="diverging")).legend(columns=_VERDICT_COLUMNS)
    base = chart_of(rows).encode(
        y=alt.Y(f"{label}:N", sort=order, title=None).axis(labelLimit=LABELS),
        x=alt.X("figures:Q", stack="zero", title=axis).axis(tickCount=5),
        order=alt.Order("place:Q"),
    )
    told = [
        alt.Tooltip(f"{label}:N", title="Of"),
        alt.Tooltip("verdict:N", title="Verdict"),
        alt.Tooltip("figures:Q", title=axis),
    ]
    drawn = base.mark_bar(height={"band": 0.66}).encode(color=color, tooltip=told)
    return layered((34 if len(order) < 12 else 22) * len(order), drawn)


def days_to_break_even(rows: list[Row], marked: list[Row]) -> alt.LayerChart:
    """Days until buying is cheaper, over the share of hours used; the guide's own case strong, others faint.

    Rows: case, guide_case, utilisation, days; marked: utilisation, days, label.
    """
    x = alt.X("utilisation:Q", title="Share of hours in use").axis(format=".0%", values=[0.05, 0.15, 0.25, 0.5, 0.75, 1])
    y = (
        alt.Y("days:Q", title="Days until buying is cheaper (log)")
        .scale(type="log", nice=False)
        .axis(format=",", values=_nice_ticks(1, 1e6))
    )
    told = [
        alt.Tooltip("case:N", title="Bought"),
        alt.Tooltip("utilisation:Q", title="In use", format=".0%"),
        alt.Tooltip("days:Q", title="Days", format=",.0f"),
    ]
    base = chart_of(rows).encode(x=x, y=y, detail="case:N", tooltip=told)
    spot = chart_of(marked).encode(x=x, y=y)
    return layered(
        360,
        base.transform_filter("!datum.guide_case").mark_line(style="faint", strokeWidth=1.2),
        base.transform_filter("datum.guide_case").mark_line(strokeWidth=2.8),
        spot.mark_point(size=190, filled=True, opacity=1, shape="diamond", style="marked"),
        spot.mark_text(align="left", dx=12, dy=-12, style="strong", fontSize=13).encode(text="label:N"),
    )


def price_history(rows: list[Row]) -> dict[str, Any]:
    """The median price by day in its quartile band; dashed, where it would be had the same offers been listed throughout.

    Thin bars at the foot count the offers behind each point. Rows: day (ISO, with a time: without one it is read as UTC),
    usd_p25, usd_median, usd_p75, usd_matched, chain (of matched days), n_offers. There is one for every card, so that the
    specification is made once and only its data differ.
    """
    low, high = min(row["usd_p25"] for row in rows), max(row["usd_p75"] for row in rows)
    drawn = [row["usd_matched"] for row in rows if row["usd_matched"] is not None]
    low, high = min([low, *drawn]), max([high, *drawn])
    room = max(high - low, 0.1 * high)
    most = max(row["n_offers"] for row in rows)
    values = {
        "prices": [max(0, low - 0.4 * room), high + 0.1 * room],
        "counts": [0, 6 * most],
        "thick": max(1, min(5, 250 // len(rows))),
    }
    params = [{"name": name, "value": value} for name, value in values.items()]
    return _price_history() | {"params": params, "datasets": {"days": rows}}


@functools.cache
def _price_history() -> dict[str, Any]:
    ends = {name: [alt.ExprRef(f"{name}[{end}]") for end in (0, 1)] for name in ("prices", "counts")}
    told = [
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
        y=alt.Y("n_offers:Q", axis=None).scale(domain=ends["counts"]), tooltip=told
    )
    low, middle, matched = (
        alt.Y(f"{name}:Q", title="USD per GPU and hour")
        .scale(domain=ends["prices"], nice=False, zero=False)
        .axis(tickCount=5, format="$.2f")
        for name in ("usd_p25", "usd_median", "usd_matched")
    )
    drawn = [
        base.mark_area(opacity=0.2).encode(y=low, y2="usd_p75:Q"),
        base.mark_line(strokeDash=[5, 4], strokeWidth=1.6, style="marked").encode(y=matched, detail="chain:N"),
        base.mark_line(strokeWidth=2.4).encode(y=middle),
        base.mark_point(size=60, filled=True, opacity=0).encode(y=middle, tooltip=told),
    ]
    prices = cast(alt.LayerChart, alt.layer(*drawn))
    made: dict[str, Any] = layered(280, counts, prices).resolve_scale(y="independent").to_dict(validate=False)
    return made
