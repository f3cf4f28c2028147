"""Update message catalogs: `python -m pipeline.website.i18n.update_catalogs` adds new messages and removes unused ones.

Messages that come from data, such as names of price kinds, carry the remark `data` in a catalog and are kept.
"""

import ast
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import yaml
from babel import Locale
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.pofile import read_po, write_po

from pipeline.paths import SITE
from pipeline.website import rendering
from pipeline.website.components import terms
from pipeline.website.i18n import template_messages
from pipeline.website.i18n.language import CATALOGUES, DATA
from pipeline.website.pages.documents import page as documents_page

PACKAGE = Path(__file__).resolve().parents[2]
ROOT = PACKAGE.parent
_MACROS = {
    "gettext": 0,
    "head": 0,
    "part": 1,
    "span": 1,
    "times": 1,
    "sql": 1,
    "cell": 1,
    "offer_table": 1,
    "tools": 1,
    "table": 1,
}
_MACROS |= {"field": 1, "picker": 1, "choice": 1}  # each with the number of the first argument that is said
_MARKS = {"gettext", "N_"}
_TITLE = slice(2, 4)  # title and description among the arguments of PageWriter.write_page
_PLACE = re.compile(r"</?\d+>|\{[^{}]*\}")


def said() -> dict[str, set[str]]:
    """Every message of templates, documents, code, scripts and navigation, with the files that say it."""
    found: dict[str, set[str]] = {}
    for path, message in _all():
        found.setdefault(message, set()).add(path.relative_to(ROOT).as_posix())
    return found


def _all() -> Iterator[tuple[Path, str]]:
    environment = rendering.environment()
    for path in sorted((PACKAGE / "website").rglob("*.j2")):
        source = path.read_text(encoding="utf-8")
        for message in template_messages.messages_of(source) + template_messages.marked_in(environment, source, _MACROS):
            yield path, message
    for path in (documents_page.DOCUMENTS / name for name in documents_page.translated_documents()):
        yield from ((path, message) for message in documents_page.messages_of(path.read_text(encoding="utf-8")))
    for path in [*sorted(PACKAGE.rglob("*.py")), *sorted((SITE / "docs" / "assets").glob("*.js"))]:
        yield from ((path, message) for message in _marked(path))
    yield from ((terms.FILE, text) for term in terms.TERMS for text in (term.group, term.name, term.text))
    yield from ((SITE / "mkdocs.yml", message) for message in _navigation())


def _marked(path: Path) -> Iterator[str]:
    if path.suffix == ".js":
        called = dict.fromkeys(_MARKS | {"gpuledger.gettext"})
        found = extract("javascript", io.BytesIO(path.read_bytes()), keywords=called)
        yield from (str(message) for _, message, _, _ in found if message)
        return
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call):
            said = call.args[:1] if _name(call) in _MARKS else call.args[_TITLE] if _name(call) == "write_page" else []
            yield from (text for given in said for text in _texts(given))


def _texts(given: ast.expr) -> list[str]:
    """The text that stands there, or those that a condition chooses between."""
    if isinstance(given, ast.IfExp):
        return _texts(given.body) + _texts(given.orelse)
    return [given.value] if isinstance(given, ast.Constant) and isinstance(given.value, str) else []


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _navigation() -> list[str]:
    config = yaml.safe_load((SITE / "mkdocs.yml").read_text(encoding="utf-8"))
    toggles = [scheme["toggle"]["name"] for scheme in config["theme"]["palette"]]
    return [config["site_description"], *toggles, *_labels(config["nav"])]


def _labels(nav: list[dict[str, object]]) -> list[str]:
    found = []
    for label, below in (pair for item in nav for pair in item.items()):
        found += [label, *(_labels(below) if isinstance(below, list) else [])]
    return found


def lacking(path: Path) -> list[str]:
    """What is wrong with the catalogue: messages not translated, or with other places for values and elements than ours."""
    catalogue = _read(path)
    wrong = [f"{path.name}: no translation of {message!r}" for message in said() if not _string(catalogue.get(message))]
    moved = [entry.id for entry in catalogue if entry.id and entry.string and _places(entry.id) != _places(entry.string)]
    return wrong + [f"{path.name}: other places in the translation of {message!r}" for message in moved]


def _places(message: object) -> set[str]:
    return set(_PLACE.findall(str(message)))


def _string(entry: Message | None) -> str:
    return str(entry.string) if entry else ""


def update(path: Path) -> None:
    """Write the catalogue anew: every message that is said, sorted by file, with the translation that it had."""
    old = _read(path)
    new = Catalog(
        locale=path.stem,
        project="gpuledger",
        header_comment=f"# gpuledger in {Locale.parse(path.stem).english_name}; python -m pipeline.website.i18n.update_catalogs",
        creation_date=old.creation_date,
        revision_date=old.creation_date,
        last_translator="gpuledger",
        language_team="gpuledger",
        msgid_bugs_address="see CONTRIBUTING.md",
        fuzzy=False,
    )
    for message, files in sorted(said().items(), key=lambda pair: (min(pair[1]), pair[0])):
        new.add(message, _string(old.get(message)), locations=[(name, None) for name in sorted(files)])  # type: ignore[misc]
    for entry in old:
        if entry.id and entry.id not in new and DATA in entry.auto_comments:
            new.add(entry.id, entry.string, auto_comments=[DATA])
    with path.open("wb") as file:
        write_po(file, new, width=0, omit_header=False)


def _read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.stem)


if __name__ == "__main__":
    for found in sorted(CATALOGUES.glob("*.po")):
        update(found)
        print(*lacking(found), sep="\n", file=sys.stderr)
