"""Peak rates in the throughput module of Lightning Fabric, which cites vendor data sheets."""

from pipeline.schema.spec_statements import SpecValue
from sources import Source
from sources.specs.statements import statements_of

SOURCE = Source(
    source_id="lightning-throughput",
    title="PyTorch Lightning: peak rates",
    kind="specs",
    yields=(SpecValue,),
    url="https://github.com/Lightning-AI/pytorch-lightning/blob/master/src/lightning/fabric/utilities/throughput.py",
    licence="Apache-2.0",
    republish=True,
    attribution="Lightning AI, lightning.fabric.utilities.throughput",
)

parse = statements_of(SOURCE.source_id)
