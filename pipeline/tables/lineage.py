"""Sources of a table: those that yield its rows, and those of the tables that it is computed from.

The answer comes from declarations of parsers and SQL. It lists possible sources, not those of each row.
"""

import functools

from pipeline.claims import outputs as claims
from pipeline.llm import inputs as llm
from pipeline.performance import inputs as model
from pipeline.prices.normalize import REFERENCES
from pipeline.schema import RECORDS
from pipeline.warehouse import sql_models
from sources import discover


def feeds(name: str) -> list[str]:
    """List the sources whose parser yields rows of the table. Any source can have rejects, any price list labels."""
    if name == "reject":
        return list(discover())
    if name == "gpu_label":
        name = "price"
    return [source_id for source_id, parser in discover().items() if RECORDS.get(name) in parser.SOURCE.yields]


MODEL_READS = {**model.READS, **llm.READS, **claims.READS}  # tables that Python computes: those that it reads


@functools.cache
def sources_of(name: str) -> frozenset[str]:
    """Return every source of a table, direct or through other tables; none for facts of the build itself."""
    read = reads(name)
    own = frozenset() if name in sql_models.metrics() or name in MODEL_READS else frozenset(feeds(name))
    return own.union(*(sources_of(other) for other in read))


def reads(name: str) -> tuple[str, ...]:
    """List the tables that its values are computed from. A price also needs GPU labels and what it is normalized with."""
    if name in sql_models.metrics():
        return sql_models.metrics()[name].reads
    if name in MODEL_READS:
        return MODEL_READS[name]
    return ("gpu_alias", *REFERENCES) if name in {"price", "gpu_label"} else ()
