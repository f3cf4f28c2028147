"""Language models: memory, speed and cost. Plain functions over the tables of `pipeline/metrics/llm/`."""
