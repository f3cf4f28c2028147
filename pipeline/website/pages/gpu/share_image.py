"""The picture that a social network shows with a link to a GPU: its name and four figures of its page, with the date."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from markupsafe import Markup
from PIL import Image, ImageDraw, ImageFont

from pipeline.website.charts.theme import LIGHT_INKS
from pipeline.website.writing.database import Row
from pipeline.website.writing.escape import plain
from pipeline.website.writing.labels import words
from pipeline.website.writing.numbers import day, number, ratio, usd
from pipeline.website.writing.page_writer import PageWriter

FOLDER = "assets/share"
_SIZE = (600, 315)
_MARGIN = 30
_COLUMNS = (_MARGIN, 130, 270, 410)  # bandwidths and prices need more room than memory sizes
_NAME_SIZE = 40  # in pixels; longer names are smaller, to fit the picture
_LONGEST_NAME = 60
_PAPER = "#ffffff"
_INK, _GREY, _, _BLUE = LIGHT_INKS
_COLORS = 32  # the paper, and ten shades of each ink for the edges of letters


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure: its label, its value and unit, and its context."""

    label: str
    value: str
    unit: str
    context: str


def draw(writer: PageWriter, gpu: Row, offers: dict[str, Row], performance: list[Row]) -> dict[str, Markup]:
    """Draw the GPU's picture. Returns the picture's path below the site's root and its alt text, for the page.

    `offers` are the current prices of the GPU by billing, `performance` its rows of the index, of which the first is shown.
    """
    path = f"{FOLDER}/{gpu['gpu_id']}.png"
    tiles = [tile for tile in (*_memory(gpu), _price(gpu, offers), _speed(performance)) if tile]
    name = str(gpu["name"])[:_LONGEST_NAME]
    if writer.is_default_language:  # all languages share the picture
        picture(writer.docs / path, name, tiles, f"gpuledger   data of {day(writer.as_of)}")
    figures = "; ".join(f"{tile.label} {tile.value} {tile.unit} {tile.context}".strip() for tile in tiles)
    return {"share_image": plain(path), "share_alt": plain(f"{name}: {figures}. Data of {day(writer.as_of)}.")}


def picture(target: Path, name: str, tiles: list[Tile], footer: str) -> None:
    """Write the PNG: the name, a column for each figure, a line below."""
    image = Image.new("RGB", _SIZE, _PAPER)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, _SIZE[0], 6), _BLUE)
    room = _SIZE[0] - 2 * _MARGIN
    size = min(_NAME_SIZE, int(_NAME_SIZE * room / max(1, _font(_NAME_SIZE).getlength(name))))
    _write(draw, _MARGIN, 95, name, size, _INK)
    for x, tile in zip(_COLUMNS, tiles, strict=False):
        _column(draw, x, tile)
    _write(draw, _MARGIN, 285, footer, 15, _INK)
    target.parent.mkdir(parents=True, exist_ok=True)
    image.quantize(_COLORS, Image.Quantize.FASTOCTREE).save(target, compress_level=1)


def _column(draw: ImageDraw.ImageDraw, x: float, tile: Tile) -> None:
    _write(draw, x, 165, tile.label, 16, _GREY)
    _write(draw, x, 200, tile.value, 28, _BLUE)
    _write(draw, x + _font(28).getlength(tile.value) + 5, 200, tile.unit, 12, _INK)
    _write(draw, x, 223, tile.context, 14, _GREY)


def _write(draw: ImageDraw.ImageDraw, x: float, y: int, text: str, size: int, color: str) -> None:
    draw.text((x, y), text, color, _font(size), "ls")


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    """Aileron, the font that comes with Pillow, so that the picture is the same on every machine."""
    font = ImageFont.load_default(size)
    if not isinstance(font, ImageFont.FreeTypeFont):
        raise TypeError("this Pillow was built without FreeType; run: python -m pip install --force-reinstall pillow")
    return font


def _memory(gpu: Row) -> tuple[Tile | None, Tile | None]:
    gb, rate = gpu["memory_gb"], gpu["memory_bandwidth_gb_per_s"]
    memory = Tile("Memory", number(gb), "GB", str(gpu["memory_type"] or "")[:12]) if gb is not None else None
    return memory, Tile("Bandwidth", number(rate), "GB/s", "") if rate is not None else None


def _price(gpu: Row, offers: dict[str, Row]) -> Tile | None:
    """The lowest current rental price, on demand where there is one; else the launch price."""
    if offers:
        billing = "on_demand" if "on_demand" in offers else min(offers, key=lambda name: offers[name]["usd_min"])
        return Tile("Rent from", usd(offers[billing]["usd_min"]), "an hour", words(billing).lower())
    launch = gpu["launch_msrp_usd"]
    return Tile("Launch price", usd(launch), "", "") if launch is not None else None


def _speed(performance: list[Row]) -> Tile | None:
    if not performance:
        return None
    row = performance[0]
    between = row["basis"] if row["ci_low"] is None else f"{ratio(row['ci_low'])} to {ratio(row['ci_high'])}"
    return Tile("Training speed", f"{ratio(row['index'])}x", "RTX 2080 Ti", between)
