"""The picture beside a link to a GPU: every GPU has one, it says what the page says, and the page's head names it."""

import re
import struct
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from mkdocs.commands.build import build
from PIL import Image

from pipeline.website import mkdocs_config
from pipeline.website.pages.gpu import share_image
from pipeline.website.writing import numbers
from tests.build.pages.site_pages import Page

GPU = "nvidia-h100-sxm5-80gb"


def head(path: Path) -> dict[str, str]:
    """The named texts of a page's head."""
    return {had.get("property") or had.get("name", ""): had["content"] for tag, had in Page(path).tags if "content" in had}


def test_every_gpu_has_a_picture_that_its_page_names(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    for gpu_id, name in con.execute("SELECT gpu_id, name FROM gpu").fetchall():
        page = site / "gpus" / gpu_id / "index.html"
        told = head(page)
        picture = (page.parent / told["og:image"]).read_bytes()
        assert picture[:8] == b"\x89PNG\r\n\x1a\n", gpu_id
        size = struct.unpack(">II", picture[16:24])
        assert size == (int(told["og:image:width"]), int(told["og:image:height"])) == (600, 315)
        assert told["twitter:card"] == "summary_large_image"
        assert re.sub(r"\W", "", name) in re.sub(r"\W", "", told["og:image:alt"])
    assert "og:image" not in head(site / "index.html")
    assert head(site / "index.html")["og:title"] == "Which GPU gives the most for the money"


def test_the_picture_says_what_the_page_says(site: Path, con: duckdb.DuckDBPyConnection) -> None:
    said = head(site / "gpus" / GPU / "index.html")["og:image:alt"]
    ((gb, rate),) = con.execute("SELECT memory_gb, memory_bandwidth_gb_per_s FROM gpu WHERE gpu_id = ?", [GPU]).fetchall()
    ((index, low, high),) = con.execute(
        """SELECT "index", ci_low, ci_high FROM performance_index WHERE gpu_id = ? AND family = 'all' AND precision = 'fp16'""",
        [GPU],
    ).fetchall()
    ((usd, as_of),) = con.execute(
        """SELECT usd_per_gpu_hour_low, as_of FROM rental_market CROSS JOIN release
        WHERE (gpu_id, billing, commitment, gpus) = (?, 'on_demand', 'any', 'any')""",
        [GPU],
    ).fetchall()
    figures = [numbers.number(gb), numbers.usd(usd).replace("$", ""), numbers.day(as_of)]
    figures += [numbers.number(rate).replace(",", ""), *(numbers.ratio(one) for one in (index, low, high))]
    assert [one for one in figures if one not in said.replace(",", "")] == []


@pytest.mark.parametrize(
    ("offers", "launch", "label"),
    [
        ({"spot": {"usd_min": 1.0}, "on_demand": {"usd_min": 2.0}}, 9.0, "Rent from 2.00 an hour on demand"),
        ({"spot": {"usd_min": 1.0}, "serverless": {"usd_min": 3.0}}, 9.0, "Rent from 1.00 an hour spot"),
        ({}, 9.0, "Launch price 9.00"),
        ({}, None, ""),
    ],
)
def test_the_price_is_one_that_can_be_had(offers: dict, launch: float | None, label: str) -> None:
    tile = share_image._price({"launch_msrp_usd": launch}, offers)
    told = " ".join(f"{tile.label} {tile.value} {tile.unit} {tile.context}".replace("$", "").split()) if tile else ""
    assert told == label


def test_the_same_picture_has_the_same_bytes_and_every_text_is_in_it(tmp_path: Path) -> None:
    tiles = [share_image.Tile("Memory", "80", "GB", "HBM2e"), share_image.Tile("Rent from", "$1.19", "an hour", "on demand")]

    def drawn(name: str, of: list[share_image.Tile], footer: str) -> bytes:
        share_image.picture(tmp_path / "a.png", name, of, footer)
        return (tmp_path / "a.png").read_bytes()

    whole = drawn("NVIDIA A100", tiles, "20 August 2026")
    assert whole == drawn("NVIDIA A100", tiles, "20 August 2026")
    lacking = [replace(tiles[0], **{part: ""}) for part in ("label", "value", "unit", "context")]
    others = [drawn("NVIDIA A100", [less, tiles[1]], "20 August 2026") for less in lacking]
    others += [
        drawn("", tiles, "20 August 2026"),
        drawn("NVIDIA A100", tiles[:1], "20 August 2026"),
        drawn("NVIDIA A100", tiles, ""),
    ]
    assert len({whole, *others}) == 1 + len(others)


def test_a_long_name_ends_where_the_picture_does(tmp_path: Path) -> None:
    share_image.picture(tmp_path / "long.png", "W" * 60, [], "")
    with Image.open(tmp_path / "long.png") as image:
        ink = image.convert("L").crop((0, 10, *image.size)).point([value < 250 for value in range(256)])
        left, _, right, _ = ink.getbbox()
        assert left >= share_image._MARGIN - 2
        assert right <= image.width - share_image._MARGIN + 2


@pytest.mark.parametrize(
    ("address", "image"),
    [("", "../../assets/share/x.png"), ("https://example.org/gpus-site/", "https://example.org/gpus-site/assets/share/x.png")],
)
def test_the_address_of_the_picture_is_whole_where_that_of_the_site_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str, image: str
) -> None:
    page = tmp_path / "docs" / "gpus" / "x" / "index.md"
    page.parent.mkdir(parents=True)
    page.write_text('---\ntitle: "X"\nimage: "assets/share/x.png"\nimage_alt: "X 1"\n---\n\n# X\n')
    monkeypatch.setenv("GPULEDGER_SITE_URL", address)
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    build(mkdocs_config.load_site_config(tmp_path / "docs", tmp_path / "site", nav=["gpus/x/index.md"]))
    told = head(tmp_path / "site" / "gpus" / "x" / "index.html")
    assert told["og:image"] == image
    assert ("og:url" in told) is bool(address)


def test_hostile_names_draw_a_picture_and_stay_text(hostile_site: Path) -> None:
    gpus = list((hostile_site / "gpus").glob("*/index.html"))
    assert len(gpus) > 5
    for path in gpus:
        told = head(path)
        assert (path.parent / told["og:image"]).stat().st_size > 1000
        assert "<" not in told["og:image:alt"] + told["og:title"]
