"""Colors and type of the charts in both color schemes."""

import re
from typing import Any

_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
# ink, muted ink, hairline, accent, and the marks in the same order, so that each light color has one dark one;
# the marks are Okabe and Ito's colors, darkened to a contrast of 3 to 1 on white
# site/docs/assets/app.css has the same inks, but a darker muted ink and hairline in the light scheme
LIGHT_INKS = ("#16202a", "#5a6773", "#e4e8ec", "#0b63b0")
DARK_INKS = ("#e7ecf1", "#9fadba", "#2b3642", "#6cb8ff")
_LIGHT_MARKS = ["#6b7580", "#a86700", "#a8437f", "#007a5e", "#0b63b0", "#c04a00"]
_DARK_MARKS = ["#a8b3bd", "#e69f00", "#e796c4", "#37c79f", "#6cb8ff", "#ff8a5c"]

_DARK_FOR_LIGHT = dict(zip((*LIGHT_INKS, *_LIGHT_MARKS), (*DARK_INKS, *_DARK_MARKS), strict=True))


def recolor_dark(svg: str) -> str:
    """Recolor a picture of the light scheme for the dark one, which is faster than drawing it twice."""
    return re.sub(r"#[0-9a-f]{6}\b", lambda match: _DARK_FOR_LIGHT.get(match[0], match[0]), svg)


def theme(*, dark: bool) -> dict[str, Any]:
    """The Vega-Lite configuration of one color scheme."""
    ink, muted, line, accent = DARK_INKS if dark else LIGHT_INKS
    marks = _DARK_MARKS if dark else _LIGHT_MARKS
    axis = {
        "labelColor": muted,
        "titleColor": muted,
        "gridColor": line,
        "domainColor": line,
        "tickColor": line,
        "titleFontWeight": "normal",
        "labelFontSize": 12,
        "titleFontSize": 12,
        "labelPadding": 6,
        "titlePadding": 10,
        "ticks": False,
        "domain": False,
    }
    return {
        "background": None,
        "font": _FONT,
        "aria": False,
        "view": {"stroke": None},
        "axis": axis,
        "axisQuantitative": {"labelOverlap": "greedy", "labelSeparation": 6},
        "range": {"category": marks, "ordinal": [marks[4], marks[1]], "diverging": [marks[4], marks[5], marks[0]]},
        "legend": {
            "labelColor": ink,
            "titleColor": muted,
            "labelFontSize": 12,
            "symbolSize": 90,
            "orient": "top",
            "title": None,
            "offset": 8,
        },
        "area": {"color": accent},
        "tick": {"color": ink},
        "bar": {"color": accent, "cornerRadiusEnd": 2},
        "text": {"color": ink, "fontSize": 12},
        "point": {"color": accent},
        "line": {"color": accent},
        "style": {
            "faint": {"color": muted, "opacity": 0.5},
            "note": {"color": muted},
            "strong": {"color": ink, "fontWeight": 600},
            "marked": {"color": marks[5]},
        },
    }
