"""Page on fine-tuning: memory, time and cost by method and GPU, with the arithmetic of one example."""

from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Row
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.numbers import usd
from pipeline.website.writing.page_writer import PageWriter

METHODS = {"qlora": "QLoRA", "lora": "LoRA", "full": N_("Full fine-tuning")}  # the cheapest first
_COSTS = """
    SELECT c.gpu_id, g.name, c.tune, c.gpu_count, c.gpu_gb, c.hours, c.hours_low, c.hours_high, c.usd_per_job, c.usd_per_job_low,
        c.usd_per_job_high, c.usd_per_hour, c.provider, c.price_date, c.price_stale, c.variant_stated, c.efficiency_basis,
        c.trained
    FROM llm_tuning_cost c
    JOIN gpu g USING (gpu_id)
    WHERE c.llm_model_id = 'llama-3.1-8b'
    ORDER BY list_position({methods}, c.tune), c.price_stale, c.usd_per_job NULLS LAST, c.hours, c.gpu_id
"""
_CHEAPEST = """
    SELECT m.family, m.name AS model, m.n_parameters, c.llm_model_id, c.tune, c.gpu_id, g.name, c.gpu_count, c.usd_per_job AS usd,
        c.hours
    FROM llm_tuning_cost c
    JOIN gpu g USING (gpu_id)
    JOIN llm_model m USING (llm_model_id)
    WHERE c.usd_per_job IS NOT NULL AND NOT c.price_stale
    ORDER BY m.family, m.n_parameters, c.llm_model_id, c.usd_per_job, c.gpu_id
"""
_EXAMPLE = """
    SELECT c.*, g.name, e.peak_tflops, m.n_active_parameters, f.weight_gb, f.tuning_gb, f.activation_gb, f.usable_gb
    FROM llm_tuning_cost c
    JOIN gpu g USING (gpu_id)
    JOIN llm_training_efficiency e USING (gpu_id)
    JOIN llm_model m USING (llm_model_id)
    JOIN llm_fit f ON (f.case_id, f.gpu_id) = ('llama-3.1-8b/qlora', c.gpu_id)
    WHERE (c.llm_model_id, c.tune, c.gpu_count) = ('llama-3.1-8b', 'qlora', 1) AND c.usd_per_job IS NOT NULL AND NOT c.price_stale
    ORDER BY c.usd_per_job, c.gpu_id
    LIMIT 1
"""
_CHECKED = """
    SELECT c.*, m.name AS model, g.name, r.source_id, r.snapshot_id, r.locator
    FROM llm_tuning_check c
    JOIN llm_tuning_run r USING (row_id)
    JOIN llm_model m ON m.llm_model_id = c.llm_model_id
    JOIN gpu g ON g.gpu_id = c.gpu_id
    ORDER BY c.gpu_count, m.n_parameters, c.row_id
"""


def write_tuning(writer: PageWriter) -> None:
    """Write the page."""
    costs = writer.data.rows(_COSTS.format(methods=list(METHODS)))
    example = next(iter(writer.data.rows(_EXAMPLE)), None)
    writer.write_page(
        "llm/fine-tuning",
        "Fine-tuning language models",
        "Memory, hours and cost of fine-tuning a language model, by method and GPU, with the arithmetic.",
        "tuning.md.j2",
        lead=_lead(costs),
        costs=costs,
        models=_cheapest(writer.data.rows(_CHEAPEST)),
        example=example,
        checked=writer.data.rows(_CHECKED),
        methods=METHODS,
        label=_label,
    )


def _label(tune: str) -> str:
    return gettext(METHODS.get(tune, tune))


def _lead(rows: list[Row]) -> str:
    """Return the cheapest GPU of each method at current prices."""
    priced = [row for row in rows if row["usd_per_job"] is not None and not row["price_stale"]]
    cheapest = {row["tune"]: row for row in reversed(priced)}
    texts = [
        gettext("{method}: {usd} on {count} x {gpu}.", method=_label(tune), usd=usd(row["usd_per_job"]),
                count=row["gpu_count"], gpu=short_gpu(row["name"], row["gpu_id"]))
        for tune, row in ((tune, cheapest[tune]) for tune in METHODS if tune in cheapest)
    ]  # fmt: skip
    if not texts:
        return gettext("No GPU has a price.")
    return " ".join((gettext("Cheapest job of 10 million tokens for Llama 3.1 8B:"), *texts))


def _cheapest(rows: list[Row]) -> list[Row]:
    """Return one row per model with the cheapest GPUs of each method."""
    models: dict[str, Row] = {}
    for row in rows:
        best = models.setdefault(row["llm_model_id"], row | {"best": {}})["best"]
        best.setdefault(row["tune"], row)
    return list(models.values())
