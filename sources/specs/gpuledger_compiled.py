"""The project's compiled tables of GPUs and their models, and the maintainers' notes on them."""

from collections.abc import Iterator

from pipeline.schema import Record
from pipeline.schema.specs import Gpu, GpuModel, LeftOutGpu, SpecNote
from sources import Accepted, Document, Rejected, Source

SOURCE = Source(
    source_id="gpuledger-compiled",
    title="gpuledger: compiled specifications",
    kind="specs",
    yields=(GpuModel, Gpu, SpecNote, LeftOutGpu),
    licence="CC BY-SA 4.0",
    republish=True,
    attribution="gpuledger, compiled from the sources that gpu_spec names",
    stale_after_days=None,
    folder="specs",
)

FILES: dict[str, type[Record]] = {"gpus.csv": Gpu, "gpu_models.csv": GpuModel, "notes.csv": SpecNote, "left_out.csv": LeftOutGpu}


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield models, GPUs, notes or what is left out, by file name."""
    yield from document.records(document.parser_of(FILES))
