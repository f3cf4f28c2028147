"""Values reported by devices: published output of drivers, PyTorch and system descriptions."""

from collections.abc import Iterator

from pipeline.schema.spec_statements import SpecValue
from sources import Accepted, Document, Rejected, Source
from sources.specs.statements import read_statements

SOURCE = Source(
    source_id="device-readings",
    title="Readings of devices made public by their owners",
    kind="specs",
    yields=(SpecValue,),
    attribution="The authors of the readings, named with each value",
    stale_after_days=None,
)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one row per value of the source."""
    yield from read_statements(document, SOURCE.source_id)
