"""Language models on the page of a GPU: how many GPUs hold each, how fast it is, and what its tokens cost."""

from collections import defaultdict
from functools import partial
from itertools import groupby
from operator import itemgetter

from pipeline.llm.memory import ASSUMED, LOCAL, LOCAL_TYPES, speed_type
from pipeline.website.writing.database import Database, Rows

_MODELS = """
    SELECT DISTINCT ON (s.llm_model_id, s.gpu_id, s.gpu_count, s.quantization, s.use, s.phase, s.engine)
        s.gpu_id, n.name, n.native_quantization, t.title AS type,
        s.quantization, s.engine, s.gpu_count, s.concurrency, s.tokens_per_s, s.low, s.high, s.basis,
        x.source_id, x.snapshot_id, x.locator,
        CASE WHEN s.phase = 'serving' AND NOT c.price_stale THEN c.usd_per_million_output_tokens END AS usd,
        is_rankable(s.basis, s.low, s.high) IS NOT TRUE AS unranked
    FROM llm_speed s
    JOIN llm_model n USING (llm_model_id)
    JOIN llm_quantization t ON t.quantization = s.quantization
    LEFT JOIN llm_cost c
        ON (c.llm_model_id, c.gpu_id, c.gpu_count // c.replicas, c.use) = (s.llm_model_id, s.gpu_id, s.gpu_count, s.use)
        AND replace(c.quantization, 'fp16', 'bf16') = s.quantization AND (s.phase = 'serving' OR c.gpu_count = s.gpu_count)
        AND c.priced_by = 'gpu' AND c.billing = 'on_demand'
    LEFT JOIN llm_measurement x ON s.n_measurements = 1 AND x.measurement_id = c.measurement_id
    WHERE s.is_fewest AND ((s.phase, s.use) = ('serving', 'chat') OR (s.phase, s.use) = ('decode', 'single'))
    ORDER BY s.gpu_id, n.n_parameters, s.llm_model_id, s.quantization,
        c.engine = s.engine DESC, c.usd_per_million_output_tokens, c.cost_id -- one cost: of its own program, else the cheapest
"""
QUANTIZATIONS = ("published", "fp8", "q4_k_m")


def models_by_gpu(data: Database) -> dict[str, Rows]:
    """Return by GPU one row per model with its speed by type of weights; a type without a speed is None.

    As published: with the weights of `native_quantization`.
    """
    speeds = data.rows(_MODELS)
    models: defaultdict[str, Rows] = defaultdict(partial(Rows, speeds.sql))
    for (gpu_id, name), rows in groupby(speeds, itemgetter("gpu_id", "name")):
        stored = {row["quantization"]: row for row in rows}
        native = next(iter(stored.values()))["native_quantization"]
        local = next((stored[key] for key in LOCAL_TYPES if key in stored), None)
        weights = stored | {"published": stored.get(speed_type(native or ASSUMED)), LOCAL: local}
        if any(weights.get(key) for key in QUANTIZATIONS):
            models[gpu_id].append({"name": name} | {key: weights.get(key) for key in QUANTIZATIONS})
    return models
