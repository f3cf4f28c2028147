"""Values from NVIDIA's own web pages and data sheets."""

from collections.abc import Iterator

from pipeline.schema.spec_statements import SpecValue
from sources import Accepted, Document, Rejected, Source
from sources.specs.statements import read_statements

SOURCE = Source(
    source_id="nvidia-web",
    title="NVIDIA: web pages and data sheets",
    kind="specs",
    yields=(SpecValue,),
    url="https://developer.nvidia.com/cuda-gpus",
    attribution="NVIDIA Corporation, pages named with each value",
    stale_after_days=None,
)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one row per value of the source."""
    yield from read_statements(document, SOURCE.source_id)
