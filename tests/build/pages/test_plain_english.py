"""Every English page is in plain English: no pattern of the list, no long sentence, and short sentences on average."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import prose_rules
from tests.build.pages.visible_text import PROSE, visible_texts

Texts = dict[str, list[tuple[str, str]]]
OTHER_LANGUAGES = ("zh/",)
# by rule, pages that may break it
CELL = "td"  # a cell has words of its source: it is read for internal names alone
DOCUMENTED = (
    "dictionary/",
    "changes/",
    "architecture.html",
    "sql/",
    "data/",
)  # names and definitions of tables are their subject
EXCEPTIONS = {
    "internal name": (
        *DOCUMENTED,
        "uploads.html",
        "benchmarks.html",
        "method/",
        "gpus/index.html",
        "offers/index.html",
        "sources/",
    ),
    # names of stored files, of options of programs, and of a model's file
    "internal name in a cell": (*DOCUMENTED, "method/", "sources/", "rejects/", "llm/memory/", "guides/paperspace-2022/"),
    "card for GPU": ("guides/", "value/", "changes/", "gpus/index.html"),  # words of the guides, and of old releases
    "old-fashioned word": ("guides/", "value/"),  # words of the guides
    "price as rent": (*DOCUMENTED, "gpus/index.html"),
    "semicolon chain": (*DOCUMENTED, "offers/index.html", "gpus/", "providers/"),  # lists of prices and of states
    "figurative hold": DOCUMENTED,
    f"over {prose_rules.MOST_WORDS} words": DOCUMENTED,
}
# enumerations: names of a GPU or its sellers, pairs of GPUs, citations of guides, figures with their intervals
LIST = re.compile(
    r"\((?:any source|gpuledger-compiled|gpuledger-names)| ↗, |^Compare: |^Any .*, whatever its form factor|: the same offers |"
    r"^Cheapest provider for:|^\d+ GPU models? to rent|in our words: |^Mean error on a GPU|At the same batch, one .* \([\d.]+ to "
)
MACHINE_TYPE = re.compile(r"^machine \S+: ")  # a rule of labels, which begins with a cloud's name of a machine


@pytest.fixture(scope="module")
def texts(site: Path) -> Texts:
    """The visible texts of every English page, by its path, without enumerations."""
    names = (path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html")))
    read = {name: visible_texts(site / name) for name in names if not name.startswith(OTHER_LANGUAGES)}
    return {name: [(element, text) for element, text in page if not LIST.search(text)] for name, page in read.items()}


def unexpected(texts: Texts, found: Iterator[tuple[str, str, str]]) -> dict[str, str]:
    """Each sentence that breaks a rule, with the first page that has it."""
    assert len(texts) > 600
    return {f"{rule}: {sentence}": page for page, rule, sentence in found if not page.startswith(EXCEPTIONS.get(rule, "//"))}


def test_no_page_has_a_pattern_that_is_no_plain_english(texts: Texts) -> None:
    every = ((page, text) for page, pairs in texts.items() for element, text in pairs if element != CELL)
    assert unexpected(texts, ((page, *hit) for page, text in every for hit in prose_rules.find_patterns(text))) == {}


def test_no_cell_of_a_table_has_an_internal_name(texts: Texts) -> None:
    cells = (
        (page, text)
        for page, pairs in texts.items()
        for element, text in pairs
        if element == CELL and not MACHINE_TYPE.search(text)
    )
    found = ((page, rule, sentence) for page, text in cells for rule, sentence in prose_rules.find_patterns(text))
    named = ((page, f"{rule} in a cell", sentence) for page, rule, sentence in found if rule == "internal name")
    assert unexpected(texts, named) == {}


def test_no_sentence_of_a_page_is_long(texts: Texts) -> None:
    prose = ((page, text) for page, pairs in texts.items() for element, text in pairs if element in PROSE)
    assert unexpected(texts, ((page, *hit) for page, text in prose for hit in prose_rules.find_long(text))) == {}


def test_sentences_of_a_page_are_short_on_average(texts: Texts) -> None:
    prose = {page: [text for element, text in pairs if element in PROSE] for page, pairs in texts.items()}
    averages = {page: prose_rules.average_words(paragraphs) for page, paragraphs in prose.items()}
    assert {page: words for page, words in averages.items() if words > prose_rules.MOST_WORDS_ON_AVERAGE} == {}
