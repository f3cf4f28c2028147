"""Faults that are provoked on purpose: kills, two builds at once, full disks."""
