-- title: Cost of fine-tuning language models
-- description: One row per model, method and GPU with the memory for it: time of the arithmetic at the GPU's share of its peak. It is on the fewest
-- description: of 1, 2, 4 or 8 GPUs whose memory suffices by llm_fit (sequences of 2,048 tokens, gradient checkpointing, adapters of rank 16).
-- description: Several GPUs lose what transformers lose over NVLink (scaling_efficiency); a model sharded over GPUs with another link was not
-- description: measured and has no row. Prices are the cheapest current listings of the GPU, else those last seen. Time to load the model and data,
-- description: evaluation, and the work of unpacking 4-bit weights are left out. The share of the peak is that of dense models, so the range of a
-- description: mixture of experts is no narrower than in serving (llm_speed_interval, experts).
-- group: llm
-- column: llm_model_id | | Model
-- column: tune | | full, lora or qlora
-- column: gpu_id | | GPU
-- column: gpu_count | | Fewest of 1, 2, 4 or 8 GPUs with the memory
-- column: gpu_gb | GB | Memory that each needs
-- column: tokens | token | Tokens of the job, all passes together, from table assumption
-- column: flop | FLOP | Arithmetic: 6 x active parameters x tokens, 4 x with frozen weights
-- column: flop_recomputed | FLOP | Further arithmetic of gradient checkpointing: 2 x active parameters x tokens
-- column: efficiency | fraction | Share of the peak, of llm_training_efficiency
-- column: efficiency_basis | | Whether that share was measured on this GPU or predicted; of a mixture of experts predicted
-- column: trained | | Training behind that share: llm, or bert on GPUs without BF16, which may be lower and whose range is that of other sizes of BERT
-- column: scaling_efficiency | fraction | Share of the speed of gpu_count single GPUs that several reach; 1 for one
-- column: hours | h | Time of the job on all GPUs
-- column: hours_low | h | Time at the highest share of the peak; of a mixture of experts at most hours over the factor of serving
-- column: hours_high | h | Time at the lowest share of the peak; of a mixture of experts at least hours times the factor of serving
-- column: provider | | Seller
-- column: usd_per_hour | USD/h | Price of all GPUs on demand; empty = no listing
-- column: usd_per_job | USD | Cost of the job on demand
-- column: usd_per_job_low | USD | Cost of hours_low
-- column: usd_per_job_high | USD | Cost of hours_high
-- column: observation_id | | Price in `price`
-- column: price_date | | Last day on which it was seen
-- column: price_stale | | Whether it is stale at the build's as_of
-- column: variant_stated | | Whether the seller states the variant of the GPU; if not, the price counts for the weakest variant that it can be
-- column: seller_url | | Prices page of the seller, else its home page
-- unique: llm_model_id, tune, gpu_id
-- check: hours_low <= hours AND hours <= hours_high
-- check: gpu_count IN (1, 2, 4, 8)
WITH
-- the number of GPUs is that of llm_fit, which splits all that tuning stores over them, rounded up to a machine's
fitting AS (
    SELECT c.llm_model_id, c.tune, f.gpu_id, m.n_active_parameters, m.n_experts,
        CASE WHEN f.gpus_needed <= 2 THEN f.gpus_needed WHEN f.gpus_needed <= 4 THEN 4 ELSE 8 END AS gpu_count,
        (f.weight_gb + f.tuning_gb) / gpu_count + f.activation_gb AS gpu_gb
    FROM llm_fit AS f
    JOIN llm_fit_case AS c USING (case_id)
    JOIN llm_model AS m USING (llm_model_id)
    WHERE c.tune IS NOT NULL AND f.gpus_needed <= 8
),
timed AS (
    SELECT f.*, t.value::BIGINT AS tokens, llm_tuning_flop(n_active_parameters, t.value, tune, false) AS flop,
        llm_tuning_flop(n_active_parameters, t.value, tune, true) - flop AS flop_recomputed,
        e.efficiency, least(e.efficiency_low, e.efficiency / i.factor_90) AS efficiency_low,
        greatest(e.efficiency_high, e.efficiency * i.factor_90) AS efficiency_high,
        CASE WHEN i.factor_90 IS NULL THEN e.basis ELSE 'predicted' END AS efficiency_basis, e.trained,
        CASE WHEN f.gpu_count = 1 THEN 1 ELSE s.efficiency END AS scaling_efficiency,
        (flop + flop_recomputed) / (e.peak_tflops * 1e12 * f.gpu_count * scaling_efficiency * 3600) AS hours_at_peak
    FROM fitting AS f
    JOIN llm_training_efficiency AS e USING (gpu_id)
    JOIN assumption AS t ON t.assumption_id = 'tuning_tokens'
    LEFT JOIN llm_speed_interval AS i ON f.n_experts IS NOT NULL AND (i.phase, i.run_class) = ('serving', 'experts')
    LEFT JOIN gpu_interconnect AS l USING (gpu_id)
    LEFT JOIN scaling_efficiency AS s
        ON s.interconnect = l.interconnect AND s.interconnect = 'nvlink' AND s.gpu_count = f.gpu_count AND s.family = 'transformer' AND s.precision = 'fp16'
),
priced AS (
    SELECT t.*, r.* EXCLUDE (gpu_id, gpu_model_id, gpu_count), r.usd_per_gpu_hour * t.gpu_count AS usd_per_hour
    FROM timed AS t
    LEFT JOIN _llm_rental AS r ON r.gpu_id = t.gpu_id AND r.billing = 'on_demand' AND r.min_gpus <= t.gpu_count AND t.gpu_count % r.min_gpus = 0
        AND (t.gpu_count = 1 OR NOT r.is_alone)
    WHERE t.hours_at_peak IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY llm_model_id, tune, t.gpu_id ORDER BY last_seen DESC NULLS FIRST, usd_per_gpu_hour, price_date DESC, observation_id) = 1
)
SELECT llm_model_id, tune, gpu_id, gpu_count, gpu_gb, tokens, flop, flop_recomputed, efficiency, efficiency_basis, trained, scaling_efficiency,
    hours_at_peak / efficiency AS hours, hours_at_peak / efficiency_high AS hours_low, hours_at_peak / efficiency_low AS hours_high,
    provider, usd_per_hour, usd_per_hour * hours AS usd_per_job, usd_per_hour * hours_low AS usd_per_job_low,
    usd_per_hour * hours_high AS usd_per_job_high, observation_id, price_date, stale AS price_stale, variant_stated,
    coalesce(p.pricing_url, p.homepage_url) AS seller_url
FROM priced AS c
LEFT JOIN provider AS p ON p.provider_id = c.provider
ORDER BY llm_model_id, tune, usd_per_job, gpu_id
