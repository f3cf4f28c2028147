"""Reading a built site as a browser would, for the tests of the pages."""

from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

WITH_HISTORY = "nvidia-a100-pcie-40gb"


class Page(HTMLParser):
    """What a browser would find on a page: tags with attributes, ids, links, and scripts that run."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str]]] = []
        self.running: list[str] = []
        self.text: list[str] = []
        self._script: dict[str, str] | None = None
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.tags.append((tag, found))
        self._script = found if tag == "script" else None

    def handle_endtag(self, tag: str) -> None:
        self._script = None if tag == "script" else self._script

    def handle_data(self, data: str) -> None:
        if self._script is None:
            self.text.append(data)
        elif "json" not in self._script.get("type", ""):
            self.running.append(data)

    def values(self, *names: str) -> Iterator[str]:
        yield from (found[name] for _, found in self.tags for name in names if name in found)


def pages(site: Path) -> dict[str, Page]:
    return {str(path.relative_to(site)): Page(path) for path in sorted(site.rglob("*.html"))}


def words_of(site: Path, name: str) -> str:
    return " ".join("".join(Page(site / name).text).split())
