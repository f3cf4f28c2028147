"""Lambda's training throughput of 32 GPUs, 1 to 8 of each: figures cited from its tables."""

from pipeline.schema.throughput import SystemInterconnect, SystemPrice, TrainingThroughput, WorkloadFamily
from sources import Line, Source, by_file_name, lines_of, rows_of

SOURCE = Source(
    source_id="lambda-deeplearning-benchmark",
    title="Lambda: deep learning benchmark, training throughput",
    kind="throughput",
    yields=(TrainingThroughput, WorkloadFamily, SystemInterconnect, SystemPrice),
    attribution="Lambda, deeplearning-benchmark: figures cited at commits 67a9bb51 and aa5addb6; no licence stated",
    url="https://github.com/lambdal/deeplearning-benchmark",
)
COLUMNS = (
    "suite", "software", "workload", "precision", "raw_gpu_name", "system", "gpu_count", "batch_total", "throughput", "unit",
    "unit_cited", "flag", "cited_from",
)  # fmt: skip


def _training(line: Line) -> TrainingThroughput:
    each = _batch_per_gpu(line)
    flag = line.text_or_none("flag") or (None if each else "batch_unknown")
    return line.record(TrainingThroughput, batch_per_gpu=each, flag=flag)


def _batch_per_gpu(line: Line) -> int | None:
    """Return the batch per GPU from the stated batch of the machine; None where it is unknown or not divisible."""
    if not line.fields["batch_total"]:
        return None
    each, rest = divmod(line.integer("batch_total"), line.integer("gpu_count"))
    return None if rest else each


parse = by_file_name(
    {
        "training.csv": lines_of(COLUMNS, _training),
        "workloads.csv": rows_of(WorkloadFamily),
        "systems.csv": rows_of(SystemInterconnect),
        "system_prices.csv": rows_of(SystemPrice),
    }
)
