"""Parts that charts share: data, layers, axes, and sizes that depend on the width of the screen."""

from collections.abc import Sequence
from typing import Any, cast

import altair as alt

Row = dict[str, Any]
LABEL_LIMIT = alt.ExprRef("containerSize()[0] < 460 ? 110 : 200")


def chart_of(rows: Sequence[Row]) -> alt.Chart:
    """An empty chart over the rows."""
    data: Any = alt.Data  # its constructor of inline data is untyped
    return alt.Chart(data(values=list(rows)))


def layered(height: int, *layers: alt.Chart | alt.LayerChart) -> alt.LayerChart:
    """The layers as one chart that fills the width it is given."""
    return cast(alt.LayerChart, alt.layer(*layers).properties(width="container", height=height))


def padded_range(values: list[float]) -> tuple[float, float]:
    """Both ends of a log axis, with room for marks and their names."""
    return (min(values) / 1.25, max(values) * 1.3)


def round_ticks(low: float, high: float) -> list[float]:
    """The ticks 1, 2 and 5 of each power of ten within the range."""
    steps = [digit * 10.0**power for power in range(-4, 6) for digit in (1, 2, 5)]
    return [round(step, 4) for step in steps if low <= step <= high]
