"""LLM Foundry: training throughput of MPT language models on clusters of A100 and H100, from the tables of its benchmark page."""

from pipeline.schema.throughput import LlmTrainingRun
from sources import Source, rows_of

SOURCE = Source(
    source_id="llm-foundry",
    title="LLM Foundry: training throughput of MPT models",
    kind="throughput",
    yields=(LlmTrainingRun,),
    attribution="MosaicML LLM Foundry authors",
    url="https://github.com/mosaicml/llm-foundry/blob/8c8dd48f/scripts/train/benchmarking/README.md",
    licence="Apache-2.0",
    republish=True,
)

parse = rows_of(LlmTrainingRun)
