"""Pages of language models: one per model family, a list of all models, and the method of their predicted speed."""

from typing import Any

from pipeline.website.i18n.language import gettext
from pipeline.website.pages.llm.inference import write_inference
from pipeline.website.pages.llm.tuning import write_tuning
from pipeline.website.writing.database import Row, Rows, group_by
from pipeline.website.writing.links import slug
from pipeline.website.writing.page_writer import PageWriter

SHOWN = 20  # GPUs of a model, the cheapest in chat first
_FIRST = ("llama-3.1-8b", "qwen3-32b", "llama-3.3-70b", "gpt-oss-120b")  # well-known models of four sizes
_SPEEDS = """
    SELECT DISTINCT ON (s.llm_model_id, s.gpu_id, s.gpu_count, s.quantization, s.use, s.phase, s.engine)
        s.llm_model_id, m.name AS model, m.family, m.publisher, m.n_parameters, m.n_active_parameters, m.context_tokens,
        s.gpu_id, g.name, s.quantization, s.gpu_count, s.use, coalesce(o.basis, s.basis) AS basis,
        coalesce(o.tokens_per_s, s.tokens_per_s) AS tokens_per_s,
        CASE WHEN o.engine IS NULL THEN s.low ELSE o.tokens_per_s_low END AS low,
        CASE WHEN o.engine IS NULL THEN s.high ELSE o.tokens_per_s_high END AS high,
        c.usd_per_million_output_tokens AS usd, c.usd_per_million_output_tokens_low AS usd_low,
        c.usd_per_million_output_tokens_high AS usd_high, c.usd_per_hour, c.provider, c.price_date, c.variant_stated, c.replicas,
        x.source_id, x.snapshot_id, x.locator, is_rankable(coalesce(o.basis, s.basis), s.low, s.high) IS NOT TRUE AS unranked
    FROM llm_speed s
    JOIN llm_model m USING (llm_model_id)
    JOIN gpu g USING (gpu_id)
    LEFT JOIN llm_cost c ON (c.llm_model_id, c.gpu_id, c.gpu_count // c.replicas, c.use, replace(c.quantization, 'fp16', 'bf16'))
        = (s.llm_model_id, s.gpu_id, s.gpu_count, s.use, s.quantization)
        AND (s.phase = 'serving' OR c.gpu_count = s.gpu_count)
        AND (c.engine = s.engine OR c.replicas = 1) AND c.priced_by = 'gpu' AND c.billing = 'on_demand' AND NOT c.price_stale
    LEFT JOIN llm_cost o ON o.cost_id = c.cost_id AND o.engine <> s.engine -- measured in another program than the one predicted
    LEFT JOIN llm_measurement x ON coalesce(o.n_measurements, s.n_measurements) = 1 AND x.measurement_id = c.measurement_id
    WHERE s.is_fewest AND s.phase <> 'prefill' AND s.use <> 'batch' AND g.segment <> 'accelerator'
    ORDER BY m.family, m.n_parameters, s.llm_model_id, s.quantization, s.gpu_id, s.use,
        c.engine = s.engine DESC, c.usd_per_million_output_tokens, c.cost_id -- one cost: of its own program, else the cheapest
"""
_CHAT_REQUESTS = "SELECT concurrency::BIGINT AS requests FROM llm_use WHERE use = 'chat'"
_READINGS = "SELECT gpus_with_value, gpus_without FROM spec_coverage WHERE attribute = 'driver_memory_gb'"
_MEMORY = {
    "examples": """
        SELECT m.name AS model, q.title AS type, f.gpu_id, g.name, f.engine, f.weight_gb, f.kv_gb, f.gpu_gb, f.usable_gb, f.fits,
            f.gpus_needed, f.max_context_tokens
        FROM llm_fit f
        JOIN llm_fit_case c USING (case_id)
        JOIN llm_model m USING (llm_model_id)
        JOIN llm_quantization q USING (quantization)
        JOIN gpu g USING (gpu_id)
        WHERE (f.case_id = 'llama-3.1-8b/bf16' AND f.gpu_id IN ('nvidia-geforce-rtx-5080-16gb', 'nvidia-l4-24gb'))
            OR (f.case_id = 'llama-3.3-70b/q4_k_m' AND f.gpu_id IN ('nvidia-geforce-rtx-4090-24gb', 'nvidia-l40s-48gb'))
        ORDER BY f.case_id, g.memory_gb
    """,
    "engines": "SELECT engine, usable_share, reserve_gb, gb_per_1000_hidden, basis FROM llm_engine ORDER BY engine",
    "types": """
        SELECT title, bytes_per_weight, bytes_per_embedding_weight, bytes_per_output_weight, basis
        FROM llm_quantization ORDER BY family, bytes_per_weight, title
    """,
    "measured": """
        SELECT m.name AS model, q.title AS type, w.weight_bytes, w.n_runs
        FROM llm_weight w
        JOIN llm_model m USING (llm_model_id)
        JOIN llm_quantization q USING (quantization)
        ORDER BY w.weight_bytes
    """,
}
Model = dict[str, Any]


def write(writer: PageWriter) -> None:
    """Write the page of every family, the list of models and the page on predicted speed."""
    speeds = writer.data.rows(_SPEEDS)
    models = [_model(rows) for rows in group_by(speeds, "llm_model_id").values()]
    families = list(group_by(models, "family").values())
    for family in families:
        _write_family(writer, family, speeds)
    writer.write_page(
        "llm",
        "Language models",
        "Which GPUs run a language model, how fast, and what a million tokens cost.",
        families=families,
        first=[model for name in _FIRST for model in models if model["llm_model_id"] == name and model["best"]],
        chat_requests=writer.data.rows(_CHAT_REQUESTS)[0]["requests"],
        n_models=len(models),
        n_gpus=len({row["gpu_id"] for row in speeds}),
        type_label=_type_label,
    )
    write_inference(writer)
    _write_memory(writer)
    write_tuning(writer)
    writer.write_page(
        "workloads/llm-decode",
        "Text from a language model",
        "The comparison by memory bandwidth was replaced by measured and predicted speeds of language models.",
        "moved.md.j2",
    )


def _write_memory(writer: PageWriter) -> None:
    """Write the page on memory: the formula, examples, and the figures that it uses with their sources."""
    writer.write_page(
        "llm/memory",
        "Memory of language models",
        "Whether a language model fits a GPU: the formula, examples, bytes per weight and their sources.",
        "memory.md.j2",
        readings=writer.data.rows(_READINGS)[0],
        **writer.data.results(_MEMORY),
    )


def _model(rows: list[Row]) -> Model:
    """Return a model with a line per GPU and type of weights: the cheapest chat first, unranked ones last."""
    lines = [_line(group) for one in group_by(rows, "quantization").values() for group in group_by(one, "gpu_id").values()]
    lines.sort(key=lambda line: (_is_unranked(line), _usd(line), -line["tokens_per_s"], line["gpu_id"]))
    cheapest = {id(line) for group in group_by(lines, "quantization").values() for line in group[:SHOWN]}
    return rows[0] | {
        "lines": [line for line in lines if id(line) in cheapest or line["is_measured"]],
        "n_gpus": len({row["gpu_id"] for row in rows}),
        "n_measured": len({row["gpu_id"] for row in rows if row["basis"] == "measured"}),
        "maybe": _maybe_cheaper(lines),
        "best": next((line["uses"]["chat"] for line in lines if _usd(line) < float("inf")), None),
        "cheapest": {basis: _cheapest_chat(lines, basis) for basis in ("measured", "predicted")},
    }


def _maybe_cheaper(lines: list[Row]) -> Row | None:
    """Return the cheapest chat without a rank whose whole interval is below that of the first ranked one."""
    best = next((line["uses"]["chat"] for line in lines if not _is_unranked(line)), None)
    if best is None:
        return None
    below = [line["uses"]["chat"] for line in lines if _usd(line) < best["usd"] and line["uses"]["chat"]["unranked"]]
    least = best["usd"] if best["usd_low"] is None else best["usd_low"]
    return min((chat for chat in below if chat["usd_high"] < least), key=lambda chat: float(chat["usd"]), default=None)


def _line(rows: list[Row]) -> Row:
    uses = {row["use"]: row for row in rows}
    first = uses.get("chat") or rows[0]
    return first | {"uses": uses, "is_measured": any(row["basis"] == "measured" for row in rows)}


def _cheapest_chat(lines: list[Row], basis: str) -> Row | None:
    """Return the chat that costs least among the measured or the predicted ones, ranked or not."""
    priced = [line["uses"]["chat"] for line in lines if _usd(line) < float("inf")]
    return min((chat for chat in priced if chat["basis"] == basis), key=lambda chat: float(chat["usd"]), default=None)


def _is_unranked(line: Row) -> bool:
    """Return whether chat has no price here, or a speed too uncertain for a rank."""
    return _usd(line) == float("inf") or bool(line["uses"]["chat"]["unranked"])


def _usd(line: Row) -> float:
    usd_of_chat = line["uses"].get("chat", {}).get("usd")
    return float("inf") if usd_of_chat is None else float(usd_of_chat)


def _write_family(writer: PageWriter, models: list[Model], speeds: Rows) -> None:
    family = models[0]["family"]
    writer.write_page(
        f"llm/{slug(family)}",
        gettext("{family}: GPUs, speed and cost", family=family),
        gettext(
            "GPUs that run {family} models, tokens per second and USD per million tokens, measured or predicted.", family=family
        ),
        "family.md.j2",
        family=family,
        models=models,
        type_label=_type_label,
        speeds=speeds,
    )


def _type_label(name: str) -> str:
    return gettext("16 bit") if name == "bf16" else name.upper()
