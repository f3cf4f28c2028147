"""Page on the predicted speed of language models: errors on GPUs that were left out, formula, and worked example."""

from pipeline.website.charts.llm import predicted_against_measured
from pipeline.website.components.figures import Figure, render_figure
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Rows
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.numbers import day, number
from pipeline.website.writing.page_writer import PageWriter

PHASES = {"decode": N_("Output of one user"), "prefill": N_("Prompt"), "serving": N_("Serving")}
_TABLES = {
    "errors": """
        SELECT e.phase, e.class, e.n, e.median_abs_pct, e.mean_abs_pct, e.coverage_90, r.median_abs_pct AS roofline_median,
            r.mean_abs_pct AS roofline_mean
        FROM prediction_error e
        JOIN prediction_error r ON (r.phase, r.class, r.gpu_id, r.model) = (e.phase, e.class, e.gpu_id, 'roofline')
        WHERE e.model = 'gpuledger' AND e.phase <> 'training' AND e.gpu_id = 'all'
        ORDER BY e.phase, e.class <> 'all', e.class
    """,
    "by_gpu": """
        SELECT e.gpu_id, g.name, e.phase, e.n, e.median_abs_pct, e.mean_abs_pct, e.coverage_90,
            r.median_abs_pct AS roofline_median
        FROM prediction_error e
        JOIN prediction_error r ON (r.phase, r.class, r.gpu_id, r.model) = (e.phase, e.class, e.gpu_id, 'roofline')
        JOIN gpu g ON g.gpu_id = e.gpu_id
        WHERE e.model = 'gpuledger' AND e.class = 'all'
        ORDER BY e.phase, e.median_abs_pct DESC, e.gpu_id
    """,
    "repeats": """
        SELECT phase, size_class, factor_90, factor_median, n_configurations, n_gpus, n_machines
        FROM llm_repeat ORDER BY phase, size_class DESC
    """,
    "parts": """
        SELECT phase, term, coefficient, example_s, n_runs, n_gpus
        FROM llm_speed_part WHERE example_s > 0 ORDER BY phase, term_number
    """,
    "examples": """
        SELECT s.phase, s.engine, s.quantization, s.prompt_tokens, s.output_tokens, s.concurrency, s.predicted_tokens_per_s,
            s.tokens_per_s, s.basis
        FROM llm_speed s
        WHERE s.is_fewest AND s.llm_model_id = 'llama-3.1-8b' AND s.gpu_id = 'nvidia-h100-sxm5-80gb'
            AND ((s.use = 'chat' AND s.quantization = 'bf16') OR s.phase IN ('decode', 'prefill'))
        ORDER BY s.phase
    """,
}
_POINTS = """
    SELECT p.phase, p.gpu_id, g.name, m.name AS model, p.measured_tokens_per_s AS measured,
        p.predicted_tokens_per_s AS predicted, p.n, p.median_abs_pct
    FROM llm_prediction_summary p
    JOIN gpu g USING (gpu_id)
    JOIN llm_model m USING (llm_model_id)
    ORDER BY p.phase, p.gpu_id, p.llm_model_id, p.run_class
"""


def write_inference(writer: PageWriter) -> None:
    """Write the page."""
    data = writer.data
    tables, points = data.results(_TABLES), data.rows(_POINTS)
    writer.write_page(
        "llm/inference",
        "How the speed of language models is predicted",
        "How tokens per second are predicted for GPUs that nobody measured, and how wrong such predictions are.",
        "inference.md.j2",
        error_of={row["phase"]: row for row in tables["errors"] if row["class"] == "all"},
        figure=render_figure(writer, "../../", _figure(points, writer)) if points else "",
        phases=PHASES,
        **tables,
    )


def _figure(points: Rows, writer: PageWriter) -> Figure:
    rows = [
        row | {"gpu": short_gpu(row["name"], row["gpu_id"]), "phase": gettext(PHASES.get(row["phase"], row["phase"]))}
        for row in points
    ]
    typical = number(rows[0]["median_abs_pct"], 2)
    return Figure(
        name="llm-predicted-measured",
        title=gettext(
            "Half of the predicted speeds are within {percent}% of the measured ones",
            percent=typical,
        ),
        subject=gettext("Predicted against measured speed of language models"),
        direction=gettext("On the line both are equal"),
        finding=gettext(
            "{n} medians of a GPU and model, from {low} to {high} tokens per second.",
            n=number(len(rows)),
            low=number(min(row["measured"] for row in rows), 2),
            high=number(max(row["measured"] for row in rows), 2),
        ),
        dated=gettext("Runs until {day}", day=day(writer.as_of)),
        source=gettext("Spare Cores, NVIDIA aiconfigurator, InferenceX and Argonne"),
        chart=predicted_against_measured(rows),
        rows=rows,
        columns=[
            ("gpu", gettext("GPU")),
            ("model", gettext("Model")),
            ("phase", gettext("Phase")),
            ("measured", gettext("Measured, tokens/s")),
            ("predicted", gettext("Predicted, tokens/s")),
            ("n", gettext("Configurations")),
        ],
        note=gettext("Each prediction is made without any run of its GPU."),
        sql=points.sql,
    )
