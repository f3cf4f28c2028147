"""The texts of a built page that a reader sees: headings, tables, captions, labels and paragraphs."""

from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

PROSE = {"p", "li", "dd", "figcaption"}
_TEXTS = PROSE | {"h1", "h2", "h3", "h4", "th", "caption", "label", "legend", "summary", "button", "dt", "td"}
_UNREAD = {"script", "style", "svg", "pre", "template", "nav", "textarea", "select", "q", "figure"}
_VOID = ("br", "img", "input", "meta", "link", "hr", "wbr", "source", "col")
_INSTEAD = dict.fromkeys(_VOID, " ") | {"code": "X"}  # code is one word, whatever it is
Texts = list[tuple[str, str]]


def visible_texts(path: Path) -> Texts:
    """Texts of the main content as pairs of element and text, without quotations and blocks of code."""
    texts: Texts = []
    if main := LexborHTMLParser(path.read_text(encoding="utf-8")).css_first("main"):
        _read(main, texts, [])
    return texts


def _read(node: LexborNode, texts: Texts, parts: list[str], *, in_cell: bool = False) -> None:
    """Add the texts below the node to `texts`, and what belongs to the text around it to `parts`."""
    for child in node.iter(include_text=True):
        tag = str(child.tag)
        if tag == "-text":
            parts.append(child.text_content or "")
        elif tag in _INSTEAD:
            parts.append(_INSTEAD[tag])
        elif tag in _UNREAD or _is_hidden(child, in_cell):
            continue
        elif tag in _TEXTS:
            own: list[str] = []
            _read(child, texts, own, in_cell=in_cell or tag == "td")
            if text := " ".join("".join(own).split()):
                texts.append((tag, text))
        else:
            _read(child, texts, parts, in_cell=in_cell)


def _is_hidden(node: LexborNode, in_cell: bool) -> bool:
    """Return whether it is the link of a heading, or a source's label in a cell."""
    found = node.attributes
    return found.get("class") == "headerlink" or (in_cell and found.get("translate") == "no")
