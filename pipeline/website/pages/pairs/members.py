"""Comparisons of GPUs side by side: the rows of table gpu_comparison, and their titles."""

from pipeline.website.i18n.language import gettext
from pipeline.website.writing.database import Database, Row, Rows, group_by
from pipeline.website.writing.labels import short_gpu

# one row per comparison and GPU, with its specifications
_ROWS = """
    SELECT c.*, n.name AS model, b.name AS buy_name, g.name, g.vendor, g.memory_gb, g.memory_type, g.memory_bandwidth_gb_per_s,
        g.fp16_tensor_tflops, g.tdp_w, g.form_factor, g.release_date
    FROM gpu_comparison c
    JOIN gpu g USING (gpu_id)
    JOIN gpu_model n ON n.gpu_model_id = c.gpu_model_id
    LEFT JOIN gpu b ON b.gpu_id = c.buy_gpu_id
    ORDER BY c.pair_rank, c.comparison_id, c.position
"""
_MEMBERS = "SELECT c.comparison_id, g.gpu_id FROM gpu_comparison c JOIN gpu g USING (gpu_model_id) ORDER BY c.pair_rank, g.gpu_id"


def brief_gpu(name: str) -> str:
    """Return the name of a GPU as buyers say it, without vendor and brand."""
    return short_gpu(name, name).removeprefix("GeForce ").removeprefix("AMD Instinct ")


def comparisons(data: Database) -> dict[str, Rows]:
    """Return the rows of each comparison by its id, in order of usefulness."""
    rows = data.rows(_ROWS)
    for row in rows:
        row["brief"] = brief_gpu(row["model"])
    return group_by(rows, "comparison_id")


def title(rows: list[Row]) -> str:
    """Return the title of a comparison."""
    return gettext(" vs ").join(row["brief"] for row in rows)


def comparisons_by_gpu(data: Database) -> dict[str, Rows]:
    """Return the comparisons that have a page and in which the model of a GPU takes part, by GPU."""
    titles = {comparison_id: title(rows) for comparison_id, rows in comparisons(data).items()}
    members = (row for row in data.rows(_MEMBERS) if row["comparison_id"] in titles)
    return group_by((row | {"title": titles[row["comparison_id"]]} for row in members), "gpu_id")
