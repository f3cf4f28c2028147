"""The maintainers' own inputs of the performance model: chips, prices of machines without GPUs, workloads of our suite."""

from pipeline.schema.throughput import BaseSystemCost, GpuDie, WorkloadFamily
from sources import Source, by_file_name, rows_of

SOURCE = Source(
    source_id="gpuledger-performance",
    title="gpuledger: inputs of the performance model",
    kind="throughput",
    yields=(GpuDie, BaseSystemCost, WorkloadFamily),
    attribution="gpuledger contributors",
    licence="CC BY-SA 4.0",
    republish=True,
    folder="performance",
)

parse = by_file_name(
    {"dies.csv": rows_of(GpuDie), "base_system_cost.csv": rows_of(BaseSystemCost), "workloads.csv": rows_of(WorkloadFamily)}
)
