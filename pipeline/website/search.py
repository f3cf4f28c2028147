"""What the search of the site finds of a page made from data: its name and its words, not every cell of its tables.

MkDocs would read each page tag by tag for it, which takes longer than all else that it does.
"""

import json
import re
from html import escape
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser, LexborNode

Entry = dict[str, str]

_NOT_WORDS = "figure, details, form, pre, script, style"
_BETWEEN_SIGNS = re.compile("(?<=[\u3400-\u9fff])(?=[\u3400-\u9fff])")
_HEADINGS = "h1, h2[id], h3[id]"


def whole(location: str, page: str) -> list[Entry]:
    """One entry for a page, with all its paragraphs and lists: for pages of which there are many alike."""
    found = sections(location, page)
    return [found[0] | {"text": "".join(one["text"] for one in found)}]


def sections(location: str, page: str) -> list[Entry]:
    """One entry for each heading of a page, with the paragraphs and lists below it. `page` is its HTML."""
    tree = LexborHTMLParser(_without_tables(page))
    for node in tree.css(_NOT_WORDS):
        node.decompose()
    found: list[Entry] = []
    for node in tree.css("h1, h2[id], h3, p, li"):  # no element fits two of them: it would be found twice
        if node.css_matches(_HEADINGS):
            found.append({"location": _place(location, node), "title": _words(node), "text": ""})
        elif found:
            found[-1]["text"] += f"<p>{_words(node)}</p>"
    return found


def _without_tables(page: str) -> str:
    """The page without its tables, which hold most of its tags and none of its words; none stands in another."""
    before, *others = page.split("<table")
    return before + "".join(other.partition("</table>")[2] for other in others)


def _place(location: str, heading: LexborNode) -> str:
    name = heading.attributes.get("id")
    return f"{location}#{name}" if name and heading.tag != "h1" else location


def _words(node: LexborNode) -> str:
    return escape(" ".join(node.text().split()))


def extend(folder: Path, entries: list[Entry]) -> None:
    """Add entries to the index that MkDocs wrote."""
    index = folder / "search_index.json"
    found = json.loads(index.read_text(encoding="utf-8"))
    found["docs"] = [_parted(entry) for entry in [*found["docs"], *entries]]
    index.write_text(json.dumps(found, separators=(",", ":"), ensure_ascii=False), encoding="utf-8")


def _parted(entry: Entry) -> Entry:
    """The entry with each sign of a language written without spaces as a word of its own: the theme parts queries likewise."""
    return entry | {part: _BETWEEN_SIGNS.sub("\u200b", entry[part]) for part in ("title", "text")}
