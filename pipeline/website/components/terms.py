"""The terms of terms.toml, and the sign that explains them where a page uses them first. The page of them is glossary."""

import html
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from markupsafe import Markup

from pipeline.website.components.escape import escape
from pipeline.website.i18n.language import Language, current_language, gettext

FILE = Path(__file__).with_name("terms.toml")
_HEADING = re.compile(r'(?:<dt>|<th scope="col"[^>]*>(?:<button type="button">)?)([^<]+)(?:</button>)?')


@dataclass(frozen=True, slots=True)
class Term:
    """One term: its name, what it means here, and the headings of tables and figures that mean it, in small letters."""

    group: str
    name: str
    text: str
    labels: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """Its place on the page of terms."""
        return "-".join(re.findall("[a-z0-9]+", self.name.lower()))


TERMS: Final = tuple(
    Term(row["group"], row["name"], row["text"], tuple(row.get("labels", ())))
    for row in tomllib.loads(FILE.read_text(encoding="utf-8"))["term"]
)
_BY_LABEL: Final = {label: term for term in TERMS for label in term.labels}


@cache
def _by_label(language: Language) -> dict[str, Term]:
    """The term that a heading means, by the heading in small letters in this language."""
    words = {message.lower(): text.lower() for message, text in language.messages.items()}
    return _BY_LABEL | {words[label]: term for label, term in _BY_LABEL.items() if label in words}


@cache
def _sign(root: str, term: Term, _spoken: Language) -> Markup:
    """What stands after a heading: a link to the glossary with what the term means, in the language being written."""
    name, text = escape(gettext("{term}: what it means", term=gettext(term.name))), escape(gettext(term.text))
    address = f"{root}glossary/index.html#{term.anchor}"  # made of letters, figures, hyphens and points
    return Markup(f' <a class="gl-term" href="{address}" aria-label="{name}" data-told="{text}"></a>')  # noqa: S704


def explained(page: str, root: str) -> str:
    """The page with a sign after each heading of a table or figure that is a term, where it stands first."""
    told: set[Term] = set()
    known = _by_label(current_language())

    def signed(found: re.Match[str]) -> str:
        term = known.get(html.unescape(found[1]).strip().lower())
        if not term or term in told:
            return found[0]
        told.add(term)
        return f"{found[0]}{_sign(root, term, current_language())}"

    return _HEADING.sub(signed, page)
