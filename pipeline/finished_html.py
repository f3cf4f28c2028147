"""A Markdown extension: a page that is one finished block of HTML goes through as it is, instead of tag by tag.

It changes no page, only the time: without it every page comes out the same, so that another generator needs none of it.
"""

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor

OPENS, CLOSES = '<div class="gl-page">', "</div>"
_BEFORE_OTHERS = 29  # the reader of HTML blocks has 20, that of fenced code 25; only the cleaning of white space comes first


class _Finished(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines).strip()
        whole = text.startswith(OPENS) and text.endswith(CLOSES)
        return [self.md.htmlStash.store(text)] if whole else lines


class _FinishedHtml(Extension):
    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the name that Markdown calls
        md.preprocessors.register(_Finished(md), "finished_html", _BEFORE_OTHERS)


def makeExtension(**settings: object) -> Extension:  # noqa: N802 - the name that Markdown calls
    """What `pipeline.finished_html` in mkdocs.yml stands for."""
    return _FinishedHtml(**settings)
