"""Tables that the form for language models reads in the browser: one script for all models, two per model with its rates in use
and in a fine-tune, and one with the speed model."""

from collections import defaultdict

from pipeline.llm import memory
from pipeline.llm.inputs import GPUS
from pipeline.llm.inputs import MODELS as MODEL_FACTS
from pipeline.llm.memory import COUNTS
from pipeline.llm.offers import OFFERS
from pipeline.recommend.other_billing import BILLINGS
from pipeline.recommend.rates import RATES
from pipeline.recommend.to_buy import LAST_KNOWN, MACHINES
from pipeline.website.components.recommend.recommend_data import as_columns, provider_columns
from pipeline.website.writing.database import Database
from pipeline.website.writing.escape import script_json
from pipeline.website.writing.page_writer import PageWriter

Columns = dict[str, list[object]]
PATH = "assets/llm-data.js"
SPEED_PATH = "assets/llm-speed-data.js"
RATE_FILE = "assets/llm/{rates}.js"
# without what each question has of its own
MODELS = """
    SELECT DISTINCT
        c.* EXCLUDE (case_id, weight_bytes, quantization, kv_bytes_per_value, tune, context_tokens, users, may_wait, gpus),
        m.name, m.family
    FROM llm_fit_case AS c JOIN llm_model AS m USING (llm_model_id)
    WHERE tune IS NULL ORDER BY m.family, n_parameters, llm_model_id
"""
_STORED = "SELECT llm_model_id, quantization, native_quantization FROM llm_model_type JOIN llm_model USING (llm_model_id)"
_TABLES = {
    "gpu": """
        SELECT gpu_id, name, memory_gb, visible_gb, tdp_w, slot_width, vendor, architecture, segment, compute_capability,
            vendor = 'NVIDIA' AND fp8_tensor_tflops IS NOT NULL AS has_fp8,
            runs_packed_weights(vendor, compute_capability) AS runs_packed
        FROM gpu JOIN (SELECT DISTINCT gpu_id, visible_gb FROM llm_fit) USING (gpu_id) ORDER BY gpu_id
    """,
    "model": MODELS,
    "llm_quantization": "SELECT * EXCLUDE (basis) FROM llm_quantization ORDER BY quantization",
    "llm_use": "SELECT use, prompt_tokens, output_tokens, concurrency, may_wait FROM llm_use ORDER BY use",
    "llm_engine": "SELECT * EXCLUDE (basis) FROM llm_engine ORDER BY engine",
    "purchase": LAST_KNOWN,
    "machine": MACHINES,
    "assumption": """
        SELECT assumption_id, value FROM assumption WHERE assumption_id IN ('reading_tokens_per_s', 'usd_per_kwh') ORDER BY 1
    """,
    "llm_weight": "SELECT llm_model_id, quantization, weight_bytes FROM llm_weight ORDER BY ALL",
}
# the speed model, for a model or a load that the tables of speeds lack
_SPEED_TABLES = {
    "gpu": GPUS,
    "model": MODEL_FACTS,
    "part": "SELECT phase, run_class, term, coefficient FROM llm_speed_part ORDER BY phase, run_class, term_number",
    "interval": "SELECT phase, run_class, fit, factor_90 FROM llm_speed_interval ORDER BY phase, run_class",
    "measured": "SELECT DISTINCT phase, vendor, source_id FROM llm_prediction JOIN gpu USING (gpu_id) ORDER BY ALL",
}


def write(writer: PageWriter) -> None:
    """Write the scripts: each table as columns. Other tables name a GPU by its position in `gpu`."""
    data = writer.data
    tables = {name: as_columns(data, sql) for name, sql in _TABLES.items()}
    tables["offer"] = as_columns(data, OFFERS, {"counts": list(COUNTS), "billings": ["on_demand"]})
    tables["other_offer"] = as_columns(data, OFFERS, {"counts": list(COUNTS), "billings": list(BILLINGS)})
    position = {gpu_id: at for at, gpu_id in enumerate(tables["gpu"]["gpu_id"])}
    rates = _rates_by_model(data, tables["model"]["llm_model_id"])
    for model, columns in rates.items():
        if columns["gpu_id"]:
            _write_rates(writer, str(model), _by_position(columns, position))
    tables["model"]["has_rates"] = [bool(rates[model]["gpu_id"]) for model in rates]
    predicted = {row["llm_model_id"] for row in data.rows("SELECT DISTINCT llm_model_id FROM llm_speed")}
    tables["model"]["has_speeds"] = [model in predicted for model in rates]
    natives = {row["llm_model_id"]: row["native_quantization"] for row in data.rows(_STORED)}
    types = types_by_model(data)
    tables["model"]["types"] = [memory.served_of(natives.get(model), types[str(model)]) for model in rates]
    tables |= {name: _by_position(tables[name], position) for name in ("offer", "other_offer", "purchase")}
    priced = (tables["offer"], tables["other_offer"], *rates.values())
    offered = {str(name) for columns in priced for name in columns["provider"] if name}
    tables["provider"] = provider_columns(sorted(offered), data.sellers)
    writer.write_text(PATH, f"window.gpuledger.llmData = {script_json(tables)};\n")
    speeds = {name: as_columns(data, sql) for name, sql in _SPEED_TABLES.items()}
    writer.write_text(SPEED_PATH, f"window.gpuledger.llmSpeedData = {script_json(speeds)};\n")


def types_by_model(data: Database) -> defaultdict[str, set[str]]:
    """Return by model the types in which its weights are offered, read once for all models and languages."""
    types: defaultdict[str, set[str]] = defaultdict(set)
    for row in data.rows(_STORED):
        types[row["llm_model_id"]].add(row["quantization"])
    return types


def _rates_by_model(data: Database, models: list[object]) -> dict[object, Columns]:
    """Read the rates of all models by one query, since planning it takes longer than its rows of a model."""
    every = _rounded(as_columns(data, RATES, {"models": models, "counts": list(COUNTS)}))
    places: dict[object, list[int]] = {model: [] for model in models}
    for at, model in enumerate(every.pop("llm_model_id")):
        places[model].append(at)
    return {model: _pick(every, kept) for model, kept in places.items()}


def _pick(columns: Columns, kept: list[int]) -> Columns:
    return {name: [cells[at] for at in kept] for name, cells in columns.items()}


def _write_rates(writer: PageWriter, model: str, columns: Columns) -> None:
    """Write the rates in use, and those of a fine-tune in a file of their own, which the comparison of GPUs does not need."""
    for name, is_tune in ((model, False), (f"{model}-tune", True)):
        kept = [at for at, use in enumerate(columns["use"]) if (use in memory.TUNES) == is_tune]
        text = f"(window.gpuledger.llmRates??={{}})[{script_json(name)}]={script_json(_pick(columns, kept))};\n"
        writer.write_text(RATE_FILE.format(rates=name), text)


def _rounded(columns: Columns) -> Columns:
    """Round speeds to seven digits: the file is a third lighter."""
    return {
        name: [float(f"{cell:.7g}") if isinstance(cell, float) else cell for cell in cells] for name, cells in columns.items()
    }


def _by_position(columns: Columns, position: dict[object, int]) -> Columns:
    """Name each GPU by its position, and leave out rows of a GPU that the table lacks."""
    kept = [at for at, gpu_id in enumerate(columns["gpu_id"]) if gpu_id in position]
    columns["gpu_id"] = [position.get(gpu_id) for gpu_id in columns["gpu_id"]]
    return _pick(columns, kept)
