"""What several tables of the model rest on, computed when it is first asked for."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import duckdb
import polars as pl

from pipeline.performance import batch, inputs, panel, scaling, speedup
from pipeline.performance.batch import Curve
from pipeline.schema.core import Record


@dataclass(frozen=True)
class Basis:
    """`measured` and `specs` as `inputs` gives them: all that the model reads."""

    measured: pl.DataFrame
    specs: pl.DataFrame
    _made: dict[str, Sequence[Record]] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, con: duckdb.DuckDBPyConnection) -> "Basis":
        """From the tables that `inputs.READS` names."""
        return cls(inputs.measured(con), inputs.specs(con))

    def table(self, name: str, make: "Callable[[Basis], Sequence[Record]]") -> Sequence[Record]:
        """The rows of a table, made once."""
        if name not in self._made:
            self._made[name] = make(self)
        return self._made[name]

    @cached_property
    def rows(self) -> pl.DataFrame:
        """The measured rows that fits may use, see `panel.usable`."""
        return panel.usable(self.measured)

    @cached_property
    def cells(self) -> pl.DataFrame:
        """See `panel.cells`."""
        return panel.cells(self.rows)

    @cached_property
    def curves(self) -> list[Curve]:
        """See `batch.curves`."""
        return batch.curves(self.cells)

    @cached_property
    def efficiencies(self) -> pl.DataFrame:
        """See `scaling.efficiencies`."""
        return scaling.efficiencies(self.cells)

    @cached_property
    def pairs(self) -> pl.DataFrame:
        """See `speedup.pairs`."""
        best = speedup.best(self.cells, self.curves, self.efficiencies)
        return speedup.pairs(best, speedup.machine_noise(self.cells))
