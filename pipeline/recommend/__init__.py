"""Recommendation: GPUs ranked for a workload or a language model, as `gpuledger recommend` and the home page answer."""
