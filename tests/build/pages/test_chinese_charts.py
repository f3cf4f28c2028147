"""Charts of the Chinese edition: pictures, live specifications, texts and tables have no English words."""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest

NAMES = """
    SELECT name FROM gpu UNION SELECT name FROM gpu_model UNION SELECT architecture FROM gpu
    UNION SELECT name FROM provider UNION SELECT provider_id FROM provider UNION SELECT provider FROM provider_price_daily
    UNION SELECT title FROM source UNION SELECT name FROM llm_model
"""
VENDORS = ("NVIDIA ", "Tesla ", "GeForce ", "AMD ", "Intel ")  # which labels of charts leave out
EXCEPTIONS = {
    "Transformer": "the name of a kind of network, in Chinese texts too",
    "token": "the unit of language models, in Chinese texts too",
    "Cookie": "the name of a technique",
    "Lambda": "a publisher of measurements; as a provider it has a longer name",
    "Spare Cores": "a publisher of measurements",
    "aiconfigurator": "a program",
    "Argonne": "a publisher of measurements",
    "gpuledger contributors, gpuledger, version": "the citation, which readers copy as it is",
    "data of": "the citation",
}
WORD = re.compile(r"https?://\S+|(?<![A-Za-z0-9_./&-])([A-Za-z][a-z]+|a)(?![A-Za-z0-9_/-]|\.\w)")
UNREAD = re.compile(r"<(script|style|code|textarea|form)\b.*?</\1>", re.S)
BLOCK = re.compile(r"</?(?:p|td|th|h1|h2|tr|table|div|button|label|figcaption|title|a)\b[^>]*>")
ATTRIBUTE = re.compile(r'(?:aria-label|alt|title|placeholder)="([^"]*)"')


@pytest.fixture(scope="module")
def named(con: duckdb.DuckDBPyConnection) -> re.Pattern[str]:
    """Names of products, providers and sources, whole or as charts shorten them, and the exceptions."""
    found = {name for (name,) in con.execute(NAMES).fetchall() if name} | EXCEPTIONS.keys()
    for vendor in VENDORS:
        found |= {name.removeprefix(vendor) for name in found}
    found |= {re.split(r":| \(", name)[0] for name in found}
    return re.compile("|".join(re.escape(name) for name in sorted(found, key=len, reverse=True) if len(name) > 1))


def english(text: str, named: re.Pattern[str]) -> list[str]:
    return [found[1] for found in WORD.finditer(named.sub("", " ".join(html.unescape(text).split()))) if found[1]]


def picture_texts(path: Path) -> Iterator[str]:
    return (
        text for text in re.findall(r"<text[^>]*>([^<]*)</text>", path.read_text()) if not text.endswith("…")
    )  # a name cut short


def page_texts(page: str) -> Iterator[str]:
    yield from ATTRIBUTE.findall(page)
    yield from (re.sub(r"<[^>]+>", "", part) for part in BLOCK.split(UNREAD.sub("", page)))


def titles(part: Any) -> Iterator[str]:
    """Titles of axes, legends and tooltips of a specification, and texts of its marks."""
    if isinstance(part, dict):
        yield from (value for key, value in part.items() if key in {"title", "text"} and isinstance(value, str))
        yield from (text for key, value in part.items() if key not in {"data", "datasets"} for text in titles(value))
    elif isinstance(part, list):
        yield from (text for one in part for text in titles(one))


def specifications(page: str) -> list[Any]:
    return [json.loads(text) for text in re.findall(r'class="gl-spec">(.*?)</script>', page, re.S)]


def test_pictures_have_no_english_words(site: Path, named: re.Pattern[str]) -> None:
    pictures = sorted((site / "zh" / "assets" / "charts").glob("*-light.svg"))
    assert len(pictures) > 20
    found = {(path.stem, text) for path in pictures for text in picture_texts(path) if english(text, named)}
    assert found == set()


def test_texts_tables_and_specifications_have_no_english_words(site: Path, named: re.Pattern[str]) -> None:
    pages = {path.stem: path.read_text() for path in sorted((site / "zh" / "embed").glob("*.html"))}
    assert len(pages) > 20
    found = {(name, text) for name, page in pages.items() for text in page_texts(page) if english(text, named)}
    found |= {(name, text) for name, page in pages.items() for text in titles(specifications(page)) if english(text, named)}
    assert found == set()


def test_english_words_are_found_beside_names(named: re.Pattern[str]) -> None:
    assert english("RTX 4090：1.2 to 1.4", named) == ["to"]
    assert english("GH200 Grace Hopper，Amazon Web Services，USD/h，GB/s", named) == []
