"""The maintainers' own inputs of the performance model: chips, prices of machines without GPUs, workloads of our suite."""

from collections.abc import Iterator

from pipeline.schema.throughput import BaseSystemCost, GpuDie, WorkloadFamily
from sources import Accepted, Document, Source
from sources.throughput.files import workloads

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
    readers = {"dies.csv": _dies, "base_system_cost.csv": _base_system_costs, "workloads.csv": workloads}
    return document.parser_of(readers)(document)


def _dies(document: Document) -> Iterator[Accepted]:
    return document.records(GpuDie)


def _base_system_costs(document: Document) -> Iterator[Accepted]:
    return document.records(BaseSystemCost)
