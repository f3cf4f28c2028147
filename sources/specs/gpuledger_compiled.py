"""The project's compiled table of GPUs, and the maintainers' notes on it."""

from collections.abc import Iterator

from pipeline.schema.specs import Gpu, SpecNote
from sources import Accepted, Document, Rejected, Source

SOURCE = Source(
    source_id="gpuledger-compiled",
    title="gpuledger: compiled specifications",
    kind="specs",
    yields=(Gpu, SpecNote),
    licence="CC BY-SA 4.0",
    attribution="gpuledger, compiled from the sources that gpu_spec names",
    stale_after_days=None,
    folder="specs",
)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield GPUs or notes, by file name."""
    if document.name == "gpus.csv":
        yield from document.records(Gpu)
    elif document.name == "notes.csv":
        yield from document.records(SpecNote)
    else:
        raise document.error(1, "this folder holds gpus.csv and notes.csv; move the file")
