"""NeMo AutoModel: speed of LoRA, and of training all weights of mixtures of experts, on H100, from NVIDIA's performance page.

Whether activations are recomputed is in the recipe of each run, below examples/llm_benchmark/ of the same repository.
"""

from pipeline.schema.throughput import LlmTuningRun
from sources import Source, rows_of

SOURCE = Source(
    source_id="nemo-automodel",
    title="NeMo AutoModel: fine-tuning of language models",
    kind="throughput",
    yields=(LlmTuningRun,),
    attribution="NVIDIA NeMo AutoModel authors",
    url="https://github.com/NVIDIA-NeMo/Automodel/blob/36044ad3/docs/performance-summary.mdx",
    licence="Apache-2.0",
    republish=True,
)

parse = rows_of(LlmTuningRun)
