"""The one place where data become HTML. Every value that a template prints passes through `escape`.

What a source wrote is not trusted: a card's name may hold a script, a link or a line of Markdown. Nothing here
knows about pages or charts.
"""

import json
import math
import re
import unicodedata
from functools import lru_cache
from typing import Any

from markupsafe import Markup

_ACTIVE = re.compile(r"[^A-Za-z0-9 ]")
_NOT_PLAIN = re.compile(r"[^\w .,()/+\u3001\u3002\uff01\uff08\uff09\uff0c\uff1f-]|_")


def clean(text: str) -> str:
    """The text on one line, without control, private and half characters: those end or confuse renderers."""
    if text.isprintable():  # as nearly every text is: none of those below, and no other space than " "
        return text
    return "".join(" " if unicodedata.category(sign) in {"Cc", "Cs", "Co", "Cn", "Zl", "Zp"} else sign for sign in text)


def escape(value: object) -> Markup:
    """Make any value inert in HTML and in Markdown; unknown is empty; what is Markup already passes."""
    if isinstance(value, Markup):
        return value
    if value is None:
        return Markup("")
    return _inert(str(value))


@lru_cache(maxsize=1 << 16)
def _inert(text: str) -> Markup:
    return Markup(_ACTIVE.sub(lambda sign: f"&#{ord(sign[0])};", clean(text)))  # noqa: S704


def code(text: str) -> Markup:
    """The text made inert with its lines kept, for a <pre> element that stands on one line of Markdown."""
    return Markup("&#10;").join(escape(line) for line in text.split("\n"))


def ticked(text: str) -> Markup:
    """The text made inert, with what stands between backticks as code."""
    parts = text.split("`")
    return Markup("").join(
        Markup("<code>{}</code>").format(escape(part)) if place % 2 and place < len(parts) - 1 else escape(part)
        for place, part in enumerate(parts)
    )


def plain(text: str) -> Markup:
    """The text reduced to letters, figures and signs that mean nothing to YAML, HTML or Markdown: for titles of pages."""
    return Markup(_NOT_PLAIN.sub(" ", text).strip() or "untitled")  # noqa: S704


def script_json(value: object) -> Markup:
    """The value as JSON that can stand inside a <script> element."""
    text = json.dumps(finite(value), ensure_ascii=True, separators=(",", ":"), default=str)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup(text)  # noqa: S704


def finite(value: Any) -> Any:
    """The value with unknown in place of NaN and infinity, which JSON has not."""
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    return [finite(item) for item in value] if isinstance(value, list | tuple) else value
