"""The transformation: from stored bytes to one DuckDB file, derived figures, charts and pages.

Reading a source's bytes belongs in `sources`, reading a benchmark tool's output in `benchmarks`.
"""
