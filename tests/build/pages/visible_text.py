"""The texts of a built page that a reader sees: headings, tables, captions, labels and paragraphs."""

from html.parser import HTMLParser
from pathlib import Path

PROSE = {"p", "li", "dd", "figcaption"}
_TEXTS = PROSE | {"h1", "h2", "h3", "h4", "th", "caption", "label", "legend", "summary", "button", "dt", "td"}
_UNREAD = {"script", "style", "svg", "pre", "template", "nav", "textarea", "select", "q", "figure"}
_VOID = {"br", "img", "input", "meta", "link", "hr", "wbr", "source", "col"}


class VisibleText(HTMLParser):
    """Texts of the main content as pairs of element and text, without quotations and blocks of code."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.texts: list[tuple[str, str]] = []
        self._open: list[tuple[str, list[str]]] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _VOID:
            self.handle_data(" ")
            return
        in_cell = "td" in self._names()
        hidden = ("class", "headerlink") in attrs or (in_cell and ("translate", "no") in attrs)  # a label of a source
        self._open.append(("nav" if hidden else tag, []))
        if tag == "code":
            self.handle_data("X")  # one word, whatever the code is

    def handle_endtag(self, tag: str) -> None:
        if tag not in {*self._names(), "a"}:
            return
        while self._open:
            name, parts = self._open.pop()
            if name in _TEXTS and "main" in self._names() and (text := " ".join("".join(parts).split())):
                self.texts.append((name, text))
            if name == tag or (tag == "a" and name == "nav"):
                return

    def handle_data(self, data: str) -> None:
        if _UNREAD & set(self._names()) or (self._open and self._open[-1][0] == "code" and data != "X"):
            return
        block = next((parts for name, parts in reversed(self._open) if name in _TEXTS), None)
        if block is not None:
            block.append(data)

    def _names(self) -> list[str]:
        return [name for name, _ in self._open]
