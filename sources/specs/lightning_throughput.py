"""Peak rates in the throughput module of Lightning Fabric, which cites vendor data sheets."""

from collections.abc import Iterator

from pipeline.schema.spec_statements import SpecValue
from sources import Accepted, Document, Rejected, Source
from sources.specs.statements import read_statements

SOURCE = Source(
    source_id="lightning-throughput",
    title="PyTorch Lightning: peak rates",
    kind="specs",
    yields=(SpecValue,),
    url="https://github.com/Lightning-AI/pytorch-lightning/blob/master/src/lightning/fabric/utilities/throughput.py",
    licence="Apache-2.0",
    republish=True,
    attribution="Lightning AI, lightning.fabric.utilities.throughput",
    stale_after_days=None,
)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one row per value of the source."""
    yield from read_statements(document, SOURCE.source_id)
