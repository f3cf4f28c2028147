"""A Markdown extension: a page that is one finished block of HTML goes through as it is, instead of tag by tag.

It changes no page, only the time: without it every page comes out the same, so that another generator needs none of it.
"""

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor

OPENS, CLOSES = '<div class="gl-page">', "</div>"
_FIRST, _LAST = 1000, -1000


class _FinishedHtml(Extension):
    """Takes the page away before others read it, and puts it back after them."""

    def __init__(self, **settings: object) -> None:
        super().__init__(**settings)
        self.page = ""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name that Markdown calls
        md.preprocessors.register(_Away(md, self), "finished_html_away", _FIRST)
        md.postprocessors.register(_Back(md, self), "finished_html_back", _LAST)


class _Away(Preprocessor):
    def __init__(self, md: Markdown, kept: _FinishedHtml) -> None:
        super().__init__(md)
        self._kept = kept

    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines).strip()
        whole = text.startswith(OPENS) and text.endswith(CLOSES)
        self._kept.page = text if whole else ""
        return [] if whole else lines


class _Back(Postprocessor):
    def __init__(self, md: Markdown, kept: _FinishedHtml) -> None:
        super().__init__(md)
        self._kept = kept

    def run(self, text: str) -> str:
        return self._kept.page or text


def makeExtension(**settings: object) -> Extension:  # noqa: N802 - the name that Markdown calls
    """What `pipeline.website.raw_html` in mkdocs.yml stands for."""
    return _FinishedHtml(**settings)
