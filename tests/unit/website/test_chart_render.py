"""Static pictures of charts: size and color schemes, independence of the order, and the cache."""

import re
from pathlib import Path

import pytest
import vl_convert

from pipeline.website import npm_packages
from pipeline.website.charts.render import WIDTH, ChartRenderer, prune_charts

SPEC = {
    "data": {"values": [{"card": "Card A", "usd": 1.5}]},
    "mark": {"type": "bar", "tooltip": True},
    "encoding": {"x": {"field": "usd", "type": "quantitative"}, "y": {"field": "card", "type": "nominal"}},
}


@pytest.fixture
def renderer(tmp_path: Path) -> ChartRenderer:
    return ChartRenderer(tmp_path / "charts", tmp_path / "cache")


def light(renderer: ChartRenderer, name: str) -> str:
    return (renderer.folder / f"{name}-light.svg").read_text()


def test_a_chart_is_drawn_for_both_schemes_at_the_returned_height(renderer: ChartRenderer) -> None:
    height = renderer.draw("usd", SPEC)
    wide, high = (float(size) for size in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', light(renderer, "usd"))[0])
    assert "Card A" in light(renderer, "usd")
    assert light(renderer, "usd") != (renderer.folder / "usd-dark.svg").read_text()
    assert height == renderer.height("usd") == pytest.approx(high * WIDTH / wide, abs=1)


def test_a_picture_is_the_same_whatever_was_drawn_before_it(renderer: ChartRenderer) -> None:
    for name, color in (("first", "red"), ("second", "blue")):
        renderer.draw(name, SPEC | {"mark": {"type": "bar", "clip": True, "color": color}})
    assert "#clip1)" in light(renderer, "first")
    assert light(renderer, "first") == light(renderer, "second").replace("blue", "red")


def test_a_chart_is_drawn_once_for_the_same_specification(renderer: ChartRenderer, monkeypatch: pytest.MonkeyPatch) -> None:
    renderer.draw("first", SPEC)
    monkeypatch.setattr(vl_convert, "vegalite_to_svg", lambda *_, **__: pytest.fail("drawn again"))
    renderer.draw("second", SPEC)
    assert light(renderer, "first") == light(renderer, "second")


@pytest.mark.parametrize("spoiled", [b"", b"no hash", b"x" * 64 + b"\n<svg>", b"\xff"])
def test_a_spoiled_cache_file_is_drawn_again(renderer: ChartRenderer, spoiled: bytes) -> None:
    renderer.draw("first", SPEC)
    (cached,) = (renderer.cache / "charts").iterdir()
    whole = cached.read_bytes()
    for content in (spoiled, whole[:-9], whole.replace(b"Card A", b"Card B")):
        cached.write_bytes(content)
        renderer.draw("second", SPEC)
        assert light(renderer, "first") == light(renderer, "second")
        assert cached.read_bytes().endswith(b"</svg>")


def test_cached_charts_that_a_build_did_not_use_are_removed(renderer: ChartRenderer) -> None:
    renderer.draw("first", SPEC)
    (cached,) = renderer.cached
    (renderer.cache / "charts" / "outdated").touch()
    prune_charts(renderer.cache, {cached})
    assert [path.name for path in (renderer.cache / "charts").iterdir()] == [cached]


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
