"""Page of calculators: cost of a training job, and power, PSU and slots of a machine. Rent or buy has its own page."""

from pipeline.website.components import calculator_data
from pipeline.website.pages.calculators import job_calculator, system_calculator
from pipeline.website.writing.page_writer import PageWriter

# the case that the page on renting or buying begins with
_BOUGHT = """
    SELECT g.gpu_id, g.name, b.utilisation_percent, b.break_even_days, a.value AS assumed_utilisation
    FROM break_even b
    JOIN break_even_default d USING (purchase_id, rental_observation_id)
    JOIN gpu g ON g.gpu_id = b.buy_gpu_id
    JOIN assumption a ON a.assumption_id = 'utilisation'
    WHERE d.is_example AND b.break_even_days IS NOT NULL
    ORDER BY b.utilisation_percent
"""


def write(writer: PageWriter) -> None:
    """Write the page of calculators and the data of all calculators."""
    if writer.is_default_language:
        calculator_data.write(writer)
    cases = writer.data.rows(_BOUGHT)
    writer.write_page(
        "calculators",
        "Calculators",
        "Cost of a training job, and power, PSU and slots of a machine, with your own figures.",
        job=job_calculator.context(writer.data),
        system=system_calculator.context(writer.data),
        bought=min(cases, key=lambda row: abs(row["utilisation_percent"] / 100 - row["assumed_utilisation"]), default=None),
    )
