"""Annotation of parsed runs: the GPU of each device, its count, and flags of figures that cannot be true or compared."""
