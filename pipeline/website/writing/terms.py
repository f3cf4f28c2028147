"""The terms of terms.toml, and the links that explain them at the first heading of a page that uses them."""

import html
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from markupsafe import Markup

from pipeline.website.i18n.language import Language, current_language, gettext
from pipeline.website.writing.escape import escape

FILE = Path(__file__).with_name("terms.toml")
_HEADING = re.compile(r'(?:<dt>|<th scope="col"[^>]*>(?:<button type="button">)?)([^<]+)(?:</button>)?')


@dataclass(frozen=True, slots=True)
class Term:
    """A term: its name and meaning, and in lower case the headings of tables and figures that use it."""

    group: str
    name: str
    text: str
    labels: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """Its id on the glossary page."""
        return "-".join(re.findall("[a-z0-9]+", self.name.lower()))


TERMS: Final = tuple(
    Term(row["group"], row["name"], row["text"], tuple(row.get("labels", ())))
    for row in tomllib.loads(FILE.read_text(encoding="utf-8"))["term"]
)
_BY_LABEL: Final = {label: term for term in TERMS for label in term.labels}


@cache
def _by_label(language: Language) -> dict[str, Term]:
    """Terms by heading, in lower case and in this language."""
    translations = {message.lower(): text.lower() for message, text in language.messages.items()}
    return _BY_LABEL | {translations[label]: term for label, term in _BY_LABEL.items() if label in translations}


@cache
def _term_link(root: str, term: Term, _language: Language) -> Markup:
    """A link to the glossary that shows the meaning of the term, in the current language, which is part of the cache's key."""
    name, text = escape(gettext("{term}: what it means", term=gettext(term.name))), escape(gettext(term.text))
    address = f"{root}glossary/index.html#{term.anchor}"  # has only letters, digits, hyphens and dots
    return Markup(f' <a class="gl-term" href="{address}" aria-label="{name}" data-text="{text}"></a>')  # noqa: S704


def add_term_links(page: str, root: str) -> str:
    """Add a link after the first heading of a table or figure that uses a term."""
    explained: set[Term] = set()
    terms = _by_label(current_language())

    def add_link(match: re.Match[str]) -> str:
        term = terms.get(html.unescape(match[1]).strip().lower())
        if not term or term in explained:
            return match[0]
        explained.add(term)
        return f"{match[0]}{_term_link(root, term, current_language())}"

    return _HEADING.sub(add_link, page)
