"""Electricity and its carbon dioxide in the United States, as the Energy Information Administration publishes them."""

from pipeline.schema.rates import GridElectricity
from sources import Source, rows_of

SOURCE = Source(
    source_id="eia-electricity",
    title="U.S. Energy Information Administration: carbon dioxide of electricity",
    kind="rates",
    yields=(GridElectricity,),
    attribution="U.S. Energy Information Administration, Frequently asked question 74",
    url="https://www.eia.gov/tools/faqs/faq.php?id=74&t=3",
    terms_url="https://www.eia.gov/about/copyrights_reuse.php",
    licence="public domain (United States government work)",
)

parse = rows_of(GridElectricity)
