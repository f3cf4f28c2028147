"""Static SVG pictures of charts, kept in a cache between builds, and the script that draws live charts.

What a chart shows is in `charts`, its place on a page in `components.figures`.
"""

import hashlib
import json
import re
from collections.abc import Callable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import vl_convert

from pipeline.files import read_hashed, with_hash
from pipeline.website.charts.theme import recolor_dark, theme

_PLOT_WIDTH = 670  # of the picture, without the labels beside it
_PADDING = {"left": 20, "top": 5, "right": 5, "bottom": 5}  # the reader's font may be wider than the one measured here
_CLIP = re.compile(r"(?<=[\"#])clip\d+\b")


@dataclass(slots=True)
class ChartRenderer:
    """Draws charts into a folder; `cached` names the files of the cache that were used or made."""

    folder: Path
    cache: Path
    cached: set[str] = field(default_factory=set)

    def draw(self, name: str, spec: dict[str, Any]) -> tuple[int, int]:
        """Draw the chart for both color schemes. Returns the pictures' width and height in pixels."""
        sized = _without_hover(spec) | {"width": _PLOT_WIDTH, "padding": _PADDING, "config": theme(dark=False)}
        svg = _renumber_clips(self._render(sized))
        self.folder.mkdir(parents=True, exist_ok=True)
        for scheme, picture in (("light", svg), ("dark", recolor_dark(svg))):
            (self.folder / f"{name}-{scheme}.svg").write_text(picture, encoding="utf-8")
        return _size(svg)

    def _render(self, spec: dict[str, Any]) -> str:
        """The SVG of a specification, cached by the hash of the specification (theme included) and of the renderer's version."""
        key = hashlib.sha256(json.dumps([spec, _versions()], sort_keys=True).encode()).hexdigest()
        self.cached.add(key)
        return _cached(self.cache / "charts" / key, lambda: vl_convert.vegalite_to_svg(spec, vl_version=_vega_lite()))


def prune_charts(cache: Path, used: AbstractSet[str]) -> None:
    """Remove the cached charts that the build did not use."""
    for path in (cache / "charts").iterdir():
        if path.name not in used:
            path.unlink()


def write_chart_script(target: Path, cache: Path) -> None:
    """Write the script that draws live charts in the browser, with both color schemes.

    Its larger part is cached by the versions of Vega-Lite and vl-convert.
    """
    themes = json.dumps({"light": theme(dark=False), "dark": theme(dark=True)})
    script = _cached(cache / f"{_versions()}.js", _bundle_chart_script)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"{script}window.gpuledger.chartThemes = {themes};\n", encoding="utf-8")


def _bundle_chart_script() -> str:
    """The script in a function of its own, so that it adds nothing to the browser's global names but Vega's."""
    bundle = vl_convert.javascript_bundle(vl_version=_vega_lite())  # type: ignore[call-arg]  # its stub lacks the default
    return f"(function(){{{bundle}\n}})();\n"


def _vega_lite() -> str:
    """The version of Vega-Lite in which Altair writes specifications."""
    from altair import SCHEMA_VERSION  # noqa: PLC0415  # slow to import, and needed by workers only

    return ".".join(SCHEMA_VERSION.lstrip("v").split(".")[:2])


def _versions() -> str:
    return f"vega-lite-{_vega_lite()}-vl-convert-{version('vl-convert-python')}"


def _cached(path: Path, make: Callable[[], str]) -> str:
    """The cached text, made and kept if there is none or its bytes are not those that were written.

    Its hash beside it detects a mixture of two processes that write it at once.
    """
    if kept := read_hashed(path):
        return kept.decode()
    text = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(with_hash(text.encode()))
    return text


def _size(svg: str) -> tuple[int, int]:
    width, height = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)[0]
    return round(float(width)), round(float(height))


def _renumber_clips(svg: str) -> str:
    """Number the clip paths from 1: the renderer goes on counting from the picture before."""
    numbers: dict[str, int] = {}
    return _CLIP.sub(lambda match: f"clip{numbers.setdefault(match[0], len(numbers) + 1)}", svg)


def _without_hover(spec: dict[str, Any]) -> dict[str, Any]:
    """The specification without what only a pointer shows: tooltips, selections, and the layers that selections belong to."""
    layers = {layer for one in spec.get("params", []) for layer in one.get("views", [])}
    plain: dict[str, Any] = _without_tooltips(_without_layers(spec, layers))
    if "params" in plain:
        plain["params"] = [one for one in plain["params"] if "views" not in one]
    return plain


def _without_layers(spec: dict[str, Any], names: AbstractSet[str]) -> dict[str, Any]:
    """The specification without the layers of these names, also where layers are nested."""
    if "layer" not in spec:
        return spec
    return spec | {"layer": [_without_layers(one, names) for one in spec["layer"] if one.get("name") not in names]}


def _without_tooltips(value: Any) -> Any:
    """The specification without tooltips, which a static picture never shows: it is drawn in two thirds of the time."""
    if isinstance(value, dict):
        return {key: _without_tooltips(item) for key, item in value.items() if key not in {"tooltip", "data", "datasets"}} | {
            key: value[key] for key in ("data", "datasets") if key in value
        }
    return [_without_tooltips(item) for item in value] if isinstance(value, list) else value
