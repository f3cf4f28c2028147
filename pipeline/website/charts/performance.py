"""The charts of the performance model: what batch and network do, how fast cards are and what a dollar buys.

Everything else is as in `charts`. A mark is a shape and a colour; a line through it is its interval; an open mark has none.
"""

import altair as alt

from pipeline.website.charts import LABELS, Row, chart_of, layered

_SHAPES = ("circle", "diamond", "square")
_FILLED = alt.condition("isValid(datum.ci_low)", alt.value(1), alt.value(0))
_TICKS = [0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]
_WIDE = alt.ExprRef("containerSize()[0] < 460 ? 0 : 1")


def gain_by_batch(rows: list[Row]) -> alt.LayerChart:
    """Gain of twice the batch by starting batch, with the guide's constant as a dashed line.

    Rows: batch (in words, in order), family, gain, ci_low, ci_high (None = no interval), guide_gain, workloads (in words).
    """
    families, batches = (list(dict.fromkeys(row[key] for row in rows)) for key in ("family", "batch"))
    base = chart_of(rows).encode(
        x=alt.X("batch:O", sort=batches, title="Starting batch of one card, items").axis(labelAngle=0),
        xOffset=alt.XOffset("family:N", sort=families),
    )
    gain = alt.Y("gain:Q", title="Gain of throughput from b to 2 b").axis(format=".0%", tickCount=6)
    told = [
        alt.Tooltip("family:N", title="Network"),
        alt.Tooltip("batch:O", title="Starting batch"),
        alt.Tooltip("gain:Q", title="Gain", format=".1%"),
        alt.Tooltip("ci_low:Q", title="95% interval from", format=".1%"),
        alt.Tooltip("ci_high:Q", title="to", format=".1%"),
        alt.Tooltip("workloads:N", title="From"),
    ]
    count = base.mark_text(style="note", fontSize=11, align="left", dx=9, opacity=_WIDE)
    return layered(
        320,
        *_constant(rows),
        base.mark_rule(strokeWidth=1.6).encode(y=alt.Y("ci_low:Q"), y2="ci_high:Q", color=_colour("family", families)),
        _marks(base.encode(y=gain, tooltip=told), "family", families),
        count.encode(y=gain, text="workloads:N"),
    )


def _constant(rows: list[Row]) -> list[alt.Chart]:
    """The guide's constant across the chart, named once."""
    known = sorted({row["guide_gain"] for row in rows if row["guide_gain"] is not None})
    if not known:
        return []
    low, high = known[0], known[-1]
    said = f"{low:.1%}" if low == high else f"{100 * low:.1f} to {high:.1%}"
    lines = chart_of([{"gain": gain, "said": f"2020 guide: {said}" if gain == high else ""} for gain in known])
    gain = alt.Y("gain:Q")
    return [
        lines.mark_rule(strokeDash=[5, 4], strokeWidth=1.4, style="note").encode(y=gain),
        lines.mark_text(style="note", align="right", dy=-7, fontSize=11, opacity=_WIDE).encode(
            y=gain, x=alt.value("width"), text="said:N"
        ),
    ]


def scaling_by_link(rows: list[Row]) -> alt.LayerChart:
    """Scaling efficiency of each link at several numbers of cards. Rows: link (best first), cards (in words), efficiency,
    ci_low, ci_high (None = no interval)."""
    links, cards = (list(dict.fromkeys(row[key] for row in rows)) for key in ("link", "cards"))
    cards.sort(key=lambda text: int(text.split()[0]))
    base = chart_of(rows).encode(
        y=alt.Y("link:N", sort=links, title=None).axis(labelLimit=LABELS),
        yOffset=alt.YOffset("cards:N", sort=cards),
    )
    reached = alt.X("efficiency:Q", title="Scaling efficiency")
    reached = reached.scale(zero=False, nice=True).axis(format=".0%", tickCount=6)
    told = [
        alt.Tooltip("link:N", title="Link"),
        alt.Tooltip("cards:N", title="Cards"),
        alt.Tooltip("efficiency:Q", title="Efficiency", format=".1%"),
        alt.Tooltip("ci_low:Q", title="95% interval from", format=".1%"),
        alt.Tooltip("ci_high:Q", title="to", format=".1%"),
    ]
    return layered(64 * len(links), *_reaching(base.encode(x=reached, tooltip=told), "cards", cards))


def index_of_cards(rows: list[Row]) -> alt.LayerChart:
    """The index of cards, fastest first. Rows: card, basis, value, ci_low, ci_high (None = no interval)."""
    index = alt.X("value:Q", title="RTX 2080 Ti = 1 (log)")
    return _by_card(rows, "Index", index.scale(type="log", nice=False, padding=12).axis(values=_TICKS, format="~r"))


def value_of_renting(rows: list[Row]) -> alt.LayerChart:
    """Speed for a dollar of rent, most first. Rows: card, basis, value, ci_low, ci_high (None = no interval)."""
    return _by_card(rows, "Value", alt.X("value:Q", title="Speed for 1 USD an hour").scale(zero=True).axis(tickCount=6))


def _by_card(rows: list[Row], name: str, value: alt.X) -> alt.LayerChart:
    """One line per card in the order of the rows, measured and predicted by shape."""
    order = [row["card"] for row in rows]
    base = chart_of(rows).encode(y=alt.Y("card:N", sort=order, title=None).axis(labelLimit=LABELS), x=value)
    return layered(22 * len(order), *_reaching(base.encode(tooltip=_told(name)), "basis", _kinds(rows)))


def value_of_buying(rows: list[Row]) -> alt.LayerChart:
    """A block of lines for each size of machine, its cards below its name, best first; dashed, the card that is 1.

    Rows: size (in words, in order), card, basis, value, ci_low, ci_high (None = no interval).
    """
    lines: list[str] = []
    for size in dict.fromkeys(row["size"] for row in rows):
        lines += [f"#{size}", *(_line(row) for row in rows if row["size"] == size)]
    bold = alt.condition("slice(datum.value, 0, 1) == '#'", alt.value("bold"), alt.value("normal"))
    # the text after the first sign that parts a size from a card; a size has none, and loses its first sign
    names = alt.Axis(labelLimit=LABELS, labelExpr="slice(datum.value, indexof(datum.value, '#') + 1)", labelFontWeight=bold)
    base = chart_of([row | {"line": _line(row)} for row in rows])
    base = base.encode(y=alt.Y("line:N", sort=lines, scale=alt.Scale(domain=lines), title=None, axis=names))
    value = alt.X("value:Q", title="Value, RTX 3080 = 1").scale(zero=True).axis(tickCount=6)
    one = chart_of([{"value": 1}]).mark_rule(strokeDash=[5, 4], strokeWidth=1.4, style="note").encode(x=value)
    told = [alt.Tooltip("size:N", title="Machine of"), *_told("Value")]
    return layered(20 * len(lines), one, *_reaching(base.encode(x=value, tooltip=told), "basis", _kinds(rows)))


def _line(row: Row) -> str:
    return f"{row['size']}#{row['card']}"


def _kinds(rows: list[Row]) -> list[str]:
    return sorted({row["basis"] for row in rows})


def _told(name: str) -> list[alt.Tooltip]:
    """What a mark of a card says when it is pointed at."""
    return [
        alt.Tooltip("card:N", title="Card"),
        alt.Tooltip("basis:N", title="Speed"),
        alt.Tooltip("value:Q", title=name, format=".2f"),
        alt.Tooltip("ci_low:Q", title="90% interval from", format=".2f"),
        alt.Tooltip("ci_high:Q", title="to", format=".2f"),
    ]


def _scale(domain: list[str]) -> alt.Scale:
    return alt.Scale(domain=domain, range={1: "ordinal", 2: "ordinal", 3: "diverging"}.get(len(domain), "category"))


def _colour(key: str, domain: list[str]) -> alt.Color:
    return alt.Color(f"{key}:N", sort=domain, scale=_scale(domain))


def _reaching(base: alt.Chart, key: str, domain: list[str]) -> tuple[alt.Chart, alt.Chart]:
    """Intervals along the x axis, and their marks above them."""
    span = base.mark_rule(strokeWidth=1.6).encode(x=alt.X("ci_low:Q"), x2="ci_high:Q", color=_colour(key, domain))
    return span, _marks(base, key, domain)


def _marks(base: alt.Chart, key: str, domain: list[str]) -> alt.Chart:
    """The marks themselves: one shape and colour for each value of `key`, open where there is no interval."""
    shapes = alt.Scale(domain=domain, range=list(_SHAPES[: len(domain)]))
    marked: alt.Chart = base.mark_point(size=85, opacity=1, strokeWidth=1.8).encode(
        color=_colour(key, domain),
        fill=alt.Fill(f"{key}:N", sort=domain, scale=_scale(domain)),
        fillOpacity=_FILLED,
        shape=alt.Shape(f"{key}:N", sort=domain, scale=shapes),
    )
    return marked
