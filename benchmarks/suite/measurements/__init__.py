"""Measurements of the suite: one module per kind of workload."""
