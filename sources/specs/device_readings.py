"""Values reported by devices: published output of drivers, PyTorch and system descriptions."""

from pipeline.schema.spec_statements import SpecValue
from sources import Source
from sources.specs.statements import statements_of

SOURCE = Source(
    source_id="device-readings",
    title="Readings of devices made public by their owners",
    kind="specs",
    yields=(SpecValue,),
    attribution="The authors of the readings, named with each value",
)

parse = statements_of(SOURCE.source_id)
