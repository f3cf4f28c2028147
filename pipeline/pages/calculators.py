"""The page of calculators: cost of a training, and power, supply and slots of a machine. Renting or buying has its own page."""

from pipeline.pages import calculators_data, job_calculator, system_calculator
from pipeline.pages.rendering import Book


def write(book: Book) -> None:
    """Write the page of calculators and the data that all calculators copy from."""
    if book.leads:
        calculators_data.write(book)
    book.write(
        "calculators",
        "calculators.md.j2",
        "Calculators",
        "What a training costs, and what power, supply and slots a machine needs, with your own figures.",
        job=job_calculator.context(book.data),
        short=calculators_data.short,
        system=system_calculator.context(book.data),
    )
