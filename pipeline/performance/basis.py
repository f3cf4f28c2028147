"""What several tables of the model rest on: read or computed when it is first asked for, then kept with the run."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import duckdb
import polars as pl

from pipeline.performance import batch, panel, reading, scaling, speedup
from pipeline.performance.batch import Curve

Once = Callable[[str, Callable[[], Any]], Any]


@dataclass(frozen=True, slots=True)
class Basis:
    """`once` makes what is kept under a key the first time (`steps.Workspace.once`). A table may ask for what its entry in
    `tables.READS` has loaded, and nothing else."""

    con: duckdb.DuckDBPyConnection
    once: Once

    @property
    def rows(self) -> pl.DataFrame:
        """The measured rows that fits may use, see `panel.usable`."""
        rows: pl.DataFrame = self.once("model rows", lambda: panel.usable(reading.measured(self.con)))
        return rows

    @property
    def cells(self) -> pl.DataFrame:
        """See `panel.cells`."""
        cells: pl.DataFrame = self.once("model cells", lambda: panel.cells(self.rows))
        return cells

    @property
    def curves(self) -> list[Curve]:
        """See `batch.curves`."""
        curves: list[Curve] = self.once("model curves", lambda: batch.curves(self.cells))
        return curves

    @property
    def efficiencies(self) -> pl.DataFrame:
        """See `scaling.efficiencies`."""
        efficiencies: pl.DataFrame = self.once("model efficiencies", lambda: scaling.efficiencies(self.cells))
        return efficiencies

    @property
    def pairs(self) -> pl.DataFrame:
        """See `speedup.pairs`."""
        pairs: pl.DataFrame = self.once("model pairs", self._pairs)
        return pairs

    def _pairs(self) -> pl.DataFrame:
        best = speedup.best(self.cells, self.curves, self.efficiencies)
        return speedup.pairs(best, speedup.machine_noise(self.cells))

    @property
    def specs(self) -> pl.DataFrame:
        """See `reading.specs`."""
        specs: pl.DataFrame = self.once("model specs", lambda: reading.specs(self.con))
        return specs
