"""Inputs of the performance model, and the intermediate results that several of its tables share."""

from dataclasses import dataclass
from functools import cached_property

import duckdb
import polars as pl

from pipeline.performance import batch, inputs, panel, scaling, speedup
from pipeline.performance.batch import Curve
from pipeline.warehouse.frames import read_frame


@dataclass(frozen=True)
class ModelInputs:
    """Measured rows in the order of their ids, and specifications of GPUs; shared results are computed on first use."""

    measured: pl.DataFrame
    specs: pl.DataFrame

    @classmethod
    def read(cls, con: duckdb.DuckDBPyConnection) -> "ModelInputs":
        """Read the tables that `inputs.READS` names."""
        return cls(read_frame(con, inputs.ROWS), read_frame(con, inputs.SPECS))

    @cached_property
    def rows(self) -> pl.DataFrame:
        """Rows that fits may use, see `panel.usable`."""
        return panel.usable(self.measured)

    @cached_property
    def cells(self) -> pl.DataFrame:
        """Rows by panel, GPU and batch, see `panel.cells`."""
        return panel.cells(self.rows)

    @cached_property
    def curves(self) -> list[Curve]:
        """Batch curves, see `batch.curves`."""
        return batch.curves(self.cells)

    @cached_property
    def efficiencies(self) -> pl.DataFrame:
        """Scaling efficiencies, see `scaling.efficiencies`."""
        return scaling.efficiencies(self.cells)

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """Pairs of GPUs, see `speedup.pairs`."""
        best = speedup.best(self.cells, self.curves, self.efficiencies)
        return speedup.pairs(best, speedup.machine_noise(self.cells))
