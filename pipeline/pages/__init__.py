"""The pages that are made from data, one module per kind of page; each has `write(book)`."""

from pipeline.pages import audit, break_even, data, gpus, guides, home, prices, quality
from pipeline.pages.figures import write_vega
from pipeline.pages.rendering import Book


def write_pages(book: Book) -> None:
    """Write every page made from data below `book.docs`."""
    for page in (home, gpus, prices, guides, audit, break_even, data, quality):
        page.write(book)
    write_vega(book)


__all__ = ["Book", "write_pages"]
