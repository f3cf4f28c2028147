"""Which sources feed a table: those whose rows it holds, and those of the tables that it is computed from.

It is read from what parsers and SQL declare, so it says what may have fed a table, not which rows came from where.
"""

import functools

from pipeline.performance import inputs as model
from pipeline.schema import RECORDS
from pipeline.warehouse import sql_models
from sources import discover


def feeds(name: str) -> list[str]:
    """Sources whose parser yields rows of the table; any source may give rejects, and any price labels."""
    if name == "reject":
        return list(discover())
    if name == "gpu_label":
        name = "price"
    return [source_id for source_id, parser in discover().items() if RECORDS.get(name) in parser.SOURCE.yields]


@functools.cache
def sources_of(name: str) -> frozenset[str]:
    """Every source that a table rests on, through the tables that it is computed from; none for facts of the build itself."""
    read = reads(name)
    own = frozenset() if name in sql_models.metrics() or name in model.READS else frozenset(feeds(name))
    return own.union(*(sources_of(other) for other in read))


def reads(name: str) -> tuple[str, ...]:
    """Tables that its values are computed from; a price is in USD by the rates, and of the card that a label means."""
    if name in sql_models.metrics():
        return sql_models.metrics()[name].reads
    if name in model.READS:
        return model.READS[name]
    return ("exchange_rate", "gpu_alias") if name in {"price", "gpu_label"} else ()
