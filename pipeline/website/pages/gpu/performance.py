"""Performance on the page of a GPU: training index and uploaded runs."""

from typing import Any

from pipeline.website.i18n.language import N_, gettext
from pipeline.website.pages.uploads.page import figure_terms, flag_text
from pipeline.website.writing.database import Database, Row, Rows
from pipeline.website.writing.labels import short_gpu, words
from pipeline.website.writing.numbers import after_comma, ratio

MOST_FIGURES = 60
_VENDORS = "SELECT DISTINCT vendor FROM performance_index JOIN gpu USING (gpu_id) WHERE basis = 'measured'"
_NO_VENDOR = N_("No training speed: no {vendor} GPU was measured in these data, and speeds of other vendors' GPUs do not apply.")
MOST_PER_TOOL = 20
QUERIES = {
    "performance": """
        SELECT i.gpu_id, i.family, i.precision, i."index", i.ci_low, i.ci_high, i.basis, i.n_workloads, i.note,
            r.rank AS place, r.n_gpus
        FROM performance_index i
        JOIN performance_rank r USING (gpu_id, family, precision)
        ORDER BY i.gpu_id, i.precision, list_position(['all', 'cnn', 'transformer', 'rnn'], i.family)
    """,
    "figures_uploaded": f"""
        SELECT u.gpu_id, r.started_at, r.tool, r.tool_version, f.measured_by, f.provider, f.instance_type, f.url,
            m.* EXCLUDE (device_ordinal, peer_ordinal)
        FROM uploaded_figure u
        JOIN measurement m USING (run_id, ordinal)
        JOIN benchmark_run r USING (run_id)
        JOIN upload f USING (upload_sha256)
        ORDER BY u.gpu_id, u.rank > {MOST_PER_TOOL}, r.tool, CASE WHEN u.rank <= {MOST_PER_TOOL} THEN m.metric END, u.rank
    """,
}


def context(data: Database, gpu: Row, index: Rows, figures: Rows) -> dict[str, Any]:
    """Return the first figure of the index in words, or why there is none, and the uploaded figures."""
    shown = (
        row | figure_terms(row) | {"remarks": flag_text(row["flags"]), "n_figures": len(figures)}
        for row in figures[:MOST_FIGURES]
    )
    vendors = {row["vendor"] for row in data.rows(_VENDORS)}
    no_speed = gettext(_NO_VENDOR, vendor=gpu["vendor"]) if vendors and gpu["vendor"] not in vendors else ""
    return {"performance_finding": _finding(gpu, index) if index else no_speed, "uploaded": Rows(figures.sql, shown)}


def _finding(gpu: Row, rows: list[Row]) -> str:
    """Return the first figure of the table in a sentence."""
    row = rows[0]
    network = gettext("all networks") if row["family"] == "all" else words(row["family"])
    parts = gettext(", ").join((network, words(row["precision"]), gettext(row["basis"])))
    terms = f"{parts}{after_comma(row['ci_low'], row['ci_high'])}"
    place = gettext("rank {place} of {n_gpus} GPUs", **row) if row["place"] else gettext("not ranked")
    name, times = short_gpu(gpu["name"], gpu["gpu_id"]), ratio(row["index"])
    return gettext(
        "One {name} trains {times} times as fast as an RTX 2080 Ti ({terms}): {place}.",
        name=name,
        times=times,
        terms=terms,
        place=place,
    )
