"""Performance model: relative training speed of GPUs from measured throughput, corrected for batch size and network.

Every figure has an interval where the data allow one. Each module is one method of pure functions over frames and
arrays; `inputs` reads the database and `outputs` builds the records.
"""
