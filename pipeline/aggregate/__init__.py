"""Daily figures of a price history that one build cannot hold: Parquet in, Parquet out, one month at a time.

The rules are five metrics in portable SQL (`history.TABLES`), which the build computes from its own prices too. Here they run
over stored observations on DuckDB or on Spark. Parsing and normalizing prices belongs in `pipeline.prices`.
"""
