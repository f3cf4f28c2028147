"""The chart of rental prices by day, in which readers choose GPUs, billing, providers and a range of time."""
