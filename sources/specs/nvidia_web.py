"""Values from NVIDIA's own web pages and data sheets."""

from pipeline.schema.spec_statements import SpecValue
from sources import Source
from sources.specs.statements import statements_of

SOURCE = Source(
    source_id="nvidia-web",
    title="NVIDIA: web pages and data sheets",
    kind="specs",
    yields=(SpecValue,),
    url="https://developer.nvidia.com/cuda-gpus",
    attribution="NVIDIA Corporation, pages named with each value",
)

parse = statements_of(SOURCE.source_id)
