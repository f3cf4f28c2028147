"""NVIDIA's README tables of training throughput by batch and number of GPUs, on V100 and A100."""

from collections.abc import Iterator

from pipeline.schema.throughput import SystemInterconnect, TrainingThroughput, WorkloadFamily
from sources import Accepted, Document, Rejected, Source, by_file_name, rows_of

SOURCE = Source(
    source_id="nvidia-deeplearningexamples",
    title="NVIDIA Deep Learning Examples: training throughput by batch and number of GPUs",
    kind="throughput",
    yields=(TrainingThroughput, WorkloadFamily, SystemInterconnect),
    attribution="NVIDIA Deep Learning Examples, README tables at commit 729963dd",
    url="https://github.com/NVIDIA/DeepLearningExamples",
    licence="BSD-3-Clause, Apache-2.0 or MIT, by model",
    republish=True,
)
TRUNCATED = "truncated"


def _training(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one row per run; a figure of which only the thousands are left is rejected."""
    for accepted in document.records(TrainingThroughput, suite="NVIDIA Deep Learning Examples"):
        row = accepted.row
        if isinstance(row, TrainingThroughput) and row.flag == TRUNCATED:
            record = f"{row.workload}, {row.gpu_count}x {row.raw_gpu_name}: {row.throughput:g} {row.unit}"
            yield Rejected(
                accepted.locator, record, "TRUNCATED", "digits are grouped by a space; only the thousands came through"
            )
        else:
            yield accepted


parse = by_file_name(
    {"training.csv": _training, "workloads.csv": rows_of(WorkloadFamily), "systems.csv": rows_of(SystemInterconnect)}
)
