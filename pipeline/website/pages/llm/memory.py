"""Page on the memory of language models: the formula, examples, and the figures that it uses with their sources."""

from pipeline.website.writing.page_writer import PageWriter

_EXAMPLES = """
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
"""
_READINGS = "SELECT gpus_with_value, gpus_without FROM spec_coverage WHERE attribute = 'driver_memory_gb'"
_ENGINES = "SELECT engine, usable_share, reserve_gb, basis FROM llm_engine ORDER BY engine"
_TYPES = """
    SELECT title, bytes_per_weight, bytes_per_embedding_weight, bytes_per_output_weight, basis
    FROM llm_quantization ORDER BY family, bytes_per_weight, title
"""
_MEASURED = """
    SELECT m.name AS model, q.title AS type, w.weight_bytes, w.n_runs
    FROM llm_weight w
    JOIN llm_model m USING (llm_model_id)
    JOIN llm_quantization q USING (quantization)
    ORDER BY w.weight_bytes
"""


def write_memory(writer: PageWriter) -> None:
    """Write the page."""
    data = writer.data
    writer.write_page(
        "llm/memory",
        "pages/llm/memory.md.j2",
        "Memory of language models",
        "Whether a language model fits a GPU: the formula, examples, bytes per weight and their sources.",
        readings=data.rows(_READINGS)[0],
        examples=data.rows(_EXAMPLES),
        engines=data.rows(_ENGINES),
        types=data.rows(_TYPES),
        measured=data.rows(_MEASURED),
    )
