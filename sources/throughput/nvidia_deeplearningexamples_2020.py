"""NVIDIA's training tables of September 2020 for A100 and V100, the basis of the 2020 guide's corrected speedups.

A separate suite: the later tables of `nvidia_deeplearningexamples` are new measurements and share no figure with it.
"""

from pipeline.schema.throughput import TrainingThroughput, WorkloadFamily
from sources import Source, by_file_name, rows_of

SOURCE = Source(
    source_id="nvidia-deeplearningexamples-2020",
    title="NVIDIA Deep Learning Examples: training throughput of A100 and V100 (September 2020)",
    kind="throughput",
    yields=(TrainingThroughput, WorkloadFamily),
    attribution="NVIDIA Deep Learning Examples, README tables at commit 8588e983 of 1 September 2020",
    url="https://github.com/NVIDIA/DeepLearningExamples",
    licence="BSD-3-Clause, Apache-2.0 or MIT, by model",
    republish=True,
)

_TRAINING = rows_of(  # one row per GPU, workload and number of GPUs; mixed precision throughout
    TrainingThroughput,
    suite="NVIDIA Deep Learning Examples, September 2020",
    settings=None,
    precision="amp",
    unit_cited=None,
    flag=None,
    cited_from="NVIDIA/DeepLearningExamples README tables at 8588e983 (2020-09-01)",
)
parse = by_file_name({"training.csv": _TRAINING, "workloads.csv": rows_of(WorkloadFamily)})
