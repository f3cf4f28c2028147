"""Former names of published tables: views that keep the old name for one release after a rename."""

from collections.abc import Iterator
from dataclasses import dataclass

from pipeline.schema import Table
from pipeline.schema.checks import quoted


@dataclass(frozen=True, slots=True)
class Alias:
    """The former name of a table, and the table that replaces it."""

    name: str
    table: str


ALIASES = (
    Alias("choice", "scenario_rank"),
    Alias("card_price", "gpu_price"),
    Alias("card_link", "gpu_interconnect"),
    Alias("batch_gain", "batch_doubling_gain"),
    Alias("network_advantage", "scaling_advantage"),
)


def statements(table: Table) -> Iterator[str]:
    """Yield the statements that create the views of a table, with their comments."""
    for alias in (alias for alias in ALIASES if alias.table == table.name):
        yield f"CREATE VIEW {alias.name} AS SELECT * FROM {alias.table}"
        yield f"COMMENT ON VIEW {alias.name} IS {quoted(f'Deprecated, removed with the next release: use {alias.table}.')}"
        for column in table.columns:
            yield f"COMMENT ON COLUMN {alias.name}.{column.name} IS {quoted(f'Use {alias.table}.{column.name}.')}"
