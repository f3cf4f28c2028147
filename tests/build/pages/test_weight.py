"""Weight of a page: the compressed bytes of the page and of the files that it names.

`browser/test_weight` holds the same figures against a browser.
"""

import functools
import gzip
from pathlib import Path

import pytest

from tests.build.pages.site_pages import Page
from tests.page_kinds import CHARTS, LANGUAGES, PAGES, WRITTEN_BY_HAND

LIMIT_BYTES = {"with charts": 450_000, "without": 120_000}
FIRST_SCREEN_BYTES = 150_000  # before charts are scrolled to
GZIP_LEVEL = 6  # as most hosts have it
# charts of other questions
HIDDEN_AT_FIRST = {"home": ("job-cost", "price-against-time", "cost-of-compute", "memory-per-dollar")}
LOADED_BY_SCRIPTS = {"charts": "assets/vega.js", "offers": "offers/offers.js"}
# code and tables of the comparison's first question
RATES = ["assets/llm-memory.js", "assets/llm-recommend.js", "assets/llm-data.js", "assets/llm/llama-3.1-8b.js"]


@functools.cache
def packed_size(path: Path) -> int:
    """Bytes of the file as a host sends it."""
    return len(gzip.compress(path.read_bytes(), GZIP_LEVEL, mtime=0))


def files_of(site: Path, path: str, scripted: list[str]) -> set[Path]:
    """The page and what a browser in light colors fetches for it, once every chart was scrolled to."""
    named = {path, *(path_in_site(path, url) for url in fetched(Page(site / path)))}
    return {site / name for name in named} | {site / name for name in scripted}


def fetched(page: Page) -> list[str]:
    """Addresses of the style sheets, icons, scripts and light pictures."""
    links = [found["href"] for tag, found in page.tags if tag == "link" and found.get("rel") in {"stylesheet", "icon"}]
    loaded = [found[key] for tag, found in page.tags if tag in {"script", "img"} for key in ("src", "data-src") if key in found]
    return [url for url in links + loaded if "-dark.svg" not in url]


def charted_models(page: Page) -> list[str]:
    """GPU models that the price charts of the page show at first: their scripts load the prices of each."""
    chosen = (found for tag, found in page.tags if tag == "input" and found.get("name") == "gpu" and "checked" in found)
    return [found["value"] for found in chosen]


def path_in_site(page: str, url: str) -> str:
    """The file below the site's folder that a relative address of a page leads to."""
    parts: list[str] = []
    for part in [*page.split("/")[:-1], *url.partition("?")[0].split("/")]:
        if part == "..":
            parts.pop()
        elif part != ".":
            parts.append(part)
    return "/".join(parts)


def weight(site: Path, name: str, folder: str) -> dict[Path, int]:
    """Compressed bytes of each file that a page needs."""
    scripted = [LOADED_BY_SCRIPTS["charts"]] if CHARTS.get(name) else []
    scripted += [folder + LOADED_BY_SCRIPTS["offers"]] if name == "offers" else []
    scripted += RATES if name == "comparison" else []
    page = folder + (PAGES | WRITTEN_BY_HAND)[name]
    scripted += [f"assets/prices/{model}.js" for model in charted_models(Page(site / page))]
    hidden = {site / folder / f"assets/charts/{chart}-light.svg" for chart in HIDDEN_AT_FIRST.get(name, ())}
    files = files_of(site, page, scripted) - hidden
    return {path: packed_size(path) for path in files}


@pytest.mark.parametrize("name", [*PAGES, *WRITTEN_BY_HAND])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_is_light(site: Path, name: str, language: str) -> None:
    sizes = weight(site, name, LANGUAGES[language])
    heaviest = sorted(sizes.items(), key=lambda item: -item[1])[:5]
    assert sum(sizes.values()) <= LIMIT_BYTES["with charts" if CHARTS.get(name) else "without"], heaviest


@pytest.mark.parametrize("name", ["home", "gpu", "history"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_first_screen_is_light(site: Path, name: str, language: str) -> None:
    """Pictures of charts and the library that draws them are fetched later."""
    files = files_of(site, LANGUAGES[language] + PAGES[name], [])
    sizes = {path: packed_size(path) for path in files if path.parent.name != "charts"}
    heaviest = sorted(sizes.items(), key=lambda item: -item[1])[:5]
    assert sum(sizes.values()) < FIRST_SCREEN_BYTES, heaviest
