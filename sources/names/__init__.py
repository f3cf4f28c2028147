"""Names of GPUs and providers."""
