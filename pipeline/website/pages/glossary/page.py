"""Glossary. The terms are in `components/terms.toml`."""

from itertools import groupby

from pipeline.website.components.terms import TERMS
from pipeline.website.rendering import PageWriter


def write(writer: PageWriter) -> None:
    """Write the page."""
    writer.write_page(
        "glossary",
        "pages/glossary/page.md.j2",
        "Glossary",
        "The terms of this site and their meaning.",
        groups=[(name, list(terms)) for name, terms in groupby(TERMS, key=lambda term: term.group)],
        count=len(TERMS),
    )
