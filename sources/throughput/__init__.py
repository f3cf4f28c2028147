"""Published training throughput, and the facts needed to compare it."""
