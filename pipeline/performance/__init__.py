"""The performance model: what measured training throughput says of cards, corrected for batch and network, with intervals.

One idea a module, each of pure functions over frames and arrays. Reading tables and writing records is in `tables`.
"""
