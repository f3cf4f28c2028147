"""The hand-written pages, translated, with the scripts and style sheets."""

import re
import shutil
from pathlib import Path

from pipeline.paths import SITE
from pipeline.website.i18n import markdown_messages, script_messages
from pipeline.website.i18n.language import current_language, gettext
from pipeline.website.writing.page_writer import PageWriter

DOCUMENTS = SITE / "docs"
_ENGLISH_ONLY = {
    "architecture.md",
    "reliability.md",
    "remote.md",
    "run-it.md",
    "scale.md",
    "vocabulary.md",
}  # for developers: code and comments are English too
_HEADING = re.compile(r"^(# .+)$", re.MULTILINE)


def write(writer: PageWriter) -> None:
    """Copy the hand-written pages, styles and scripts to the others, in the current language."""
    shutil.copytree(DOCUMENTS, writer.docs, dirs_exist_ok=True)
    script_messages.write_scripts(DOCUMENTS / "assets", writer.docs / "assets")
    if current_language().messages:
        for path in (writer.docs / name for name in translated_documents()):
            path.write_text(markdown_messages.rewrite(path.read_text(encoding="utf-8"), gettext), encoding="utf-8")
        for path in (writer.docs / name for name in _ENGLISH_ONLY):
            note = gettext("This page is in English.")
            path.write_text(_HEADING.sub(rf"\1\n\n*{note}*", path.read_text(encoding="utf-8"), count=1), encoding="utf-8")


def translated_documents() -> list[Path]:
    """Paths of the documents that are translated, relative to their folder."""
    return sorted(path.relative_to(DOCUMENTS) for path in DOCUMENTS.rglob("*.md") if path.name not in _ENGLISH_ONLY)
