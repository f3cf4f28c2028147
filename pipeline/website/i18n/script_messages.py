"""Translated and minified scripts and style sheets.

Messages of scripts are `gettext("...")`. Words from data are looked up in the browser, in `assets/words.js`. Scripts must not
nest template literals: the minifier would remove spaces from the inner one.
"""

import json
import re
from pathlib import Path

from rcssmin import cssmin  # type: ignore[import-untyped]
from rjsmin import jsmin  # type: ignore[import-untyped]

from pipeline.website.i18n.language import current_language, gettext

_WORDS = "words.js"
_MESSAGE = re.compile(r'\bgettext\(("(?:[^"\\]|\\.)*")')


def write_scripts(source: Path, folder: Path) -> None:
    """Write every script and style sheet of `source` into `folder`, and the translations of words from data."""
    for path in source.glob("*.js"):
        (folder / path.name).write_text(jsmin(_translate(path.read_text(encoding="utf-8"))), encoding="utf-8")
    for path in source.glob("*.css"):
        (folder / path.name).write_text(cssmin(path.read_text(encoding="utf-8")), encoding="utf-8")
    language = current_language()
    if language.folder:
        words = {message: language.messages[message] for message in sorted(language.data_messages)}
        text = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
        (folder / _WORDS).write_text(f"(window.gpuledger??={{}}).words={text};\n", encoding="utf-8")


def messages_of(script: str) -> list[str]:
    """Return the messages of a script, also those within template literals."""
    return [json.loads(text) for text in _MESSAGE.findall(script)]


def _translate(script: str) -> str:
    return _MESSAGE.sub(lambda match: f"gettext({json.dumps(gettext(json.loads(match[1])), ensure_ascii=False)}", script)
