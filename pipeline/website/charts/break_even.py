"""Chart of the days until buying is cheaper than renting."""

import math

import altair as alt

from pipeline.website.charts.label_placement import free_spots, letters, spread
from pipeline.website.charts.layout import HUES, Row, chart_of, color_of_line, layered, nearest_point, round_ticks, short_name
from pipeline.website.i18n.language import gettext

_HEIGHT = 360  # pixels
_GAP = 15  # pixels between two names
_LETTER = 6.6  # pixels
_FAINT = HUES[-1]  # grey
_CHOSEN = "datum.gpu_id == gpu"
_SHOWN = f"datum.named || {_CHOSEN}"


def days_to_break_even(rows: list[Row], marked: list[Row]) -> alt.LayerChart:
    """Days until buying is cheaper, over the utilization: a line per case, those of `named` in color, the others faint.

    Rows: case, gpu_id, guide_case, named, utilisation, days; marked: utilisation, days, label. The signal `gpu` is the GPU
    that the form has chosen: its lines are strong and have their names.
    """
    names = list(dict.fromkeys(row["case"] for row in rows))
    room = f"min({14 + _LETTER * max(map(letters, names)):.0f}, width * 0.42)"
    x = alt.X("utilisation:Q", title=gettext("Utilization"), scale=alt.Scale(range=[0, alt.ExprRef(f"width - {room}")]))
    x = x.axis(format=".0%", values=[0.05, 0.15, 0.25, 0.5, 0.75, 1])
    domain = [min(row["days"] for row in rows) / 1.05, max(row["days"] for row in rows) * 1.05]
    y = alt.Y("days:Q", title=gettext("Days until buying is cheaper (log)")).scale(type="log", domain=domain, nice=False)
    y = y.axis(format=",", values=round_ticks(1, 1e6))
    colored = list(dict.fromkeys(row["case"] for row in rows if row["named"]))
    hue = dict.fromkeys(names, _FAINT) | {name: HUES[at % len(HUES)] for at, name in enumerate(colored)}
    base = chart_of([row | {"hue": hue[row["case"]]} for row in rows]).encode(x=x, y=y, color=color_of_line(), detail="case:N")
    spot = chart_of(marked).encode(x=x, y=y)
    width = alt.condition(f"datum.guide_case || {_CHOSEN}", alt.value(2.8), alt.value(1.6))
    chart = layered(
        _HEIGHT,
        base.mark_line().encode(strokeWidth=width, opacity=alt.condition(_SHOWN, alt.value(1), alt.value(0.3))),
        spot.mark_point(size=190, filled=True, opacity=1, shape="diamond", style="marked"),
        spot.mark_text(align="left", dx=12, dy=-12, style="strong", fontSize=13).encode(text="label:N"),
        nearest_point(base, _tooltip()),
        _names(rows, hue, domain, room),
    )
    return chart.add_params(alt.param(name="gpu", value=""))


def _names(rows: list[Row], hue: dict[str, int], domain: list[float], room: str) -> alt.Chart:
    """The names of the colored lines beside their ends, moved until no two overlap, and those of the chosen GPU."""
    last = {row["case"]: row for row in sorted(rows, key=lambda row: float(row["utilisation"]))}
    low, high = map(math.log, domain)
    ends = {case: _HEIGHT * (high - math.log(row["days"])) / (high - low) for case, row in last.items()}
    named = [case for case, row in last.items() if row["named"]]
    spots = dict(zip(named, spread([ends[case] for case in named], _GAP, _HEIGHT), strict=True))
    for gpu_id in {row["gpu_id"] for row in last.values()}:
        others = [case for case, row in last.items() if row["gpu_id"] == gpu_id and case not in named]
        spots |= dict(
            zip(others, free_spots([ends[case] for case in others], [spots[case] for case in named], _GAP), strict=True)
        )
    fields = ("case", "gpu_id", "named")
    names = chart_of(
        [{name: last[case][name] for name in fields} | {"spot": round(spots[case], 1), "hue": hue[case]} for case in last]
    )
    names = names.transform_filter(_SHOWN).transform_calculate(name=short_name("datum.case"))
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
