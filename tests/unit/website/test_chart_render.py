"""Drawing charts beside the build: what is drawn, and that nothing a chart holds ends the build unseen."""

import os
import re
from pathlib import Path

import pytest

from pipeline.errors import BuildError
from pipeline.website import npm_packages
from pipeline.website.charts.render import WIDTH, open_studio

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


@pytest.mark.parametrize("ended", [True, False])
def test_the_script_of_charts_is_taken_where_it_was_made_ready_to_the_end(
    ended: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script, manifest = tmp_path / "charts.js", tmp_path / "engine.json"
    script.write_text("torn or whole")
    if ended:
        manifest.touch()
    monkeypatch.setattr(npm_packages, "_charts", lambda: script)
    monkeypatch.setattr(npm_packages, "_MANIFEST", manifest)
    found = npm_packages.charts_script.__wrapped__()
    assert found == "torn or whole" if ended else found.startswith("(function(){") and len(found) > 500_000


def test_a_renderer_that_dies_is_told_in_words(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="draws charts ended"):
        _draw_with_a_dying_process(tmp_path)


def _draw_with_a_dying_process(folder: Path) -> None:
    with open_studio(folder) as studio:
        studio._process.submit(os.abort)
        studio.draw("usd", SPEC).result()
