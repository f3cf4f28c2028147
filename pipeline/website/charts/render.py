"""Static pictures of charts, drawn by a process of its own: beside the build, and unable to end it.

What a chart shows belongs in `charts`, how it stands on a page in `pages.figures`.
"""

import re
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import vl_convert

from pipeline import beside
from pipeline.errors import BuildError
from pipeline.website.charts.theme import darkened, theme
from pipeline.website.npm_packages import charts_script, vega_lite

WIDTH = 760
_CLIP = re.compile(r"(?<=[\"#])clip\d+\b")


@dataclass(frozen=True, slots=True)
class Studio:
    """Draws into a folder."""

    folder: Path
    _process: ProcessPoolExecutor

    def draw(self, name: str, spec: dict[str, Any]) -> "Future[int]":
        """Begin the pictures of both colour schemes; the result is their height at WIDTH."""
        return self._process.submit(_draw, self.folder / name, spec)

    def bundle(self, target: Path) -> "Future[None]":
        """Begin the script that draws live charts in the browser."""
        return self._process.submit(_bundle, target)


def get_ready() -> None:
    """Start the process and its renderer, and make the script: beside the build, instead of when they are wanted."""
    beside.begin(beside.PICTURES, _warm)


def _warm() -> None:
    charts_script()
    vl_convert.vegalite_to_svg({"mark": "point", "data": {"values": []}}, vl_version=vega_lite())


@contextmanager
def open_studio(folder: Path) -> Iterator[Studio]:
    """A studio whose work is done when the block ends. Raises BuildError where drawing ended its process."""
    try:
        with beside.workers(beside.PICTURES) as process:
            yield Studio(folder, process)
    except BrokenProcessPool:
        raise BuildError("the process that draws charts ended; look for a strange character in a chart's labels") from None


def _draw(target: Path, spec: dict[str, Any]) -> int:
    sized = _without_tooltips(spec) | {"width": WIDTH - 90, "config": theme(dark=False)}
    svg = _numbered_anew(vl_convert.vegalite_to_svg(sized, vl_version=vega_lite()))
    target.parent.mkdir(parents=True, exist_ok=True)
    for scheme, picture in (("light", svg), ("dark", darkened(svg))):
        target.with_name(f"{target.name}-{scheme}.svg").write_text(picture, encoding="utf-8")
    box = svg.split('viewBox="', 1)[1].split('"', 1)[0].split()
    return round(float(box[3]) * WIDTH / float(box[2]))


def _numbered_anew(svg: str) -> str:
    """The picture with its clip paths counted from one: the renderer counts on from one picture to the next, in any order."""
    numbers: dict[str, int] = {}
    return _CLIP.sub(lambda found: f"clip{numbers.setdefault(found[0], len(numbers) + 1)}", svg)


def _bundle(target: Path) -> None:
    target.write_text(charts_script(), encoding="utf-8")


def _without_tooltips(value: Any) -> Any:
    """The specification of a picture that no pointer meets: it is drawn in two thirds of the time."""
    if isinstance(value, dict):
        return {key: _without_tooltips(item) for key, item in value.items() if key not in {"tooltip", "data", "datasets"}} | {
            key: value[key] for key in ("data", "datasets") if key in value
        }
    return [_without_tooltips(item) for item in value] if isinstance(value, list) else value
