"""Rates computed as units times rate per clock times clock: a check of stated figures, not an independent source."""

from collections.abc import Iterator

from pipeline.schema.spec_statements import SpecValue
from sources import Accepted, Document, Rejected, Source
from sources.specs.statements import read_statements

SOURCE = Source(
    source_id="gpuledger-arithmetic",
    title="gpuledger: units times clock",
    kind="specs",
    yields=(SpecValue,),
    licence="CC BY-SA 4.0",
    republish=True,
    attribution="gpuledger",
    stale_after_days=None,
)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one row per value of the source."""
    yield from read_statements(document, SOURCE.source_id)
