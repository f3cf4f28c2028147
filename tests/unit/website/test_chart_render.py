"""Static pictures of charts: size and color schemes, independence of the order, and the cache."""

import re
from pathlib import Path

import pytest
import vl_convert

from pipeline.paths import SITE
from pipeline.website.charts import layout
from pipeline.website.charts.render import ChartRenderer, prune_charts, write_chart_script
from pipeline.website.charts.theme import DARK_INKS, LIGHT_INKS

LETTERS_ON_A_PHONE = 15  # of the 110 px that an axis has there
SPEC = {
    "data": {"values": [{"gpu": "GPU A", "usd": 1.5}]},
    "mark": {"type": "bar", "tooltip": True},
    "encoding": {"x": {"field": "usd", "type": "quantitative"}, "y": {"field": "gpu", "type": "nominal"}},
}


@pytest.fixture
def renderer(tmp_path: Path) -> ChartRenderer:
    return ChartRenderer(tmp_path / "charts", tmp_path / "cache")


def light(renderer: ChartRenderer, name: str) -> str:
    return (renderer.folder / f"{name}-light.svg").read_text()


def test_a_chart_is_drawn_for_both_schemes_in_the_returned_size(renderer: ChartRenderer) -> None:
    size = renderer.draw("usd", SPEC)
    wide, high = (float(size) for size in re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', light(renderer, "usd"))[0])
    assert "GPU A" in light(renderer, "usd")
    assert light(renderer, "usd") != (renderer.folder / "usd-dark.svg").read_text()
    assert size == pytest.approx((wide, high), abs=1)


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
    for content in (spoiled, whole[:-9], whole.replace(b"GPU A", b"GPU B")):
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


@pytest.mark.slow
def test_the_script_of_live_charts_is_bundled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_chart_script(tmp_path / "first.js", tmp_path / "cache")
    monkeypatch.setattr(vl_convert, "javascript_bundle", lambda *_, **__: pytest.fail("bundled again"))
    write_chart_script(tmp_path / "second.js", tmp_path / "cache")
    script = (tmp_path / "second.js").read_text()
    assert script == (tmp_path / "first.js").read_text()
    assert script.startswith("(function(){")
    assert len(script) > 500_000


def test_short_names_of_gpus_differ_where_a_phone_cuts_them_off() -> None:
    editions = ("Workstation Edition", "Server Edition", "Max-Q Workstation Edition")
    names = [f"RTX PRO 6000 Blackwell {one}" for one in editions]
    names += ["RTX PRO 4500 Blackwell Server Edition", "RTX 6000 Ada Generation", "GeForce RTX 4090"]
    series = re.compile(layout.SERIES[1 : layout.SERIES.rindex("/")])
    assert len({series.sub("", name)[:LETTERS_ON_A_PHONE] for name in names}) == len(names)
    assert series.sub("", "RTX 6000 Ada Generation") == "RTX 6000 Ada"


def test_charts_and_pages_have_the_same_colors() -> None:
    css = (SITE / "docs" / "assets" / "app.css").read_text(encoding="utf-8")
    light, dark, printed = [
        dict(re.findall(r"--gl-([\w-]+): (#\w{6});", block))
        for block in re.findall(r'\[data-md-color-scheme="\w+"\] \{([^}]*--gl-ink[^}]*)\}', css)
    ]
    assert (light["ink"], light["accent"]) == (LIGHT_INKS[0], LIGHT_INKS[3])
    assert (dark["ink"], dark["muted"], dark["line"], dark["accent"]) == DARK_INKS
    assert printed == light
