"""Placement of name labels around the marks of a chart, or at the ends of its lines, so that they do not overlap."""

import itertools
import math
from typing import Any

import altair as alt

from pipeline.website.charts.layout import Row

Box = tuple[float, float, float, float]
Point = tuple[float, float]
_FAR = 1e4  # pixels
_WIDTH, _HEIGHT = 640, 330  # of a chart of price and time, in pixels
_LAST_NARROW = 0x2E7F  # before the Chinese characters
OFFSETS: dict[str, tuple[Any, int, int]] = {  # alignment and distance from the mark
    "right": ("left", 10, 0),
    "left": ("right", -10, 0),
    "above": ("center", 0, -14),
    "below": ("center", 0, 15),
}


def letters(label: str) -> int:
    """The width of a name in Latin letters; a Chinese character is as wide as two."""
    return len(label) + sum(ord(letter) > _LAST_NARROW for letter in label)


def place_labels(rows: list[Row]) -> list[Row]:
    """Add to each row the side of its label with the least overlap, those of the best GPUs first."""
    labeled: list[Row] = []
    for _, group in itertools.groupby(sorted(rows, key=lambda row: str(row["task"])), key=lambda row: row["task"]):
        members = sorted(group, key=lambda row: (not row["best"], row["seconds"]))
        points = _points(members)
        sides = _best_sides(points, [row["machine"] for row in members], 7.2, _marks(points, 8))
        labeled += [row | {"side": side} for row, side in zip(members, sides, strict=True)]
    return labeled


def sides_of_names(points: list[Point], names: list[str], width: float) -> list[str]:
    """The side of each name with the least overlap with marks, names and the ends of the chart; empty for an empty name."""
    edges: list[Box] = [(-_FAR, -_FAR, 0.0, _FAR), (width, -_FAR, width + _FAR, _FAR)]
    return _best_sides(points, names, 6.6, _marks(points, 5) + edges)


def names_beside(base: alt.Chart, side: str, name: str, opacity: Any, **style: Any) -> alt.Chart:
    """The names, of the field `name`, of the rows whose name is on this side of its mark."""
    align, dx, dy = OFFSETS[side]
    rows = base.transform_filter(f"datum.side == '{side}'")
    names: alt.Chart = rows.mark_text(align=align, dx=dx, dy=dy, baseline="middle", **style).encode(text=name, opacity=opacity)
    return names


def _marks(points: list[Point], size: float) -> list[Box]:
    return [(x - size, y - size, x + size, y + size) for x, y in points]


def _best_sides(points: list[Point], names: list[str], letter: float, boxes: list[Box]) -> list[str]:
    """Place the names greedily. `letter` is the width of one, `boxes` what is in the way."""
    sides: list[str] = []
    for (x, y), name in zip(points, names, strict=True):
        side, box = _best_side(x, y, letter * len(name), boxes) if name else ("", (0.0, 0.0, 0.0, 0.0))
        boxes.append(box)
        sides.append(side)
    return sides


def spread(spots: list[float], gap: float, height: float) -> list[float]:
    """Move the positions of names along an axis until all are `gap` apart and within the height. Their order stays."""
    order = sorted(range(len(spots)), key=lambda at: spots[at])
    placed = dict.fromkeys(order, 0.0)
    lowest = -math.inf
    for at in order:
        placed[at] = lowest = max(spots[at], lowest + gap)
    highest = height + gap
    for at in reversed(order):
        placed[at] = highest = min(placed[at], highest - gap)
    return [placed[at] for at in range(len(spots))]


def free_spots(spots: list[float], taken: list[float], gap: float) -> list[float]:
    """Move each position, in turn, to the nearest one that is `gap` away from those before it and from the taken ones."""
    kept = list(taken)
    for spot in spots:
        places = [spot, *(other + side for other in kept for side in (-gap, gap))]
        free = (place for place in places if all(abs(place - other) >= gap - 1e-9 for other in kept))
        kept.append(min(free, key=lambda place: abs(place - spot)))
    return kept[len(taken) :]


def _points(rows: list[Row]) -> list[tuple[float, float]]:
    prices, times = ([math.log(row[key]) for row in rows] for key in ("usd_per_gpu_hour", "seconds"))
    wide, tall = (max(max(values) - min(values), 0.1) for values in (prices, times))
    return [
        (_WIDTH * (x - min(prices)) / wide, _HEIGHT - _HEIGHT * (y - min(times)) / tall)
        for x, y in zip(prices, times, strict=True)
    ]


def _best_side(x: float, y: float, wide: float, boxes: list[Box]) -> tuple[str, Box]:
    sides = {
        "right": (x + 10, y - 7, x + 10 + wide, y + 7),
        "left": (x - 10 - wide, y - 7, x - 10, y + 7),
        "above": (x - wide / 2, y - 21, x + wide / 2, y - 7),
        "below": (x - wide / 2, y + 8, x + wide / 2, y + 22),
    }
    side = min(sides, key=lambda name: sum(_overlap(sides[name], box) for box in boxes))
    return side, sides[side]


def _overlap(a: Box, b: Box) -> float:
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
