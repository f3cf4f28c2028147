"""The pages that are made from data, one module per kind of page; each has `write(book)`; then the files for programs."""

from pipeline.pages import (
    audit,
    break_even,
    calculators,
    changes,
    data,
    documents,
    entry_points,
    figures,
    glossary,
    gpu_table,
    gpus,
    guides,
    home,
    offers,
    prices,
    providers,
    quality,
    speedups,
    sql,
    uploaded,
    value,
    workloads,
)
from pipeline.pages.rendering import Book, Made

_LISTS = (gpu_table, offers, prices, providers, value, workloads)
_OTHERS = (speedups, uploaded, guides, audit, break_even, calculators, data, sql, quality, changes, glossary, home)
KINDS = {page.__name__.rpartition(".")[2]: page for page in (gpus, documents, *_LISTS, *_OTHERS)}

NEED_EXPORTS = {"data"}  # the others need nothing but the database


def write_kind(name: str, book: Book) -> None:
    """Write the pages of one of `KINDS` below `book.docs`, in the language being written."""
    KINDS[name].write(book)


def write_for_programs(book: Book) -> None:
    """Write what programs read of the site, when all pages are written."""
    figures.describe(book)
    entry_points.write(book)


__all__ = ["KINDS", "NEED_EXPORTS", "Book", "Made", "write_for_programs", "write_kind"]
