"""Charts of the performance model: effect of batch size and network, speed of GPUs, and value for money.

A line through a mark is its interval; an open mark has none.
"""

import altair as alt

from pipeline.website.charts.layout import CENTS, LABEL_LIMIT, WIDE, Row, chart_of, layered, short_name
from pipeline.website.i18n.language import gettext

_SHAPES = ("circle", "diamond", "square")
_FILLED = alt.condition("isValid(datum.ci_low)", alt.value(1), alt.value(0))
_TICKS = [0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]


def gain_by_batch(rows: list[Row]) -> alt.LayerChart:
    """Gain from doubling the batch size, by starting batch; dashed, the guide's constant.

    Rows: batch (in words, in order), family, gain, ci_low, ci_high (None = no interval), guide_gain, workloads (in words).
    """
    families, batches = (list(dict.fromkeys(row[key] for row in rows)) for key in ("family", "batch"))
    base = chart_of(rows).encode(
        x=alt.X("batch:O", sort=batches, title=gettext("Starting batch of one GPU, items")).axis(labelAngle=0),
        xOffset=alt.XOffset("family:N", sort=families),
    )
    gain = alt.Y("gain:Q", title=gettext("Throughput gain from doubling the batch")).axis(format=".0%", tickCount=6)
    tooltip = [
        alt.Tooltip("family:N", title=gettext("Network")),
        alt.Tooltip("batch:O", title=gettext("Starting batch")),
        alt.Tooltip("gain:Q", title=gettext("Gain"), format=".1%"),
        alt.Tooltip("ci_low:Q", title=gettext("95% interval from"), format=".1%"),
        alt.Tooltip("ci_high:Q", title=gettext("95% interval to"), format=".1%"),
        alt.Tooltip("workloads:N", title=gettext("Workloads")),
    ]
    count = base.mark_text(style="note", fontSize=11, align="left", dx=9, opacity=WIDE)
    return layered(
        320,
        *_guide_constant(rows),
        base.mark_rule(strokeWidth=1.6).encode(y=alt.Y("ci_low:Q"), y2="ci_high:Q", color=_color("family", families)),
        _marks(base.encode(y=gain, tooltip=tooltip), "family", families),
        count.encode(y=gain, text="workloads:N"),
    )


def _guide_constant(rows: list[Row]) -> list[alt.Chart]:
    """The guide's constant across the chart, labeled once."""
    known = sorted({row["guide_gain"] for row in rows if row["guide_gain"] is not None})
    if not known:
        return []
    low, high = known[0], known[-1]
    text = f"{low:.1%}" if low == high else gettext("{low} to {high}", low=f"{low:.1%}", high=f"{high:.1%}")
    label = gettext("2020 guide: {text}", text=text)
    lines = chart_of([{"gain": gain, "label": label if gain == high else ""} for gain in known])
    gain = alt.Y("gain:Q")
    return [
        lines.mark_rule(strokeDash=[5, 4], strokeWidth=1.4, style="note").encode(y=gain),
        lines.mark_text(style="note", align="right", dy=-7, fontSize=11, opacity=WIDE).encode(
            y=gain, x=alt.value("width"), text="label:N"
        ),
    ]


def scaling_by_link(rows: list[Row]) -> alt.LayerChart:
    """Scaling efficiency of each link at several GPU counts. Rows: link (best first), gpu_count, gpus (the count in words),
    efficiency, ci_low, ci_high (None = no interval)."""
    links = list(dict.fromkeys(row["link"] for row in rows))
    gpus = list(dict.fromkeys(row["gpus"] for row in sorted(rows, key=lambda row: row["gpu_count"])))
    base = chart_of(rows).encode(
        y=alt.Y("link:N", sort=links, title=None).axis(labelLimit=LABEL_LIMIT),
        yOffset=alt.YOffset("gpus:N", sort=gpus),
    )
    reached = alt.X("efficiency:Q", title=gettext("Scaling efficiency"))
    reached = reached.scale(zero=False, nice=True).axis(format=".0%", tickCount=6)
    tooltip = [
        alt.Tooltip("link:N", title=gettext("Link")),
        alt.Tooltip("gpus:N", title=gettext("GPUs")),
        alt.Tooltip("efficiency:Q", title=gettext("Efficiency"), format=".1%"),
        alt.Tooltip("ci_low:Q", title=gettext("95% interval from"), format=".1%"),
        alt.Tooltip("ci_high:Q", title=gettext("95% interval to"), format=".1%"),
    ]
    return layered(64 * len(links), *_intervals_and_marks(base.encode(x=reached, tooltip=tooltip), "gpus", gpus))


def gpu_index(rows: list[Row]) -> alt.LayerChart:
    """Index of GPUs, fastest first. Rows: gpu, basis, value, ci_low, ci_high (None = no interval)."""
    index = alt.X("value:Q", title=gettext("RTX 2080 Ti = 1 (log)"))
    return _by_gpu(rows, gettext("Index"), index.scale(type="log", nice=False, padding=12).axis(values=_TICKS, format="~r"))


def value_of_renting(rows: list[Row]) -> alt.LayerChart:
    """Speed per rental dollar, highest first. Rows: gpu, basis, value, ci_low, ci_high (None = no interval)."""
    value = alt.X("value:Q", title=gettext("Speed for 1 USD an hour"))
    return _by_gpu(rows, gettext("Value"), value.scale(zero=True).axis(tickCount=6))


def workload_by_gpu(rows: list[Row], title: str, is_cost: bool) -> alt.LayerChart:
    """Cost in USD or time of a run, best first. Rows: gpu, basis, value, ci_low, ci_high (None = no interval)."""
    label = f"datum.label ? '$' + {CENTS} : ''" if is_cost else "datum.label"
    value = alt.X("value:Q", title=gettext("{title} (log)", title=title))
    return _by_gpu(rows, title, value.scale(type="log", nice=False, padding=12).axis(tickCount=5, format="~g", labelExpr=label))


def _by_gpu(rows: list[Row], name: str, value: alt.X) -> alt.LayerChart:
    """One line per GPU in the order of the rows; the shape shows whether it is measured or predicted."""
    order = [row["gpu"] for row in rows]
    names = alt.Axis(labelLimit=LABEL_LIMIT, labelExpr=short_name("datum.label"))
    base = chart_of(rows).encode(y=alt.Y("gpu:N", sort=order, title=None, axis=names), x=value)
    return layered(22 * len(order), *_intervals_and_marks(base.encode(tooltip=_tooltip(name)), "basis", _bases(rows)))


def value_of_buying(rows: list[Row]) -> alt.LayerChart:
    """A block of lines for each machine size, with its GPUs below its name, best first; dashed, the reference GPU.

    Rows: size (in words, in order), gpu, basis, value, ci_low, ci_high (None = no interval).
    """
    lines: list[str] = []
    for size in dict.fromkeys(row["size"] for row in rows):
        lines += [f"#{size}", *(_line(row) for row in rows if row["size"] == size)]
    bold = alt.condition("slice(datum.value, 0, 1) == '#'", alt.value("bold"), alt.value("normal"))
    # a line is "#SIZE" or "SIZE#GPU": show what follows the first "#"
    names = alt.Axis(labelLimit=LABEL_LIMIT, labelExpr="slice(datum.value, indexof(datum.value, '#') + 1)", labelFontWeight=bold)
    base = chart_of([row | {"line": _line(row)} for row in rows])
    base = base.encode(y=alt.Y("line:N", sort=lines, scale=alt.Scale(domain=lines), title=None, axis=names))
    value = alt.X("value:Q", title=gettext("Value, RTX 3080 = 1")).scale(zero=True).axis(tickCount=6)
    one = chart_of([{"value": 1}]).mark_rule(strokeDash=[5, 4], strokeWidth=1.4, style="note").encode(x=value)
    tooltip = [alt.Tooltip("size:N", title=gettext("Machine of")), *_tooltip(gettext("Value"))]
    return layered(20 * len(lines), one, *_intervals_and_marks(base.encode(x=value, tooltip=tooltip), "basis", _bases(rows)))


def _line(row: Row) -> str:
    return f"{row['size']}#{row['gpu']}"


def _bases(rows: list[Row]) -> list[str]:
    return sorted({row["basis"] for row in rows})


def _tooltip(name: str) -> list[alt.Tooltip]:
    """Tooltips of a GPU's mark."""
    return [
        alt.Tooltip("gpu:N", title="GPU"),
        alt.Tooltip("basis:N", title=gettext("Speed")),
        alt.Tooltip("value:Q", title=name, format=".2f"),
        alt.Tooltip("ci_low:Q", title=gettext("90% interval from"), format=".2f"),
        alt.Tooltip("ci_high:Q", title=gettext("90% interval to"), format=".2f"),
    ]


def _scale(domain: list[str]) -> alt.Scale:
    return alt.Scale(domain=domain, range={1: "ordinal", 2: "ordinal", 3: "diverging"}.get(len(domain), "category"))


def _color(key: str, domain: list[str]) -> alt.Color:
    return alt.Color(f"{key}:N", sort=domain, scale=_scale(domain))


def _intervals_and_marks(base: alt.Chart, key: str, domain: list[str]) -> tuple[alt.Chart, alt.Chart]:
    """Intervals along the x axis, below their marks."""
    span = base.mark_rule(strokeWidth=1.6).encode(x=alt.X("ci_low:Q"), x2="ci_high:Q", color=_color(key, domain))
    return span, _marks(base, key, domain)


def _marks(base: alt.Chart, key: str, domain: list[str]) -> alt.Chart:
    """One shape and color for each value of `key`; open marks have no interval."""
    shapes = alt.Scale(domain=domain, range=list(_SHAPES[: len(domain)]))
    marks: alt.Chart = base.mark_point(size=85, opacity=1, strokeWidth=1.8).encode(
        color=_color(key, domain),
        fill=alt.Fill(f"{key}:N", sort=domain, scale=_scale(domain)),
        fillOpacity=_FILLED,
        shape=alt.Shape(f"{key}:N", sort=domain, scale=shapes),
    )
    return marks
