"""Values in the accelerator tables of the Machine Learning Engineering book, which cites vendor pages."""

from pipeline.schema.spec_statements import SpecValue
from sources import Source
from sources.specs.statements import statements_of

SOURCE = Source(
    source_id="stas00-ml-engineering",
    title="Machine Learning Engineering: accelerators",
    kind="specs",
    yields=(SpecValue,),
    url="https://github.com/stas00/ml-engineering/blob/744d01e1/compute/accelerator/README.md",
    licence="CC BY-SA 4.0",
    republish=True,
    attribution="Stas Bekman, Machine Learning Engineering",
)

parse = statements_of(SOURCE.source_id)
