"""Messages of pages and scripts, and the help of the command line, follow the rules of plain English."""

import html
import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from pipeline.cli import app
from pipeline.release import dictionary, release_tables
from pipeline.schema import RECORDS
from pipeline.warehouse import sql_models
from pipeline.website import update_catalogs
from tests import prose_rules

NOT_TEXT = re.compile(r"\{[^{}]*\}|</?\d+>|`[^`]*`|\]\([^)]*\)")
NAMES_ALLOWED = {"internal name"}  # documents and help name tables and options, which their readers type


def commands(command: Any, context: Any) -> Iterator[tuple[str, Any]]:
    """Each command below this one, with the words that call it."""
    yield context.command_path, command
    for name, child in getattr(command, "commands", {}).items():
        yield from commands(child, type(context)(child, info_name=name, parent=context))


MAIN = typer.main.get_command(app)
COMMANDS = dict(commands(MAIN, MAIN.make_context("gpuledger", [], resilient_parsing=True)))


def help_texts(command: Any) -> list[str]:
    """The description of a command, paragraph by paragraph, and of each option, without examples."""
    paragraphs = re.split(r"\n\s*\n", command.help or "")
    options = [getattr(option, "help", None) or "" for option in command.params]
    return [text for text in [*paragraphs, *options] if text and not text.strip().startswith("Example")]


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_is_plain_english(name: str) -> None:
    texts = help_texts(COMMANDS[name])
    assert texts
    patterns = [hit for text in texts for hit in prose_rules.find_patterns(text) if hit[0] not in NAMES_ALLOWED]
    assert patterns + [hit for text in texts for hit in prose_rules.find_long(text)] == []
    assert prose_rules.average_words(texts) <= prose_rules.MOST_WORDS_ON_AVERAGE


def test_no_message_has_a_pattern_that_is_no_plain_english() -> None:
    messages = {html.unescape(NOT_TEXT.sub("X", message)): files for message, files in update_catalogs.find_messages().items()}
    assert len(messages) > 2000
    found = [(hit, min(files)) for text, files in messages.items() for hit in prose_rules.find_patterns(text)]
    assert [(hit, file) for hit, file in found if hit[0] not in NAMES_ALLOWED] == []


TABLES = {record.__table__.name: record.__table__ for record in RECORDS.values()} | release_tables.TABLES | dictionary.TABLES
DESCRIPTIONS = {name: table.description for name, table in TABLES.items()}
DESCRIPTIONS |= {name: sql.file.one("description") for name, sql in (sql_models.metrics() | sql_models.macros()).items()}


@pytest.mark.parametrize("name", sorted(DESCRIPTIONS))
def test_the_description_of_a_table_or_function_has_no_long_sentence(name: str) -> None:
    assert list(prose_rules.find_long(DESCRIPTIONS[name])) == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("The fastest card is new.", "card for GPU"),
        ("It stands beside the price.", "figurative stand"),
        ("The index rests on one row.", "figurative lie or rest"),
        ("The rent of a GPU is low.", "price as rent"),
        ("It is 1 times as fast.", "one times"),
        ("One; two; three.", "semicolon chain"),
        ("See gpu_price for details.", "internal name"),
        ("Marked AMBIGUOUS_GPU here.", "internal name"),
    ],
)
def test_each_pattern_is_found(text: str, rule: str) -> None:
    assert [name for name, _ in prose_rules.find_patterns(text)] == [rule]


@pytest.mark.parametrize("text", ["A PCIe card of 1.1 times the size.", "Rent or buy a GPU, e.g. an H100. It fits.", "11 times"])
def test_plain_text_passes(text: str) -> None:
    assert list(prose_rules.find_patterns(text)) == []
    assert list(prose_rules.find_long(text)) == []


def test_long_sentences_are_found_and_an_abbreviation_ends_none() -> None:
    assert prose_rules.sentences("One, e.g. Two. Three!") == ["One, e.g. Two.", "Three!"]
    assert [name for name, _ in prose_rules.find_long(f"{'word ' * 31}. Short.")] == ["over 30 words"]
    assert prose_rules.average_words(["Four words are here. Yes."]) == 4
