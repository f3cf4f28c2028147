"""Labels that look like the name of a GPU and were resolved to another GPU or to none, for the page of that GPU."""

from collections import defaultdict

from pipeline.gpu_identity.similar import similar_gpus
from pipeline.website.writing.database import Database, Row

_LABELS = """
    SELECT DISTINCT raw_gpu_name, gpu_context, reported_memory_gb, l.gpu_id, g.name,
        regexp_replace(l.reason, '^''.+'' can be .+?: ', '') AS reason, l.source_id
    FROM gpu_label l LEFT JOIN gpu g ON g.gpu_id = l.gpu_id
    ORDER BY l.gpu_id IS NOT NULL, raw_gpu_name, gpu_context, reported_memory_gb, l.gpu_id, reason, l.source_id
"""


def not_mapped(data: Database) -> dict[str, list[Row]]:
    """Return by GPU the labels that contain the words of its name: those of no GPU, then those of another one."""
    rows: dict[str, list[Row]] = defaultdict(list)
    for label in _labels(data):
        for gpu_id in similar_gpus(label["raw_gpu_name"]) - {label["gpu_id"]}:
            rows[gpu_id].append(label)
    return rows


def _labels(data: Database) -> list[Row]:
    """Return each label once, with all its sources."""
    labels: dict[tuple[object, ...], Row] = {}
    for row in data.rows(_LABELS):
        source_id = row.pop("source_id")
        labels.setdefault(tuple(row.values()), row | {"source_ids": []})["source_ids"].append(source_id)
    return list(labels.values())
