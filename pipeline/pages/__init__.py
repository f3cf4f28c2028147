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
from pipeline.pages.rendering import Book


def write_pages(book: Book) -> None:
    """Write every page below `book.docs`, in the language being written."""
    documents.write(book.docs)
    lists = (gpu_table, offers, prices, providers, value, workloads)
    others = (speedups, uploaded, guides, audit, break_even, calculators, data, sql, quality, changes, glossary, home)
    for page in (gpus, *lists, *others):  # the cards first: their pictures take longest
        page.write(book)


def write_for_programs(book: Book) -> None:
    """Write what programs read of the site, when all pages are written."""
    figures.describe(book)
    entry_points.write(book)


__all__ = ["Book", "write_for_programs", "write_pages"]
