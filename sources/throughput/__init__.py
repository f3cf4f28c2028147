"""Training throughput that others measured and published, and the facts by which it is compared."""
