"""Headings, labels, buttons and heads of tables of the Chinese edition have no English words besides names."""

import re
from pathlib import Path

import duckdb
import pytest
from selectolax.lexbor import LexborHTMLParser

from tests.build.pages.test_chinese_charts import NAMES, VENDORS
from tests.build.pages.visible_text import visible_texts
from tests.page_kinds import PAGES

ELEMENTS = {"h1", "h2", "h3", "h4", "th", "label", "legend", "button", "summary", "caption", "dt"}
FREE_TEXT = {
    "glossary",
    "source",
    "sources",
    "rejects",
    "audit",
    "table",
    "data",
    "changes",
    "versions",
    "sql",
    "uploaded",
    "guide of 2020",
}
FORMATS = {"double", "quantization", "bitsandbytes"}
ALLOWED = FORMATS | {"token", "tokens", "gpuledger", "warp", "vllm", "llama", "gpt", "oss", "spot", "nvidia", "slurm"}
TABLES = (
    ("provider", "#fact-table"),
    ("value", "#assumption-table"),
    ("value", "#machine-table"),
    ("llm memory", "#program-table"),
    ("llm memory", "#weight-table"),
    ("uploaded", "#run-table"),
)
WORKS = ("Journal of Memory and Language", "nvbandwidth", "gpurentalprices", "torch")  # titles and programs
ENGLISH_PARTS = {
    "audit": "算式与数据库一致，为英文。",
    "versions": "此列表为英文。",
    "data": "表和列的说明为英文。",
    "rejects": "各行保留来源原文，少见的原因为英文。",
    "sources": "署名保留来源原文。",
    "sql": "表和列的说明为英文。",
    "table": "表和列的说明为英文。",
}
UNREAD = "[lang=en], code, pre, script, style, svg, nav, q, option, .md-header, .gl-footer"
ENGLISH_PAGES = {"table", "sql", "rejects"}  # descriptions of tables and columns, and rules, as the pages say
SENTENCE = re.compile(r"[A-Za-z][A-Za-z'-]*(?:[ ,:;]+[a-z][A-Za-z'-]*){3,}")
ADDRESS = re.compile(r"https?://\S+|\S+/\S+\.(?:json|md|csv|h)\b")
WORD = re.compile(r"(?<![A-Za-z0-9_./@&-])[a-z]{3,}(?![A-Za-z0-9_/-]|\.\w)")


@pytest.fixture(scope="module")
def names(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Names of the data, longest first, with and without the vendor."""
    found = {name for (name,) in con.execute(NAMES).fetchall() if name}
    for vendor in VENDORS:
        found |= {name.removeprefix(vendor) for name in found}
    found |= {re.split(r":| \(", name)[0] for name in found}
    return sorted((name for name in found if len(name) > 1), key=len, reverse=True)


def english_words(text: str, names: list[str]) -> set[str]:
    for name in names:
        text = text.replace(name, "")
    return set(WORD.findall(text)) - ALLOWED


@pytest.mark.parametrize("kind", sorted(PAGES.keys() - FREE_TEXT))
def test_headings_and_labels_have_no_english_words(site: Path, names: list[str], kind: str) -> None:
    texts = [text for element, text in visible_texts(site / "zh" / PAGES[kind]) if element in ELEMENTS]
    assert texts
    assert {(text, word) for text in texts for word in english_words(text, names)} == set()


@pytest.mark.parametrize(("kind", "table"), TABLES)
def test_texts_from_data_have_no_english_words(site: Path, names: list[str], kind: str, table: str) -> None:
    page = LexborHTMLParser((site / "zh" / PAGES[kind]).read_text(encoding="utf-8"))
    cells = [cell.text(separator=" ", strip=True) for cell in page.css(f"{table} td")]
    assert cells
    texts = [ADDRESS.sub("", text) for text in cells]
    assert {(text, word) for text in texts for word in english_words(text, [*names, *WORKS])} == set()


@pytest.mark.parametrize(("kind", "line"), ENGLISH_PARTS.items())
def test_a_page_with_english_texts_says_so(site: Path, kind: str, line: str) -> None:
    assert line in (site / "zh" / PAGES[kind]).read_text(encoding="utf-8")
    assert not any(one in (site / PAGES[kind]).read_text(encoding="utf-8") for one in ("are in English", "is in English"))


def test_english_words_are_found_besides_names() -> None:
    assert english_words("K80 (whole board)：differ 1.4 tokens", ["K80 (whole board)"]) == {"differ"}


@pytest.mark.parametrize("kind", sorted(PAGES.keys() - ENGLISH_PAGES))
def test_sentences_without_a_translation_are_marked_as_english(site: Path, names: list[str], kind: str) -> None:
    page = LexborHTMLParser((site / "zh" / PAGES[kind]).read_text(encoding="utf-8"))
    for element in page.css(UNREAD):
        element.decompose()
    text = page.body.text(separator="\n", strip=True)
    for name in [*names, *WORKS]:
        text = text.replace(name, "")
    assert SENTENCE.findall(text) == []
