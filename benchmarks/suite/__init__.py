"""Our own benchmarks: torch workloads that run on a CUDA device and, small, on a processor; one JSON document comes out.

What is measured stands in one module per idea, `profiles` says how much of it, `workloads` names it, `runner` runs it.
`result` declares the document and `schema` derives from it; these two are free of torch, and the format's reader uses them.
Nothing is downloaded: models have random weights, data is random.
"""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # model classes come from `transformers`; a configuration must never ask a server
