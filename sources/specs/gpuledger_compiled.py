"""The project's compiled tables of GPUs and their models, and the maintainers' notes on them."""

from pipeline.schema.specs import Gpu, GpuModel, LeftOutGpu, SpecNote
from sources import Source, by_file_name, rows_of

SOURCE = Source(
    source_id="gpuledger-compiled",
    title="gpuledger: compiled specifications",
    kind="specs",
    yields=(GpuModel, Gpu, SpecNote, LeftOutGpu),
    licence="CC BY-SA 4.0",
    republish=True,
    attribution="gpuledger, compiled from the sources that gpu_spec names",
    folder="specs",
)

parse = by_file_name(
    {
        "gpus.csv": rows_of(Gpu),
        "gpu_models.csv": rows_of(GpuModel),
        "notes.csv": rows_of(SpecNote),
        "left_out.csv": rows_of(LeftOutGpu),
    }
)
