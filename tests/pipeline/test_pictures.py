"""Drawing charts beside the build: what is drawn, and that nothing a chart holds ends the build unseen."""

import os
import re
from pathlib import Path

import pytest

from pipeline import vendored
from pipeline.errors import BuildError
from pipeline.pictures import WIDTH, open_studio

SPEC = {
    "data": {"values": [{"card": "Card A", "usd": 1.5}]},
    "mark": {"type": "bar", "tooltip": True},
    "encoding": {"x": {"field": "usd", "type": "quantitative"}, "y": {"field": "card", "type": "nominal"}},
}


def test_a_chart_is_drawn_for_both_schemes_at_the_height_that_is_told(tmp_path: Path) -> None:
    with open_studio(tmp_path) as studio:
        height = studio.draw("usd", SPEC).result()
    light, dark = ((tmp_path / f"usd-{scheme}.svg").read_text() for scheme in ("light", "dark"))
    wide, high = (float(size) for size in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', light)[0])
    assert "Card A" in light
    assert light != dark
    assert height == pytest.approx(high * WIDTH / wide, abs=1)


def test_a_picture_is_the_same_whatever_was_drawn_before_it(tmp_path: Path) -> None:
    with open_studio(tmp_path) as studio:
        for name in ("first", "second"):
            studio.draw(name, SPEC | {"mark": {"type": "bar", "clip": True}}).result()
    first, second = ((tmp_path / f"{name}-light.svg").read_text() for name in ("first", "second"))
    assert "#clip1)" in first
    assert first == second


def test_the_script_that_lies_ready_is_the_one_that_a_build_would_bundle() -> None:
    assert vendored.charts_script() == vendored._bundled()


def test_a_renderer_that_dies_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="draws charts ended"):
        _draw_with_a_dying_process(tmp_path)


def _draw_with_a_dying_process(folder: Path) -> None:
    with open_studio(folder) as studio:
        studio._process.submit(os.abort)
        studio.draw("usd", SPEC).result()
