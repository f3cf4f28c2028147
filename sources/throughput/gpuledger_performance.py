"""The maintainers' own inputs of the performance model: chips of the measured cards, prices of machines without cards."""

from collections.abc import Iterator

from pipeline.schema.throughput import BaseSystemCost, GpuDie
from sources import Accepted, Document, Source

SOURCE = Source(
    source_id="gpuledger-performance",
    title="gpuledger: inputs of the performance model",
    kind="throughput",
    yields=(GpuDie, BaseSystemCost),
    attribution="gpuledger contributors",
    licence="CC BY-SA 4.0",
    stale_after_days=None,
    folder="performance",
)


def parse(document: Document) -> Iterator[Accepted]:
    """Chips or machines, by the name of the file."""
    return document.parser_of({"dies.csv": _dies, "base_system_cost.csv": _base_system_costs})(document)


def _dies(document: Document) -> Iterator[Accepted]:
    return document.records(GpuDie)


def _base_system_costs(document: Document) -> Iterator[Accepted]:
    return document.records(BaseSystemCost)
