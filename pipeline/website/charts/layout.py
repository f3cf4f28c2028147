"""Parts that charts share: data, layers, axes, and sizes that depend on the width of the screen."""

from collections.abc import Sequence
from typing import Any, cast

import altair as alt

Row = dict[str, Any]
HUES = [4, 1, 3, 2, 5, 0]  # places among the colors of the theme, the clearest first
LABEL_LIMIT = alt.ExprRef("containerSize()[0] < 460 ? 110 : 220")
WIDE = alt.ExprRef("containerSize()[0] < 460 ? 0 : 1")  # opacity of what a narrow screen has no room for
CENTS = r"replace(datum.label, /\.(\d)$/, '.$10')"  # the label of a price with two decimals: $0.5 is $0.50
SERIES = r"/\b(GeForce|Quadro|AMD Instinct|RTX(?= PRO)) | (Generation|Edition|Blackwell)\b/g"


def short_name(name: str) -> str:
    """The expression of a GPU's name, without its series on a narrow screen: the rest tells it from others."""
    return f"containerSize()[0] < 460 ? replace({name}, {SERIES}, '') : {name}"


def chart_of(rows: Sequence[Row]) -> alt.Chart:
    """An empty chart over the rows. Layers over the same rows share one copy in the specification."""
    return alt.Chart(alt.InlineData(values=list(rows)))


def layered(height: int, *layers: alt.Chart | alt.LayerChart) -> alt.LayerChart:
    """The layers as one chart that fills the width it is given."""
    return cast(alt.LayerChart, alt.layer(*layers).properties(width="container", height=height))


def color_of_line() -> alt.Color:
    """The color of a line by the column `hue`, one of `HUES`; its name is beside it, not in a legend."""
    return alt.Color("hue:N", legend=None, scale=alt.Scale(domain=sorted(HUES), range="category"))


def nearest_point(base: alt.Chart, tooltip: list[alt.Tooltip], always: str = "false") -> alt.Chart:
    """The point of the lines that is nearest to the pointer, with its figures, and the points of the expression `always`."""
    near = alt.selection_point(name="near", nearest=True, on="pointerover", clear="pointerout", empty=False)
    shown = alt.when(near).then(alt.value(1)).when(always).then(alt.value(1)).otherwise(alt.value(0))
    points: alt.Chart = base.mark_point(filled=True, size=45).encode(tooltip=tooltip, opacity=shown).add_params(near)
    return points


def padded_range(values: list[float]) -> tuple[float, float]:
    """Both ends of a log axis, with room for marks and their names."""
    return (min(values) / 1.25, max(values) * 1.3)


def round_ticks(low: float, high: float) -> list[float]:
    """The ticks 1, 2 and 5 of each power of ten within the range."""
    steps = [digit * 10.0**power for power in range(-4, 6) for digit in (1, 2, 5)]
    return [round(step, 4) for step in steps if low <= step <= high]
