"""Values from press reports, shop pages and public code, where no better source states them."""

from collections.abc import Iterator

from pipeline.schema.prices import Price
from pipeline.schema.spec_statements import SpecValue
from sources import Accepted, Document, Rejected, Source
from sources.specs.launch_prices import with_launch_prices

SOURCE = Source(
    source_id="press-and-retail",
    title="Press reports, shop pages and public notes",
    kind="specs",
    yields=(SpecValue, Price),
    attribution="The authors of the pages, named with each value",
    stale_after_days=None,
)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one row per value of the source, and one per launch price."""
    yield from with_launch_prices(document, SOURCE.source_id)
