"""The picture that a social network shows beside a link to a card: its name and four figures of its page, with their day."""

from dataclasses import dataclass

from markupsafe import Markup

from pipeline.pages.database import Row
from pipeline.pages.escape import plain
from pipeline.pages.labels import words
from pipeline.pages.numbers import day, number, ratio, usd
from pipeline.pages.rendering import Book, fragment

FOLDER = "assets/share"
_NAME_SIZE = 76  # of 630 the picture is high; a long name is set smaller, to end where the picture does
_NAME_WIDTH = 1900  # a sign of Liberation Sans, bold, is about 0.57 times its size wide: 1080 of 1200 are for the name
_LONGEST_NAME = 60


@dataclass(frozen=True, slots=True)
class Tile:
    """One figure: what it is, its value with unit, and what to read it by."""

    label: str
    value: str
    unit: str
    context: str


def begin(book: Book, card: Row, offers: dict[str, Row], performance: list[Row]) -> dict[str, Markup]:
    """Begin the card's picture. Gives the page its address below the site's root, and its words.

    `offers` are the current prices of the card by billing, `performance` its rows of the index, the first to be shown.
    """
    path = f"{FOLDER}/{card['gpu_id']}.png"
    tiles = [tile for tile in (*_memory(card), _price(card, offers), _speed(performance)) if tile]
    name = str(card["name"])[:_LONGEST_NAME]
    size = min(_NAME_SIZE, _NAME_WIDTH // max(1, len(name)))
    svg = fragment("share_image.svg.j2", name=name, size=size, tiles=tiles, as_of=book.as_of)
    if book.studio:  # one picture serves all languages
        book.drawing.append(book.studio.share(book.shared / path, str(svg)))
    told = "; ".join(f"{tile.label} {tile.value} {tile.unit} {tile.context}".strip() for tile in tiles)
    return {"share_image": plain(path), "share_alt": plain(f"{name}: {told}. Data of {day(book.as_of)}.")}


def _memory(card: Row) -> tuple[Tile | None, Tile | None]:
    gb, rate = card["memory_gb"], card["memory_bandwidth_gb_per_s"]
    memory = Tile("Memory", number(gb), "GB", str(card["memory_type"] or "")[:12]) if gb is not None else None
    return memory, Tile("Bandwidth", number(rate), "GB/s", "") if rate is not None else None


def _price(card: Row, offers: dict[str, Row]) -> Tile | None:
    """The lowest current rental price, on demand where there is one; else the launch price."""
    if offers:
        billing = "on_demand" if "on_demand" in offers else min(offers, key=lambda name: offers[name]["usd_min"])
        return Tile("Rent from", usd(offers[billing]["usd_min"]), "an hour", words(billing).lower())
    launch = card["launch_msrp_usd"]
    return Tile("Launch price", usd(launch), "", "") if launch is not None else None


def _speed(performance: list[Row]) -> Tile | None:
    if not performance:
        return None
    row = performance[0]
    between = row["basis"] if row["ci_low"] is None else f"{ratio(row['ci_low'])} to {ratio(row['ci_high'])}"
    return Tile("Training speed", f"{ratio(row['index'])}x", "RTX 2080 Ti", between)
