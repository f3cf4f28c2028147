"""The language of the pages being written, and its message catalog.

Messages in code and templates are English sentences, which `site/languages/CODE.po` translates. Untranslated ones stay English.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pipeline.errors import BuildError
from pipeline.paths import SITE

CATALOGS = SITE / "languages"
DATA = "data"  # the comment on a message that comes from data
DATA_ON_PAGES = "data on pages"  # the comment on one that only templates print
_CHINESE = re.compile(r"[\u4e00-\u9fff]")  # some texts of the data are Chinese
_ENGLISH_WORDS = re.compile(r"[A-Za-z][a-z]+[ ,:'-]+[a-z]{2,}")
_FIGURE = re.compile(r"\d(?:[\d,.-]*\d)?(?:e[+-]\d+)?")


class Translated(str):
    """A text of which the catalog translated at least a part."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Language:
    """A language of the site: its code, its own name, translations by message, and the messages that come from data."""

    code: str
    name: str
    messages: Mapping[str, str] = field(default_factory=dict)
    data_messages: frozenset[str] = frozenset()

    @property
    def folder(self) -> str:
        """The folder of its pages below the site's root; empty for English."""
        return "" if self == ENGLISH else self.code

    @property
    def path(self) -> str:
        """The path from the site's root to its pages."""
        return f"{self.folder}/" if self.folder else ""

    @property
    def is_chinese(self) -> bool:
        return self.code.startswith("zh")

    def __hash__(self) -> int:
        return hash(self.code)


ENGLISH = Language("en", "English")
_CURRENT: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def current_language() -> Language:
    """The language of the pages being written."""
    return _CURRENT.get()


@contextmanager
def use_language(language: Language) -> Iterator[None]:
    """Make this the current language within the block."""
    token = _CURRENT.set(language)
    try:
        yield
    finally:
        _CURRENT.reset(token)


def gettext(message: str | None, **values: Any) -> str:
    """Translate the message into the current language and insert `values` for `{name}`. Returns "" for None.

    Message and result are plain text; the template escapes them.
    """
    if message is None:
        return ""
    translation = _CURRENT.get().messages.get(message, message)
    text = translation.format(**values) if values else translation
    return text if translation == message else Translated(text)


def N_(message: str) -> str:  # noqa: N802 - gettext's name for it
    """Mark a message for the catalogs; it is translated elsewhere."""
    return message


def gettext_figures(sentence: str) -> str:
    """Translate a sentence from data, by parts between semicolons. Its figures are `{1}`, `{2}` in the message."""
    messages = _CURRENT.get().messages
    if not messages:
        return sentence
    parts = [_translate_figures(part, messages) for part in sentence.split("; ")]
    return translated_if_any(gettext("; ").join(parts), parts)


def mark_english(text: str) -> str | Markup:
    """Mark a text of the data that has no translation as English, as screen readers need it."""
    is_english = not isinstance(text, Translated) and not _CHINESE.search(text) and _ENGLISH_WORDS.search(text)
    if not current_language().folder or not is_english:
        return text
    return Markup('<span lang="en">{}</span>').format(text)


def translated_if_any(text: str, parts: Iterable[str]) -> str:
    """Return the text, as `Translated` if one of its parts is."""
    return Translated(text) if any(isinstance(part, Translated) for part in parts) else text


def gettext_sentences(text: str) -> str:
    """Translate a text from data whose parts are between semicolons, each part as a sentence."""
    parts = gettext_figures(text).split(gettext("; "))
    return " ".join(f"{part[:1].upper()}{part[1:]}{gettext('.')}" for part in parts)


def _translate_figures(part: str, messages: Mapping[str, str]) -> str:
    if part in messages:
        return Translated(messages[part])
    figures = _FIGURE.findall(part)
    numbers = count(1)
    message = _FIGURE.sub(lambda _: f"{{{next(numbers)}}}", part)
    translation = messages.get(message, message)
    return part if translation == message else Translated(translation.format(None, *figures))


@cache
def translations() -> tuple[Language, ...]:
    """Every language that has a catalog. Raises BuildError if one cannot be read."""
    return tuple(_read(path) for path in sorted(CATALOGS.glob("*.po")))


def language(code: str) -> Language:
    """The language with this code."""
    return next(one for one in languages() if one.code == code)


def languages() -> tuple[Language, ...]:
    """Every language of the site, English first."""
    return ENGLISH, *translations()


def _read(path: Path) -> Language:
    from babel import Locale  # noqa: PLC0415  # slow to import, and needed by site builds only
    from babel.messages.pofile import PoFileError, read_po  # noqa: PLC0415

    try:
        with path.open("rb") as file:
            catalog = read_po(file, locale=path.stem, abort_invalid=True)
    except PoFileError as error:
        raise BuildError(f"{path}: {error}") from error
    entries = [entry for entry in catalog if entry.id and entry.string and not entry.fuzzy]
    messages = {str(entry.id): str(entry.string) for entry in entries}
    data_messages = frozenset(str(entry.id) for entry in entries if DATA in entry.auto_comments)
    return Language(path.stem, Locale.parse(path.stem).display_name or path.stem, messages, data_messages)
