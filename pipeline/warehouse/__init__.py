"""The DuckDB side of a build: parsed cache, table loading, SQL models, release, exports and descriptions."""
