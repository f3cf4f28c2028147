"""Hand-written pages in each language. Their paragraphs, list items, headings and table rows are the messages to translate."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from pipeline.paths import SITE
from pipeline.website.i18n import script_messages
from pipeline.website.i18n.language import current_language, gettext
from pipeline.website.rendering import PageWriter

DOCUMENTS = SITE / "docs"
IN_ENGLISH = {"architecture.md", "vocabulary.md"}  # for those who work on the code, which is in English too
_HEADER = re.compile(r"(title|description): (.*)")
_STARTS = re.compile(r"\s*$|#|\s*[-*] |\s*\d+\. |\||```|: ")
_MARK = re.compile(r"\s*(?:#+ |[-*] |\d+\. |: )|\s*")
Translate = Callable[[str], str]


def write(writer: PageWriter) -> None:
    """Copy the hand-written pages, styles and scripts in the current language."""
    shutil.copytree(DOCUMENTS, writer.docs, dirs_exist_ok=True)
    script_messages.write(DOCUMENTS / "assets", writer.docs / "assets")
    if current_language().messages:
        for path in (writer.docs / name for name in translated_documents()):
            path.write_text(rewrite(path.read_text(encoding="utf-8"), gettext), encoding="utf-8")


def translated_documents() -> list[Path]:
    """Return the documents that are translated, as paths below their folder."""
    return sorted(path.relative_to(DOCUMENTS) for path in DOCUMENTS.rglob("*.md") if path.name not in IN_ENGLISH)


def rewrite(text: str, translate: Translate) -> str:
    """Replace every message of a document by its translation. A message without one keeps its line breaks."""
    _, header, body = text.split("---\n", 2) if text.startswith("---\n") else ("", "", text)
    lines = [_titled(line, translate) for line in header.splitlines()]
    front = "\n".join(["---", *lines, "---", ""]) if header else ""
    return front + "\n".join(_rewritten(unit, translate) for unit in _units(body)) + "\n"


def messages_of(text: str) -> list[str]:
    """Return every message of a document, in order."""
    found: list[str] = []
    rewrite(text, lambda message: found.append(message) or message)  # type: ignore[func-returns-value]
    return found


def _titled(line: str, translate: Translate) -> str:
    said = _HEADER.fullmatch(line)
    return f"{said[1]}: {translate(said[2])}" if said else line


def _units(body: str) -> Iterator[list[str]]:
    """Yield the lines of each paragraph, item, heading, row or fenced block."""
    unit: list[str] = []
    fenced = False
    for line in body.splitlines():
        fence = line.lstrip().startswith("```")
        if unit and not (fenced or (_STARTS.match(line) is None and unit[-1].strip() and not unit[0].startswith("#"))):
            yield unit
            unit = []
        unit.append(line)
        fenced = fenced != fence
    if unit:
        yield unit


def _rewritten(unit: list[str], translate: Translate) -> str:
    mark = _MARK.match(unit[0])[0]  # type: ignore[index]  # it matches nothing too
    text = " ".join(" ".join(unit)[len(mark) :].split())
    if not re.search("[A-Za-z]{2}", text) or unit[0].lstrip().startswith("```"):
        return "\n".join(unit)
    said = translate(text)
    return "\n".join(unit) if said == text else mark + said
