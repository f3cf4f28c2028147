"""Specifications of GPUs: our own compiled table, and what outside sources state for each value."""
