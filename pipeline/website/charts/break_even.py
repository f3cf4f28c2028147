"""Chart of the days until buying is cheaper than renting."""

import math

import altair as alt

from pipeline.website.charts.label_placement import letters, spread
from pipeline.website.charts.layout import HUES, Row, chart_of, color_of_line, layered, nearest_point, round_ticks, short_name
from pipeline.website.i18n.language import gettext

_HEIGHT = 360  # pixels
_GAP = 15  # pixels between two names
_LETTER = 6.6  # pixels


def days_to_break_even(rows: list[Row], marked: list[Row]) -> alt.LayerChart:
    """Days until buying is cheaper, over the utilization: a line per case with its name, the guide's strong.

    Rows: case, guide_case, utilisation, days; marked: utilisation, days, label.
    """
    names = list(dict.fromkeys(row["case"] for row in rows))
    height = max(_HEIGHT, _GAP * len(names))
    room = f"min({14 + _LETTER * max(map(letters, names)):.0f}, width * 0.42)"
    x = alt.X("utilisation:Q", title=gettext("Utilization"), scale=alt.Scale(range=[0, alt.ExprRef(f"width - {room}")]))
    x = x.axis(format=".0%", values=[0.05, 0.15, 0.25, 0.5, 0.75, 1])
    domain = [min(row["days"] for row in rows) / 1.05, max(row["days"] for row in rows) * 1.05]
    y = alt.Y("days:Q", title=gettext("Days until buying is cheaper (log)")).scale(type="log", domain=domain, nice=False)
    y = y.axis(format=",", values=round_ticks(1, 1e6))
    hue = {name: HUES[at % len(HUES)] for at, name in enumerate(names)}
    base = chart_of([row | {"hue": hue[row["case"]]} for row in rows]).encode(x=x, y=y, color=color_of_line(), detail="case:N")
    spot = chart_of(marked).encode(x=x, y=y)
    return layered(
        height,
        base.mark_line().encode(strokeWidth=alt.condition("datum.guide_case", alt.value(2.8), alt.value(1.6))),
        spot.mark_point(size=190, filled=True, opacity=1, shape="diamond", style="marked"),
        spot.mark_text(align="left", dx=12, dy=-12, style="strong", fontSize=13).encode(text="label:N"),
        nearest_point(base, _tooltip()),
        _names(rows, hue, domain, height, room),
    )


def _names(rows: list[Row], hue: dict[str, int], domain: list[float], height: int, room: str) -> alt.Chart:
    """The name of each line beside its end, moved until no two overlap."""
    last = {row["case"]: row["days"] for row in sorted(rows, key=lambda row: float(row["utilisation"]))}
    low, high = map(math.log, domain)
    ends = [height * (high - math.log(days)) / (high - low) for days in last.values()]
    spots = spread(ends, _GAP, height)
    names = chart_of([{"case": case, "spot": round(spot, 1), "hue": hue[case]} for case, spot in zip(last, spots, strict=True)])
    names = names.transform_calculate(name=short_name("datum.case"))
    text: alt.Chart = names.mark_text(align="left", baseline="middle", fontSize=11.5, limit=alt.ExprRef(f"{room} - 8"))
    at = alt.Y("spot:Q").scale(None).axis(None)
    placed: alt.Chart = text.encode(x=alt.value(alt.ExprRef(f"width - {room} + 8")), y=at, text="name:N", color=color_of_line())
    return placed


def _tooltip() -> list[alt.Tooltip]:
    return [
        alt.Tooltip("case:N", title=gettext("Bought")),
        alt.Tooltip("utilisation:Q", title=gettext("Utilization"), format=".0%"),
        alt.Tooltip("days:Q", title=gettext("Days"), format=",.0f"),
    ]
