"""`python -m pipeline.cli` does what `gpuledger` does."""

from pipeline.cli import main

main()
