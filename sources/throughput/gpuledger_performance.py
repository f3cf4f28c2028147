"""The maintainers' own inputs of the performance model: chips, prices of machines without GPUs, workloads of our suite."""

from collections.abc import Iterator

from pipeline.schema.throughput import BaseSystemCost, GpuDie, WorkloadFamily
from sources import Accepted, Document, Source
from sources.document import rows_of

SOURCE = Source(
    source_id="gpuledger-performance",
    title="gpuledger: inputs of the performance model",
    kind="throughput",
    yields=(GpuDie, BaseSystemCost, WorkloadFamily),
    attribution="gpuledger contributors",
    licence="CC BY-SA 4.0",
    republish=True,
    stale_after_days=None,
    folder="performance",
)


def parse(document: Document) -> Iterator[Accepted]:
    """Yield chips, machines or workloads, by file name."""
    readers = {
        "dies.csv": rows_of(GpuDie),
        "base_system_cost.csv": rows_of(BaseSystemCost),
        "workloads.csv": rows_of(WorkloadFamily),
    }
    return document.parser_of(readers)(document)
