"""Chart of the guides' timed runs: price of an hour against time of a run."""

import altair as alt

from pipeline.website.charts.label_placement import OFFSETS, names_beside, place_labels
from pipeline.website.charts.layout import Row, chart_of, layered, padded_range, round_ticks
from pipeline.website.i18n.language import gettext

_SHAPES = ("cross", "square", "triangle-up", "diamond", "circle", "triangle-down")
_LEGEND_COLUMNS = alt.ExprRef("width < 460 ? 3 : 8")
_COSTS = [digit * 10.0**power for power in range(-5, 3) for digit in (1, 2, 5)]


def price_against_time(rows: list[Row], task: str) -> alt.LayerChart:
    """Price of an hour against seconds of one run, one task at a time; diagonals join equal costs of a run.

    Rows: task, machine, generation, usd_per_gpu_hour, seconds (None = out of memory), usd_per_run,
    best (none is better in both).
    """
    timed = [row for row in rows if row["seconds"] is not None]
    failed = [row for row in rows if row["seconds"] is None]
    low, high = padded_range([row["usd_per_gpu_hour"] for row in rows])
    price = alt.X("usd_per_gpu_hour:Q", title=gettext("Price of one hour, USD (log)"))
    price = price.scale(type="log", domain=[low, high], nice=False).axis(values=round_ticks(low, high), format="$.2f", grid=False)
    bounds = {
        name: padded_range([row["seconds"] for row in timed if row["task"] == name])
        for name in dict.fromkeys(row["task"] for row in timed)
    }
    ends = [alt.ExprRef(f"bounds[task][{end}]") for end in (0, 1)]
    time = alt.Y("seconds:Q", title=gettext("Seconds for one run (log)")).scale(type="log", domain=ends, nice=False)
    time = time.axis(tickCount=5, format="~r", grid=False)
    chart = layered(400, *_equal_costs(timed, low, high, price, time), _out_of_memory(failed, price), *_runs(timed, price, time))
    return chart.add_params(alt.param(name="task", value=task), alt.param(name="bounds", value=bounds))


def _runs(rows: list[Row], price: alt.X, time: alt.Y) -> list[alt.Chart]:
    generations = list(dict.fromkeys(row["generation"] for row in rows))
    shapes = alt.Scale(domain=generations, range=list(_SHAPES[: len(generations)]))
    tooltip = [
        alt.Tooltip("machine:N", title="GPU"),
        alt.Tooltip("usd_per_gpu_hour:Q", title=gettext("USD per hour"), format=".2f"),
        alt.Tooltip("seconds:Q", title=gettext("Seconds"), format=",.2f"),
        alt.Tooltip("usd_per_run:Q", title=gettext("USD per run"), format=".4f"),
    ]
    base = chart_of(place_labels(rows)).transform_filter("datum.task == task").encode(x=price, y=time)
    marks = base.mark_point(filled=True, opacity=1).encode(
        color=alt.Color("generation:N", sort=generations, scale=alt.Scale(domain=generations)).legend(columns=_LEGEND_COLUMNS),
        shape=alt.Shape("generation:N", sort=generations, scale=shapes).legend(columns=_LEGEND_COLUMNS),
        size=alt.condition("datum.best", alt.value(150), alt.value(75)),
        tooltip=tooltip,
    )
    shown = alt.condition("datum.best || width > 460", alt.value(1), alt.value(0))  # else of the Pareto-optimal GPUs only
    return [marks, *(names_beside(base, side, "machine:N", shown) for side in OFFSETS)]


def _out_of_memory(rows: list[Row], price: alt.X) -> alt.Chart:
    base = chart_of(rows).transform_filter("datum.task == task")
    usd = alt.Tooltip("usd_per_gpu_hour:Q", title=gettext("USD per hour"), format=".2f")
    tooltip = [alt.Tooltip("machine:N", title=gettext("Out of memory")), usd]
    crosses: alt.Chart = base.mark_text(text="✕", style="note", fontSize=13).encode(x=price, y=alt.value(6), tooltip=tooltip)
    return crosses


def _equal_costs(rows: list[Row], low: float, high: float, price: alt.X, time: alt.Y) -> list[alt.Chart]:
    lines = [point for task in dict.fromkeys(row["task"] for row in rows) for point in _cost_lines(rows, task, low, high)]
    base = chart_of(lines).transform_filter("datum.task == task").encode(x=price, y=time)
    diagonals = base.mark_line(style="faint", strokeDash=[2, 4], strokeWidth=1).encode(detail="cost:N")
    labels = (
        base.transform_filter("datum.named")
        .transform_calculate(shown="containerSize()[0] < 460 ? datum.usd : datum.cost")
        .mark_text(style="note", align="right", dx=-4, dy=-7, fontSize=11)
        .encode(text="shown:N")
    )
    return [diagonals, labels]


def _cost_lines(rows: list[Row], task: str, low: float, high: float) -> list[Row]:
    """Both ends of each diagonal `price x time = cost`, cut to the box of the task's runs."""
    fast, slow = padded_range([row["seconds"] for row in rows if row["task"] == task])
    lines: list[Row] = []
    for cost in _COSTS:
        left, right = max(low, 3600 * cost / slow), min(high, 3600 * cost / fast)
        if right > left * 1.3:
            usd = f"${cost:g}" if cost >= 0.995 else f"{100 * cost:g}¢"
            label = gettext("{cost} a run", cost=usd)
            ends = [{"usd_per_gpu_hour": x, "seconds": 3600 * cost / x, "cost": label, "task": task} for x in (left, right)]
            lines += [ends[0] | {"named": False}, ends[1] | {"named": True, "usd": usd}]
    return lines
