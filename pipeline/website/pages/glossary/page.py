"""Glossary. The terms are in `pipeline/website/writing/terms.toml`."""

from itertools import groupby

from pipeline.website.writing.page_writer import PageWriter
from pipeline.website.writing.terms import TERMS


def write(writer: PageWriter) -> None:
    """Write the page."""
    writer.write_page(
        "glossary",
        "Glossary",
        "The terms of this site and their meaning.",
        groups=[(name, list(terms)) for name, terms in groupby(TERMS, key=lambda term: term.group)],
        count=len(TERMS),
    )
