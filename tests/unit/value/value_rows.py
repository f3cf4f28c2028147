"""A few made-up GPUs, their speeds and prices, and the tables that the metrics' own SQL makes of them."""

import functools
from typing import Any

import duckdb

from pipeline.schema import RECORDS
from pipeline.tables import load
from pipeline.warehouse import sql_models

REFERENCE = "nvidia-geforce-rtx-3080-10gb"
TABLES = (
    "gpu",
    "performance_index",
    "scaling_efficiency",
    "base_system_cost",
    "system_interconnect",
    "guide_run",
    "guide_machine",
    "training_throughput",
)
GPU: dict[str, Any] = {
    "vendor": "NVIDIA", "segment": "datacenter", "form_factor": "PCIe", "architecture": "Ampere", "memory_gb": 24.0,
    "tdp_w": 300.0, "slot_width": 2.0, "min_cuda_version": "11.0",
}  # fmt: skip


def empty_tables(con: duckdb.DuckDBPyConnection) -> None:
    """The tables that value and choice read, without rows, and the functions."""
    for name in TABLES:
        con.execute(load.ddl(RECORDS[name].__table__).replace(" NOT NULL", ""))
    for macro in sql_models.macros().values():
        if macro.kind == "MACRO":
            con.execute(macro.ddl())


def add(con: duckdb.DuckDBPyConnection, table: str, **row: Any) -> None:
    con.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", list(row.values()))


def gpu(con: duckdb.DuckDBPyConnection, gpu_id: str, **known: Any) -> None:
    add(con, "gpu", gpu_id=gpu_id, name=gpu_id.upper(), **(GPU | known))


def speed(con: duckdb.DuckDBPyConnection, gpu_id: str, index: float, low: float | None, high: float | None, **known: Any) -> None:
    row = {"family": "all", "precision": "fp16", "basis": "measured"} | known
    add(con, "performance_index", gpu_id=gpu_id, index=index, ci_low=low, ci_high=high, **row)


def machines(con: duckdb.DuckDBPyConnection) -> None:
    """Machines for 1, 2, 4 and 8 GPUs, and GPUs over PCIe that lose a tenth, two and three."""
    for gpu_count, usd in ((1, 700.0), (2, 700.0), (4, 2800.0), (8, 8500.0)):
        add(con, "base_system_cost", gpu_count=gpu_count, base_cost_usd=usd)
    for gpu_count, efficiency in ((2, 0.9), (4, 0.8), (8, 0.7)):
        terms = {"interconnect": "pcie_p2p", "family": "all", "precision": "fp16"}
        add(con, "scaling_efficiency", gpu_count=gpu_count, efficiency=efficiency, **terms)


@functools.cache
def body(name: str) -> str:
    """The statement of a metric."""
    return sql_models.metric_sql(name)


def compute(con: duckdb.DuckDBPyConnection, *names: str) -> None:
    """Make the tables with the bodies of their files, one after the other."""
    for name in names:
        con.execute(f"CREATE OR REPLACE TABLE {name} AS {body(name)}")
