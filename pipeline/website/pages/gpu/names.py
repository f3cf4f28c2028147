"""What a card's page says of labels that look like its name and were not read as this card: refused, or read as another."""

from collections import defaultdict

from pipeline.gpu_identity.similar import similar_gpus
from pipeline.website.components.database import Database, Row

_LABELS = """
    SELECT raw_gpu_name, gpu_context, reported_memory_gb, l.gpu_id, g.name, l.reason,
        list(DISTINCT l.source_id ORDER BY l.source_id) AS source_ids
    FROM gpu_label l LEFT JOIN gpu g ON g.gpu_id = l.gpu_id
    GROUP BY raw_gpu_name, gpu_context, reported_memory_gb, l.gpu_id, g.name, l.reason
    ORDER BY l.gpu_id IS NOT NULL, raw_gpu_name, gpu_context, reported_memory_gb, l.gpu_id, l.reason
"""


def not_mapped(data: Database) -> dict[str, list[Row]]:
    """By card: the labels that hold the words of its name and mean no card, then those that mean another one."""
    found: dict[str, list[Row]] = defaultdict(list)
    for row in data.rows(_LABELS):
        for gpu_id in similar_gpus(row["raw_gpu_name"]) - {row["gpu_id"]}:
            found[gpu_id].append(row)
    return found
