"""`python -m pipeline.cli` does what `gpuledger` does."""

from pipeline.cli import app

app()
