"""Former names of published tables: views that keep the old name for one release after a rename."""

from collections.abc import Iterator

from pipeline.schema import Table
from pipeline.schema.checks import quoted

ALIASES = {  # former name: the table that replaces it
    "choice": "scenario_rank",
    "card_price": "gpu_price",
    "card_link": "gpu_interconnect",
    "batch_gain": "batch_doubling_gain",
    "network_advantage": "scaling_advantage",
}


def statements(table: Table) -> Iterator[str]:
    """Yield the statements that create the views of a table, with their comments."""
    for name in (former for former, replacement in ALIASES.items() if replacement == table.name):
        yield f"CREATE VIEW {name} AS SELECT * FROM {table.name}"
        yield f"COMMENT ON VIEW {name} IS {quoted(f'Deprecated, removed with the next release: use {table.name}.')}"
        for column in table.columns:
            yield f"COMMENT ON COLUMN {name}.{column.name} IS {quoted(f'Use {table.name}.{column.name}.')}"
