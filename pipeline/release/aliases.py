"""Former names of published tables: views that keep the old name and columns for one release after a rename."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.schema import Table
from pipeline.schema.checks import quoted


@dataclass(frozen=True, slots=True)
class Alias:
    """The former name of a table, and the table that replaces it. `select` gives the former columns."""

    name: str
    table: str
    select: str


ALIASES = (
    Alias("choice", "scenario_rank", "SELECT * FROM scenario_rank"),
    Alias("card_price", "gpu_price", "SELECT * FROM gpu_price"),
    Alias("card_link", "gpu_interconnect", "SELECT * FROM gpu_interconnect"),
    Alias("batch_gain", "batch_doubling_gain", "SELECT * FROM batch_doubling_gain"),
    Alias("network_advantage", "scaling_advantage", "SELECT * FROM scaling_advantage"),
)


def statements(table: Table) -> Iterator[str]:
    """Yield the statements that create the views of a table, with their comments."""
    for alias in (alias for alias in ALIASES if alias.table == table.name):
        yield f"CREATE VIEW {alias.name} AS {alias.select}"
        yield f"COMMENT ON VIEW {alias.name} IS {quoted(f'Deprecated, removed with the next release: use {alias.table}.')}"
        for column in table.columns:
            yield f"COMMENT ON COLUMN {alias.name}.{column.name} IS {quoted(f'Use {alias.table}.{column.name}.')}"
