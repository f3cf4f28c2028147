"""Section of the speedups page that compares the index with MLPerf Training."""

from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Query, Row
from pipeline.website.writing.labels import words
from pipeline.website.writing.numbers import percent

MOST_ERROR_PERCENT = 8.0  # aim for the median over all pairs
_SUMMARY = """
    SELECT class, n, median_abs_pct, mean_abs_pct, coverage_90
    FROM prediction_error
    WHERE split = 'external_mlperf' AND n > 0
    ORDER BY class <> 'all', n DESC
"""
_PAIRS = """
    SELECT c.gpu_faster AS faster, c.gpu_slower AS slower, f.name AS name_faster, s.name AS name_slower, c.round, c.benchmark,
        c.gpu_count, c.class, c.index_ratio, c.measured_ratio, c.error_pct, c.within_interval, c.submitter_faster,
        c.submitter_slower
    FROM external_check c
    LEFT JOIN gpu f ON f.gpu_id = c.gpu_faster
    LEFT JOIN gpu s ON s.gpu_id = c.gpu_slower
    ORDER BY c.abs_error_pct, c.round, c.benchmark, c.gpu_count, faster, slower
"""
_CLASSES = {
    "all": N_("all pairs of NVIDIA GPUs"),
    "both_measured": N_("both measured"),
    "one_predicted": N_("one predicted"),
    "both_predicted": N_("both predicted"),
}


def check(data: Database) -> dict[str, Query | str]:
    """Return the comparison with MLPerf Training: medians by class, all pairs, and the sentence above them."""
    summary = data.query(_SUMMARY)
    return {"summary": summary, "pairs": data.query(_PAIRS), "finding": _finding(summary.rows)}


def name_class(row: Row) -> str:
    """Return the class of a row in words."""
    return gettext(_CLASSES[row["class"]]) if row["class"] in _CLASSES else words(row["class"])


def _finding(rows: list[Row]) -> str:
    """Return the median error over all pairs, and whether the aim is reached."""
    of_all = next((row for row in rows if row["class"] == "all"), None)
    if of_all is None:
        return ""
    reached = of_all["median_abs_pct"] <= MOST_ERROR_PERCENT
    return gettext(
        "Ratios of the index differ from those of MLPerf by {error} (median of {count}). The aim of {aim} is reached."
        if reached
        else "Ratios of the index differ from those of MLPerf by {error} (median of {count}). The aim of {aim} is not reached.",
        error=percent(of_all["median_abs_pct"] / 100),
        count=of_all["n"],
        aim=percent(MOST_ERROR_PERCENT / 100),
    )
