"""Markdown extension that leaves a page of finished HTML as it is.

Python-Markdown would otherwise read such a page tag by tag, which takes ten times as long as all else that MkDocs does. The
result is the same without the extension, so that another generator does not need it.
"""

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

OPENS, CLOSES = '<div class="gl-page" id="content">', "</div>"
_FIRST, _LAST = 1000, -1000


class RawHtml(Extension):
    """Stashes the page before other processors read it, and restores it after them."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name that Markdown calls
        stash = StashRawHtml(md)
        md.preprocessors.register(stash, "stash_raw_html", _FIRST)
        md.postprocessors.register(RestoreRawHtml(md, stash), "restore_raw_html", _LAST)


class StashRawHtml(Preprocessor):
    """Hands an empty page to the other processors if the page is one block of finished HTML, and keeps it."""

    page = ""

    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines).strip()
        finished = text.startswith(OPENS) and text.endswith(CLOSES)
        self.page = text if finished else ""
        return [] if finished else lines


class RestoreRawHtml(Postprocessor):
    """Returns the stashed page instead of the empty one."""

    def __init__(self, md: Markdown, stash: StashRawHtml) -> None:
        super().__init__(md)
        self._stash = stash

    def run(self, text: str) -> str:
        return self._stash.page or text


def makeExtension(**settings: object) -> Extension:  # noqa: N802 - the name that Markdown calls
    """The extension that mkdocs.yml names `pipeline.website.raw_html`."""
    return RawHtml(**settings)
