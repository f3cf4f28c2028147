"""Values in the accelerator tables of the Machine Learning Engineering book, which cites vendor pages."""

from collections.abc import Iterator

from pipeline.schema.spec_statements import SpecValue
from sources import Accepted, Document, Rejected, Source
from sources.specs.statements import read_statements

SOURCE = Source(
    source_id="stas00-ml-engineering",
    title="Machine Learning Engineering: accelerators",
    kind="specs",
    yields=(SpecValue,),
    url="https://github.com/stas00/ml-engineering/blob/744d01e1/compute/accelerator/README.md",
    licence="CC BY-SA 4.0",
    republish=True,
    attribution="Stas Bekman, Machine Learning Engineering",
    stale_after_days=None,
)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one row per value of the source."""
    yield from read_statements(document, SOURCE.source_id)
