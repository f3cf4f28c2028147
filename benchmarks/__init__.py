"""Benchmarks: the GPU suite (`suite`), parsers of other tools' results (`formats`), and the speed of this project itself."""
