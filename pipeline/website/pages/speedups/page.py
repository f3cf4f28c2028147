"""Page of corrected speedups: one GPU over another without the effects of batch size and interconnect."""

import re

from pipeline.website.components.figures import render_figure
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.pages.speedups import speedup_figures
from pipeline.website.writing.database import Row
from pipeline.website.writing.labels import column_label, listed, short_gpu, words
from pipeline.website.writing.numbers import day, in_brackets, number, percent, ratio
from pipeline.website.writing.page_writer import PageWriter

OURS = "gpuledger"
# aims for predictions in 16-bit: largest mean absolute error, and share of 90% intervals that contain the value
MOST_ERROR_PERCENT = {"leave_one_gpu_out": 6.0, "leave_one_die_out": 7.5, "leave_one_architecture_out": 10.0}
COVERAGE_PERCENT = (85.0, 95.0)
MOST_MLPERF_ERROR_PERCENT = 8.0  # aim for the median over all pairs
_INDEX = """
    SELECT i.gpu_id, g.name, i."index", i.ci_low, i.ci_high, i.basis, i.n_rows, i.n_workloads, i.model, i.note
    FROM performance_index i LEFT JOIN gpu g USING (gpu_id)
    WHERE i.family = 'all' AND i.precision = 'fp16'
    ORDER BY i."index" DESC, i.gpu_id
"""
_ERRORS = """
    SELECT split, model, precision, n, mean_abs_pct, median_abs_pct, coverage_90
    FROM prediction_error
    WHERE phase = 'training' AND split <> 'external_mlperf'
    ORDER BY precision, list_position(['leave_one_gpu_out', 'leave_one_die_out', 'leave_one_architecture_out'], split) NULLS LAST,
        mean_abs_pct NULLS LAST, model
"""
_TABLES = {
    "answer": """
        SELECT s.family, s.gpu_a, a.name AS name_a, s.gpu_b, b.name AS name_b, s.naive_ratio, s.batch_factor,
            s.corrected, s.ci_low, s.ci_high, s.n_rows, s.n_workloads, f.value AS guide
        FROM speedup_family s
        LEFT JOIN gpu a ON a.gpu_id = s.gpu_a
        LEFT JOIN gpu b ON b.gpu_id = s.gpu_b
        LEFT JOIN published_figure f ON f.figure_id = CASE s.family
            WHEN 'cnn' THEN 'dettmers-2020/computer vision, A100 over V100/corrected_speedup'
            WHEN 'transformer' THEN 'dettmers-2020/NLP, A100 over V100/corrected_speedup' END
        WHERE s.gpu_a = 'nvidia-a100-sxm4-40gb' AND s.gpu_b = 'nvidia-tesla-v100-sxm2-16gb' AND s.precision = 'fp16'
        ORDER BY list_position(['cnn', 'transformer', 'rnn', 'all'], s.family)
    """,
    "guide_rows": """
        SELECT s.workload, split_part(s.panel, '|', 3) AS software, s.gpu_a, a.name AS name_a, s.gpu_b, b.name AS name_b,
            s.batch_a, s.batch_b, s.naive_ratio, s.batch_factor, s.network_factor, s.corrected, s.ci_low, s.ci_high,
            s.guide_corrected, f.value AS guide
        FROM speedup s
        JOIN published_figure f ON f.figure_id = 'dettmers-2020/' || s.workload || ', A100 over V100/corrected_speedup'
        LEFT JOIN gpu a ON a.gpu_id = s.gpu_a
        LEFT JOIN gpu b ON b.gpu_id = s.gpu_b
        WHERE s.gpu_count = 8 AND s.precision = 'fp16' AND s.guide_corrected IS NOT NULL
        ORDER BY s.workload, s.gpu_a, s.gpu_b, software
    """,
    "advantage": """
        SELECT family, precision, advantage, ci_low, ci_high, guide_advantage, n_rows, n_workloads
        FROM scaling_advantage
        ORDER BY precision, list_position(['cnn', 'transformer', 'rnn', 'all'], family)
    """,
    "pairs": """
        SELECT p.gpu_faster AS faster, p.gpu_slower AS slower, f.name AS name_faster, s.name AS name_slower,
            p.naive_ratio, p.batch_factor, p.corrected, p.ci_low, p.ci_high, p.n_workloads
        FROM speedup_pair p
        LEFT JOIN gpu f ON f.gpu_id = p.gpu_faster
        LEFT JOIN gpu s ON s.gpu_id = p.gpu_slower
        WHERE p.family = 'all' AND p.precision = 'fp16'
        ORDER BY faster, slower
    """,
    "errors": _ERRORS,
    "mlperf": """
        SELECT class, n, median_abs_pct, mean_abs_pct, coverage_90
        FROM prediction_error
        WHERE split = 'external_mlperf' AND n > 0
        ORDER BY class <> 'all', n DESC
    """,
    "mlperf_pairs": """
        SELECT c.gpu_faster AS faster, c.gpu_slower AS slower, f.name AS name_faster, s.name AS name_slower, c.round, c.benchmark,
            c.gpu_count, c.class, c.index_ratio, c.measured_ratio, c.error_pct, c.within_interval, c.submitter_faster,
            c.submitter_slower
        FROM external_check c
        LEFT JOIN gpu f ON f.gpu_id = c.gpu_faster
        LEFT JOIN gpu s ON s.gpu_id = c.gpu_slower
        ORDER BY c.abs_error_pct, c.round, c.benchmark, c.gpu_count, faster, slower
    """,
    "rules": """
        SELECT rule_id, statement, source_id, family, precision, quantity, value, ci_low, ci_high, n, expected, holds
        FROM rule_of_thumb
        ORDER BY holds NULLS LAST, rule_id, precision, list_position(['cnn', 'transformer', 'rnn', 'all'], family)
    """,
}
SPLITS = {
    "leave_one_gpu_out": N_("one GPU model"),
    "leave_one_die_out": N_("every GPU of one chip"),
    "leave_one_architecture_out": N_("a whole generation"),
    "next_larger_batch": N_("the next larger batch"),
}
_NETWORKS = {"cnn": N_("CNNs"), "transformer": N_("Transformers")}
_MODELS = {
    OURS: N_("our model"),
    "bandwidth_ratio": N_("ratio of bandwidths"),
    "tensor_tflops_ratio": N_("ratio of tensor TFLOPS"),
    "dettmers_2020": N_("2020 guide, within a generation"),
    "affine_latency": N_("our batch curve"),
    "constant_2020_guide": N_("constant of the 2020 guide"),
    "no_correction": N_("no correction"),
}
_NAME = re.compile(r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b")


def write(writer: PageWriter) -> None:
    """Write the page."""
    data, dated = writer.data, gettext("Fitted to the data of {date}", date=day(writer.as_of))
    index = data.rows(_INDEX)
    results = data.results(_TABLES)
    writer.write_page(
        "speedups",
        "Corrected speedups",
        "How much faster one GPU trains than another, corrected for batch size and network.",
        index=index,
        mlperf_aim=MOST_MLPERF_ERROR_PERCENT,
        lead=_lead(results["answer"]),
        bias=_bias(results["answer"]),
        advantage_finding=_advantage(results["advantage"]),
        error_finding=_error_finding(results["errors"]),
        aims=_aims(results["errors"]),
        aim=_aim,
        readable=_readable,
        splits=SPLITS,
        model=_model,
        figures={
            "batch": render_figure(writer, "../", speedup_figures.batch_figure(data, dated)),
            "network": render_figure(writer, "../", speedup_figures.network_figure(data, dated)),
            "fastest": render_figure(writer, "../", speedup_figures.index_figure(index, dated)),
        },
        **results,
    )


def _lead(rows: list[Row]) -> str:
    """Return the corrected speedup of the guide's pair of GPUs, by kind of network, with the guide's figures."""
    entries = [row for row in rows if row["guide"] is not None]
    if not entries:
        return gettext("These data contain no A100 and V100 that were measured in the same way.")
    a, b = (short_gpu(entries[0][f"name_{side}"], entries[0][f"gpu_{side}"]) for side in ("a", "b"))
    parts = [
        gettext(
            "{corrected} times as fast{interval} on {network}",
            corrected=ratio(row["corrected"]),
            interval=in_brackets(row["ci_low"], row["ci_high"], ratio),
            network=_network(row),
        )
        for row in entries
    ]
    naive, guide = (listed([ratio(row[key]) for row in entries]) for key in ("naive_ratio", "guide"))
    return gettext(
        "At the same batch, one {a} trains {parts} as one {b}. Uncorrected: {naive}. The 2020 guide: {guide}.",
        a=a,
        parts=listed(parts),
        b=b,
        naive=naive,
        guide=guide,
    )


def _network(row: Row) -> str:
    return gettext(_NETWORKS[row["family"]]) if row["family"] in _NETWORKS else words(row["family"])


def _bias(rows: list[Row]) -> str:
    """Return the part of the naive ratio that the batch size makes."""
    parts = [
        gettext("{batch_factor} for {network}", batch_factor=percent(row["batch_factor"] - 1), network=_network(row))
        for row in rows
        if row["guide"] is not None
    ]
    return gettext("Between the two GPUs above, the larger batch alone adds {parts}.", parts=listed(parts)) if parts else ""


def _advantage(rows: list[Row]) -> str:
    """Return which of the guide's constants of the interconnect are in the measured intervals."""
    entries = [row for row in rows if row["guide_advantage"] is not None and row["precision"] == "fp16"]
    return " ".join(_one_advantage(row) for row in entries)


def _one_advantage(row: Row) -> str:
    text = _network(row) + gettext(": ") + percent(row["advantage"])
    guide = gettext("the guide's {guide_advantage}", guide_advantage=percent(row["guide_advantage"]))
    if row["ci_low"] is None:
        return gettext("{text}, without an interval; {guide} cannot be judged.", text=text, guide=guide)
    inside = row["ci_low"] <= row["guide_advantage"] <= row["ci_high"]
    between = gettext("{ci_low} to {ci_high}", ci_low=percent(row["ci_low"]), ci_high=percent(row["ci_high"]))
    return gettext(
        "{text} ({between}); {guide} lies in the interval."
        if inside
        else "{text} ({between}); {guide} lies outside the interval.",
        text=text,
        between=between,
        guide=guide,
    )


def _error_finding(rows: list[Row]) -> str:
    """Return our error and those of the baselines, with one GPU left out."""
    tested = [row for row in rows if row["split"] == "leave_one_gpu_out" and row["precision"] == "fp16" and row["n"]]
    entries = [f"{_model(row)} {percent(row['mean_abs_pct'] / 100, 2)}" for row in tested]
    if not entries:
        return gettext("No prediction could be tested.")
    return gettext("Mean error on a GPU that was left out of the fit, 16-bit: {details}.", details=gettext(", ").join(entries))


def _model(row: Row) -> str:
    return gettext(_MODELS[row["model"]]) if row["model"] in _MODELS else words(row["model"])


def _aim(row: Row) -> float | None:
    """Return the largest accepted error of a row of our model; None for other rows."""
    ours = row["model"] == OURS and row["precision"] == "fp16"
    return MOST_ERROR_PERCENT.get(row["split"]) if ours else None


def _aims(rows: list[Row]) -> str:
    """Return the aims for our predictions that are not reached."""
    ours = [row for row in rows if _aim(row) is not None and row["n"]]
    missed = [text for row in ours for text in _missed(row)]
    if not ours:
        return ""
    if not missed:
        return gettext("Our model reaches every target.")
    return gettext("Not reached: {missed}.", missed=gettext("; ").join(missed))


def _missed(row: Row) -> list[str]:
    aim, (low, high) = _aim(row), COVERAGE_PERCENT
    left_out = gettext(SPLITS.get(row["split"], row["split"]))
    texts = []
    if aim is not None and row["mean_abs_pct"] > aim:
        error = N_("with {left_out} left out, the error is {mean_abs_pct} (target: {aim}% or less)")
        mean = percent(row["mean_abs_pct"] / 100, 2)
        texts.append(gettext(error, left_out=left_out, mean_abs_pct=mean, aim=number(aim)))
    if row["coverage_90"] is not None and not low <= row["coverage_90"] <= high:
        held = gettext("the 90% intervals contain {coverage_90} of the GPUs", coverage_90=percent(row["coverage_90"] / 100))
        outside = N_("with {left_out} left out, {held} (target: {low} to {high}%)")
        texts.append(gettext(outside, left_out=left_out, held=held, low=number(low), high=number(high)))
    return texts


def _readable(statement: str) -> str:
    """Return the statement of a rule with the names of columns in words."""
    return _NAME.sub(lambda name: _in_a_sentence(column_label(name[0])), gettext(statement))


def _in_a_sentence(name: str) -> str:
    return name[:1].lower() + name[1:] if name[1:2].islower() else name
