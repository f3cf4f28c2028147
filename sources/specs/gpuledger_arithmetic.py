"""Rates computed as units times rate per clock times clock: a check of stated figures, not an independent source."""

from pipeline.schema.spec_statements import SpecValue
from sources import Source
from sources.specs.statements import statements_of

SOURCE = Source(
    source_id="gpuledger-arithmetic",
    title="gpuledger: units times clock",
    kind="specs",
    yields=(SpecValue,),
    licence="CC BY-SA 4.0",
    republish=True,
    attribution="gpuledger",
)

parse = statements_of(SOURCE.source_id)
