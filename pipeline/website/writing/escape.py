"""Escaping of values for HTML and Markdown. Every value that a template prints passes through `escape`.

Texts of sources are not trusted: the name of a GPU may contain a script, a link or a line of Markdown.
"""

import json
import math
import re
import unicodedata
from functools import lru_cache
from typing import Any

from markupsafe import Markup

# a hyphen, dot or slash within a word and the parentheses of one: a list, a link and a rule of Markdown begin otherwise
_WITHIN_WORD = r"(?<=\w)[-./](?=\w)|\((?=\w)|(?<=\w)\)"
# all but those, letters and digits of every script, and full-width marks, which neither HTML nor Markdown uses
_ACTIVE = re.compile(rf"(?!{_WITHIN_WORD})[^\w \u3001\u3002\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f]|_")
_NAME = re.compile(r"[a-z0-9]+(?:[_./-][a-z0-9]+)*")  # of a column, a file or a GPU: means nothing to HTML or Markdown
_APOSTROPHE = re.compile(r"(?<=\w)'")
_NOT_PLAIN = re.compile(
    r"[^\w .,:()/+\u2019\u3001\u3002\uff01\uff08\uff09\uff0c\uff1a\uff1f-]|_|(?<!\w):|:(?! \w)"
)  # a colon ends a word: no scheme, no time, no key


def clean(text: str) -> str:
    """The text on one line, without control, private and surrogate characters, which crash or confuse renderers."""
    if text.isprintable():  # true of nearly every text: no character of those below, no white space but " "
        return text
    return "".join(
        " " if unicodedata.category(character) in {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"} else character for character in text
    )


def escape(value: object) -> Markup:
    """Escape any value for HTML and Markdown. None is empty, and Markup is returned as it is."""
    if isinstance(value, Markup):
        return value
    if value is None:
        return Markup("")
    return _escape_text(str(value))


@lru_cache(maxsize=1 << 16)
def _escape_text(text: str) -> Markup:
    if _NAME.fullmatch(text):
        return Markup(text)  # noqa: S704
    return Markup(_ACTIVE.sub(lambda match: f"&#{ord(match[0])};", clean(text)))  # noqa: S704


def code(text: str) -> Markup:
    """The escaped text with its line breaks, for a <pre> element on one line of Markdown."""
    return Markup("&#10;").join(escape(line) for line in text.split("\n"))


def code_spans(text: str) -> Markup:
    """The escaped text, with passages in backticks as <code>."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(escape(part)) if index % 2 and index < len(parts) - 1 else escape(part)
        for index, part in enumerate(parts)
    )


def plain(text: str) -> Markup:
    """The text without characters that mean something to YAML, HTML or Markdown, for titles of pages.

    The apostrophe of a word is the typographic one, which means nothing to them.
    """
    return Markup(_NOT_PLAIN.sub(" ", _APOSTROPHE.sub("\u2019", text)).strip() or "untitled")  # noqa: S704


def script_json(value: object) -> Markup:
    """The value as JSON for a <script> element."""
    text = json.dumps(json_safe(value), ensure_ascii=False, separators=(",", ":"), default=str)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)  # noqa: S704


def json_safe(value: Any) -> Any:
    """The value with None instead of NaN and infinity, which JSON does not have."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: json_safe(item) for key, item in value.items()}
    return [json_safe(item) for item in value] if isinstance(value, list | tuple) else value
