"""Search entries of pages made from data: headings and text, without the cells of tables.

MkDocs does not index these pages: it would read them tag by tag, which takes longer than all else that it does.
"""

import json
import re
from html import escape
from pathlib import Path
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

Entry = dict[str, Any]

_NOT_TEXT = "figure, details:not(#names), form, pre, script, style"
_BETWEEN_CHARACTERS = re.compile("(?<=[\u3400-\u9fff])(?=[\u3400-\u9fff])")
_FIGURE = re.compile(r"(?<![\w#-])(?<!Llama )(?:\$\d+(?:[.,]\d+)*|\d+(?:[.,]\d+)+%?|\d+%)(?![\w-])")
_HEADINGS = "h1, h2[id], h3[id]"


def index_page(location: str, page: str) -> list[Entry]:
    """One entry for the page with all its paragraphs and lists, for kinds with many similar pages."""
    entries = index_sections(location, page)
    return [entries[0] | {"text": "".join(entry["text"] for entry in entries)}]


def index_sections(location: str, page: str) -> list[Entry]:
    """One entry for each heading of the page's HTML, with the paragraphs and lists below it."""
    tree = LexborHTMLParser(_remove_tables(page))
    for node in tree.css(_NOT_TEXT):
        node.decompose()
    entries: list[Entry] = []
    for node in tree.css("h1, h2[id], h3, p, li"):  # no element matches two of them, which would index it twice
        if node.css_matches(_HEADINGS):
            entries.append({"location": _location(location, node), "title": _text(node), "text": ""})
        elif entries:
            entries[-1]["text"] += f"<p>{_text(node)}</p>"
    return entries


def add_entries(folder: Path, entries: list[Entry]) -> None:
    """Add the entries to the index that MkDocs wrote."""
    path = folder / "search_index.json"
    index = json.loads(path.read_text(encoding="utf-8"))
    index["docs"] = [_separate_characters(_leave_out_figures(entry)) for entry in [*index["docs"], *entries]]
    path.write_text(json.dumps(index, separators=(",", ":"), ensure_ascii=False), encoding="utf-8")


def _remove_tables(page: str) -> str:
    """Remove the tables, which have most of the tags. No table is inside another."""
    before, *others = page.split("<table")
    return before + "".join(other.partition("</table>")[2] for other in others)


def _location(location: str, heading: LexborNode) -> str:
    name = heading.attributes.get("id")
    return f"{location}#{name}" if name and heading.tag != "h1" else location


def _text(node: LexborNode) -> str:
    return escape(" ".join(node.text().split()))


def _leave_out_figures(entry: Entry) -> Entry:
    """Write prices, shares and decimals of the text, which nobody looks for, as an ellipsis; names such as RTX 4090 and Llama 3.1
    stay.

    The more words have digits, the likelier lunr takes two of them for one when it builds the index in the browser. Then a
    query whose letters lead to the false word finds nothing.
    """
    return entry | {"text": _FIGURE.sub("…", entry["text"])}


def _separate_characters(entry: Entry) -> Entry:
    """Make each Chinese character a word of its own, as the theme splits queries."""
    return entry | {part: _BETWEEN_CHARACTERS.sub("\u200b", entry[part]) for part in ("title", "text")}
