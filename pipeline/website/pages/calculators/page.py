"""Page of calculators: cost of a training job, and power, PSU and slots of a machine. Rent or buy has its own page."""

from pipeline.website.components import calculator_data
from pipeline.website.pages.calculators import job_calculator, system_calculator
from pipeline.website.writing.page_writer import PageWriter


def write(writer: PageWriter) -> None:
    """Write the page of calculators and the data of all calculators."""
    if writer.is_default_language:
        calculator_data.write(writer)
    writer.write_page(
        "calculators",
        "Calculators",
        "Cost of a training job, and power, PSU and slots of a machine, with your own figures.",
        job=job_calculator.context(writer.data),
        system=system_calculator.context(writer.data),
    )
