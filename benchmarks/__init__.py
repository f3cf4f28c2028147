"""Benchmarks: the GPU suite (`suite`), parsers of other tools' results (`formats`), and this project itself (`project`)."""
