"""This project's own benchmarks: torch workloads for a CUDA device or, at small sizes, a processor. One JSON document results.

One module per kind of measurement; `workloads` names them, `profiles` sets their sizes and counts, `runner` runs them.
`result` declares the document and `result_schema` derives from it; they are free of torch, and the format's parser uses them.
Nothing is downloaded: models have random weights, data is random.
"""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # `transformers` provides model classes and must never contact a server
