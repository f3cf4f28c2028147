"""The language of the pages being written, and its message catalog.

Code and templates contain English sentences; `site/languages/CODE.po` translates them. A message without a translation stays
English.
`template_messages` extracts the sentences of templates, `update_catalogs` updates the catalogs.
"""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from pipeline.errors import BuildError
from pipeline.paths import SITE

CATALOGUES = SITE / "languages"
DATA = "data"  # the remark of a message that the data hold
_FIGURE = re.compile(r"\d(?:[\d,.-]*\d)?")


@dataclass(frozen=True, slots=True)
class Language:
    """A language of the site: its code, how its readers call it, its words for ours, and which of ours the data say."""

    code: str
    name: str
    messages: Mapping[str, str] = field(default_factory=dict)
    of_data: frozenset[str] = frozenset()

    @property
    def folder(self) -> str:
        """The folder of its pages below the site's root, empty for the language that the sentences are written in."""
        return "" if self == ENGLISH else self.code

    def __hash__(self) -> int:
        return hash(self.code)


ENGLISH = Language("en", "English")
_SPOKEN: ContextVar[Language] = ContextVar("language", default=ENGLISH)


def current_language() -> Language:
    """The language of the pages being written."""
    return _SPOKEN.get()


@contextmanager
def use_language(language: Language) -> Iterator[None]:
    """Write in this language within the block."""
    token = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def gettext(message: str | None, **values: Any) -> str:
    """The sentence in the language being written, `{name}` in it replaced by the value of that name.

    The message is plain text, as the result is: what prints it makes it inert. Of none there is nothing to say.
    """
    if message is None:
        return ""
    found = _SPOKEN.get().messages.get(message, message)
    return found.format(**values) if values else found


def N_(message: str) -> str:  # noqa: N802 - gettext's name for it
    """The message as it is: it is said elsewhere, and catalogues find it here."""
    return message


def gettext_figures(sentence: str) -> str:
    """What the data say, part by part between semicolons; `{1}`, `{2}` stand for its figures in the language being written."""
    messages = _SPOKEN.get().messages
    return gettext("; ").join(_with_figures(part, messages) for part in sentence.split("; ")) if messages else sentence


def _with_figures(part: str, messages: Mapping[str, str]) -> str:
    figures = _FIGURE.findall(part)
    places = count(1)
    found = messages.get(_FIGURE.sub(lambda _: f"{{{next(places)}}}", part))
    return found.format(None, *figures) if found else part


@cache
def translations() -> tuple[Language, ...]:
    """Every language that has a catalogue. Raises BuildError where one cannot be read."""
    return tuple(_read(path) for path in sorted(CATALOGUES.glob("*.po")))


def language(code: str) -> Language:
    """The language of this code."""
    return next(one for one in languages() if one.code == code)


def languages() -> tuple[Language, ...]:
    """Every language that the site is written in, the one of the sentences in the code first."""
    return ENGLISH, *translations()


def _read(path: Path) -> Language:
    from babel import Locale  # noqa: PLC0415  # slow to import, and not wanted by a query
    from babel.messages.pofile import PoFileError, read_po  # noqa: PLC0415

    try:
        with path.open("rb") as file:
            catalogue = read_po(file, locale=path.stem, abort_invalid=True)
    except PoFileError as error:
        raise BuildError(f"{path}: {error}") from error
    entries = [entry for entry in catalogue if entry.id and entry.string and not entry.fuzzy]
    words = {str(entry.id): str(entry.string) for entry in entries}
    of_data = frozenset(str(entry.id) for entry in entries if DATA in entry.auto_comments)
    return Language(path.stem, Locale.parse(path.stem).display_name or path.stem, words, of_data)
