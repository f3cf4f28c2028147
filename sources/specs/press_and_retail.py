"""Values from press reports, shop pages and public code, where no better source states them."""

from pipeline.schema.prices import Price
from pipeline.schema.spec_statements import SpecValue
from sources import Source
from sources.specs.statements import with_launch_prices

SOURCE = Source(
    source_id="press-and-retail",
    title="Press reports, shop pages and public notes",
    kind="specs",
    yields=(SpecValue, Price),
    attribution="The authors of the pages, named with each value",
)

parse = with_launch_prices(SOURCE.source_id)
