"""Values in press reports, shop pages and public code of others, for what no better source states."""

from collections.abc import Iterator

from pipeline.schema.specs import SpecValue
from sources import Accepted, Document, Rejected, Source

SOURCE = Source(
    source_id="press-and-retail",
    title="Press reports, shop pages and public notes",
    kind="specs",
    yields=(SpecValue,),
    attribution="The authors of the pages, named with each value",
    stale_after_days=None,
)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """One row per value that was read there."""
    yield from document.records(SpecValue)
