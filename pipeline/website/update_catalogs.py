"""Update message catalogs: `python -m pipeline.website.update_catalogs` adds new messages and removes unused ones.

Messages that come from data, such as names of price kinds, have the comment `data` in a catalog. They are kept and added to every
other catalog. Those that only templates print, such as the texts of a guide, have `data on pages`. Scripts do not receive them.
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
from babel.messages.pofile import read_po, write_po

from pipeline.files import write_atomically
from pipeline.paths import SITE
from pipeline.website.i18n import markdown_messages, script_messages, template_messages
from pipeline.website.i18n.language import CATALOGS, DATA, DATA_ON_PAGES
from pipeline.website.pages.documents import page as documents_page
from pipeline.website.writing import page_writer, terms

PACKAGE = Path(__file__).resolve().parents[1]
ROOT = PACKAGE.parent
# by name, the number of the first argument that is a message
_MACROS = dict.fromkeys(("gettext", "head", "head_az", "head_low", "head_za", "th", "th_n"), 0) | {
    "finder": 3,
    "table_of": 4,
    "ranked": 4,
}
_MACROS |= dict.fromkeys(("cell", "choice", "field", "offer_table", "part", "pick", "picker", "span", "sql", "table", "times"), 1)
_MACROS["tools"] = 1
_MARKS = {"gettext", "N_"}
_TITLE = slice(1, 3)  # title and description among the arguments of PageWriter.write_page
_PLACEHOLDER = re.compile(r"</?\d+>|\{[^{}]*\}")


def find_messages() -> dict[str, set[str]]:
    """Every message of templates, documents, code, scripts and navigation, with the files that contain it."""
    messages: dict[str, set[str]] = {}
    for path, message in _messages():
        messages.setdefault(message, set()).add(path.relative_to(ROOT).as_posix())
    return messages


def _messages() -> Iterator[tuple[Path, str]]:
    environment = page_writer.environment()
    for path in sorted((PACKAGE / "website").rglob("*.j2")):
        source = path.read_text(encoding="utf-8")
        for message in template_messages.messages_of(source) + template_messages.find_arguments(environment, source, _MACROS):
            yield path, message
    for path in (documents_page.DOCUMENTS / name for name in documents_page.translated_documents()):
        yield from ((path, message) for message in markdown_messages.messages_of(path.read_text(encoding="utf-8")))
    for path in [*sorted(PACKAGE.rglob("*.py")), *sorted((SITE / "docs" / "assets").glob("*.js"))]:
        yield from ((path, message) for message in _marked_messages(path))
    yield from ((terms.FILE, text) for term in terms.TERMS for text in (term.group, term.name, term.text))
    yield from ((SITE / "mkdocs.yml", message) for message in _navigation_messages())


def _marked_messages(path: Path) -> Iterator[str]:
    if path.suffix == ".js":
        yield from script_messages.messages_of(path.read_text(encoding="utf-8"))
        return
    for call in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(call, ast.Call):
            arguments = call.args[:1] if _name(call) in _MARKS else call.args[_TITLE] if _name(call) == "write_page" else []
            yield from (text for argument in arguments for text in _texts(argument))


def _texts(argument: ast.expr) -> list[str]:
    """The constant text, or those between which a condition chooses."""
    if isinstance(argument, ast.IfExp):
        return _texts(argument.body) + _texts(argument.orelse)
    return [argument.value] if isinstance(argument, ast.Constant) and isinstance(argument.value, str) else []


def _name(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _navigation_messages() -> list[str]:
    """Texts of the frame around every page."""
    config = yaml.safe_load((SITE / "mkdocs.yml").read_text(encoding="utf-8"))
    toggles = [scheme["toggle"]["name"] for scheme in config["theme"]["palette"]]
    return [config["site_description"], *toggles, *config["extra"]["words"].values(), *_labels(config["nav"])]


def _labels(nav: list[dict[str, object]]) -> list[str]:
    labels = []
    for label, below in (pair for item in nav for pair in item.items()):
        labels += [label, *(_labels(below) if isinstance(below, list) else [])]
    return labels


def find_errors(path: Path) -> list[str]:
    """Messages of the catalog without a translation, or whose translation has other placeholders."""
    catalog = _read(path)
    untranslated = [message for message in find_messages() if not _string(catalog.get(message))]
    translated = [entry for entry in catalog if entry.id and entry.string]
    changed = [entry.id for entry in translated if _placeholders(entry.id) != _placeholders(entry.string)]
    return [f"{path.name}: no translation of {message!r}" for message in untranslated] + [
        f"{path.name}: other placeholders in the translation of {message!r}" for message in changed
    ]


def _placeholders(message: object) -> set[str]:
    return set(_PLACEHOLDER.findall(str(message)))


def _string(entry: Message | None) -> str:
    return str(entry.string) if entry else ""


def update(path: Path) -> list[str]:
    """Rewrite the catalog with every current message, sorted by file, those that come from data, and the existing translations.

    Returns a line for each message that it removed, with the translation, which an edited message can often reuse.
    """
    old = _read(path)
    new = Catalog(
        locale=path.stem,
        project="gpuledger",
        header_comment=f"# gpuledger in {Locale.parse(path.stem).english_name}; python -m pipeline.website.update_catalogs",
        creation_date=old.creation_date,
        revision_date=old.creation_date,
        last_translator="gpuledger",
        language_team="gpuledger",
        msgid_bugs_address="see CONTRIBUTING.md",
        fuzzy=False,
    )
    for message, files in sorted(find_messages().items(), key=lambda pair: (min(pair[1]), pair[0])):
        new.add(message, _string(old.get(message)), locations=[(name, None) for name in sorted(files)])  # type: ignore[misc]
    others = [entry for other in sorted(CATALOGS.glob("*.po")) if other.name != path.name for entry in _read(other)]
    for entry in (*old, *others):
        remarks = [remark for remark in (DATA, DATA_ON_PAGES) if remark in entry.auto_comments]
        if entry.id and entry.id not in new and remarks:
            new.add(entry.id, _string(old.get(entry.id)), auto_comments=remarks)
    written = io.BytesIO()
    write_po(written, new, width=0, omit_header=False)
    write_atomically(path, written.getvalue())
    removed = [entry for entry in old if entry.id and entry.string and entry.id not in new]
    return [f"{path.name}: removed {entry.id!r}, translated as {entry.string!r}" for entry in removed]


def _read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.stem)


if __name__ == "__main__":
    for catalog_path in sorted(CATALOGS.glob("*.po")):
        print(*update(catalog_path), *find_errors(catalog_path), sep="\n", file=sys.stderr)
