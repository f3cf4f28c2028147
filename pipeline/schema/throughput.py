"""Tables of measured training throughput, as others publish it."""

from typing import Annotated

from pipeline.schema.core import Col, record
from pipeline.schema.provenance import Sourced


@record(
    "training_throughput",
    title="Measured training throughput",
    text="One row per card, workload, batch and number of cards whose throughput was published.",
    group="throughput",
    key=("row_id",),
)
class TrainingThroughput(Sourced):
    row_id: Annotated[str, Col("SHA-256 of snapshot_id and locator", filled=True)] = ""
    suite: Annotated[str, Col("Benchmark suite")]
    software: Annotated[str | None, Col("Framework and version, where known")] = None
    workload: Annotated[str, Col("Model and task")]
    variant: Annotated[str | None, Col("Variant of the workload")] = None
    family: Annotated[str, Col("Kind of network", values=("cnn", "transformer", "rnn"))]
    precision: Annotated[str, Col("Number format: amp = mixed FP16", values=("fp32", "tf32", "amp", "fp16", "bf16"))]
    raw_gpu_name: Annotated[str, Col("Card, as the source writes it")]
    gpu_id: Annotated[str | None, Col("Card that the name means", references="gpu.gpu_id", filled=True)] = None
    gpu_count: Annotated[int, Col("Cards working together", check="gpu_count > 0")]
    batch_per_gpu: Annotated[int, Col("Batch on each card, in the items of `unit` (tokens for tokens/s)", check="batch_per_gpu > 0")]
    throughput: Annotated[float, Col("Items per second of all cards together", check="throughput > 0")]
    unit: Annotated[str, Col("Items per second of what")]
    system: Annotated[str | None, Col("Machine, where known")] = None
    interconnect: Annotated[str | None, Col("Link between the cards, where known")] = None
    flag: Annotated[str | None, Col("Why the row stays out of fits, if it does")] = None
    cited_from: Annotated[str, Col("Where the figure stands")]
