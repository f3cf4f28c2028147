"""Training throughput that others measured and published."""
