"""Scripts and styles of the site as readers get them: in the words of the language being written, without comments.

A template literal within another is not for scripts here: the tool that takes out comments would take spaces out of it too.
What a script says stands in it as `gettext("...")`; what the data say is looked up when it is shown, in `assets/words.js`.
"""

import json
import re
from pathlib import Path

from rcssmin import cssmin  # type: ignore[import-untyped]
from rjsmin import jsmin  # type: ignore[import-untyped]

from pipeline.website.i18n.language import current_language, gettext

_WORDS = "words.js"
_SAID = re.compile(r'\bgettext\(("(?:[^"\\]|\\.)*")')


def write(ours: Path, folder: Path) -> None:
    """Write every script and style sheet of the folder `ours` into the other, and beside them the words of what the data say."""
    for path in ours.glob("*.js"):
        (folder / path.name).write_text(jsmin(_in_words(path.read_text(encoding="utf-8"))), encoding="utf-8")
    for path in ours.glob("*.css"):
        (folder / path.name).write_text(cssmin(path.read_text(encoding="utf-8")), encoding="utf-8")
    if current_language().folder:
        words = {message: current_language().messages[message] for message in sorted(current_language().of_data)}
        text = json.dumps(words, ensure_ascii=False, separators=(",", ":"))
        (folder / _WORDS).write_text(f"(window.gpuledger??={{}}).words={text};\n", encoding="utf-8")


def _in_words(script: str) -> str:
    return _SAID.sub(lambda found: f"gettext({json.dumps(gettext(json.loads(found[1])), ensure_ascii=False)}", script)
