-- title: GPUs side by side
-- description: One row per comparison and GPU: price, speed and cost of the work. The comparisons are the pairs of gpu_pair.
-- description: Rents are of the GPU model, in any form factor and memory size. Speeds, and the costs that follow from them, are of the variant with most
-- description: current on-demand offers, at its cheapest current offer. Purchase prices are the newest known of that variant, whatever their age;
-- description: buy_usd is of any variant.
-- group: performance
-- column: comparison_id | | Comparison: short names of the GPUs, oldest first
-- column: pair_rank | | Rank of the pair in gpu_pair
-- column: position | | Position of the GPU in the comparison, oldest first
-- column: gpu_model_id | | GPU model
-- column: gpu_id | | Its variant with most current on-demand offers, then with most memory
-- column: usd_per_gpu_hour | USD/(GPU·h) | Cheapest current on-demand price
-- column: provider | | Provider of that price
-- column: price_date | | Last day on which it was seen
-- column: usd_per_gpu_hour_median | USD/(GPU·h) | Median over providers; empty below three
-- column: n_providers | | Providers with a current on-demand offer
-- column: spot_usd_per_gpu_hour | USD/(GPU·h) | Cheapest current spot price
-- column: spot_provider | | Provider of the spot price
-- column: spot_date | | Last day on which it was seen
-- column: marketplace_usd_per_gpu_hour | USD/(GPU·h) | Cheapest current price of an independent host on a marketplace
-- column: marketplace_provider | | The marketplace
-- column: marketplace_date | | Last day on which it was seen
-- column: new_usd | USD/GPU | Newest street price of a new GPU
-- column: new_date | | Day of new_usd
-- column: new_current | | Whether it is from the last 12 months
-- column: used_usd | USD/GPU | Newest price of a used GPU
-- column: used_date | | Day of used_usd
-- column: used_current | | Whether it is from the last 12 months
-- column: small_gpus | | GPUs that Llama 3.1 8B needs with 16-bit weights
-- column: small_tokens_per_s | tokens/s | Output tokens of Llama 3.1 8B on these GPUs, 64 requests at a time
-- column: small_low | tokens/s | Low end of the range of small_tokens_per_s
-- column: small_high | tokens/s | High end of the range of small_tokens_per_s
-- column: small_basis | | Whether that speed is measured or predicted
-- column: small_usd | USD | Cost of a million of these tokens at the cheapest current on-demand price of the variant
-- column: small_rank | | Rank of the variant by that cost; empty for a prediction too wide for one (is_rankable)
-- column: small_ranked | | GPUs that have one
-- column: large_gpus | | GPUs that Llama 3.3 70B needs with 16-bit weights
-- column: large_tokens_per_s | tokens/s | Output tokens of Llama 3.3 70B on these GPUs, 64 requests at a time
-- column: large_basis | | Whether that speed is measured or predicted
-- column: large_usd | USD | Cost of a million of these tokens
-- column: large_rank | | Rank of the variant by that cost; empty for a prediction too wide for one
-- column: large_ranked | | GPUs that have one
-- column: single_tokens_per_s | tokens/s | Llama 3.1 8B with 4-bit weights (Q4_K_M, llama.cpp), one request of use `single` at a time, with the time of its prompt
-- column: single_low | tokens/s | Low end of the range of single_tokens_per_s
-- column: single_high | tokens/s | High end of the range of single_tokens_per_s
-- column: single_basis | | Whether that speed is measured or predicted
-- column: new_usd_per_token_s | USD/(tokens/s) | Price of a new GPU, and of the rest of a machine of base_system_cost, over that speed
-- column: used_usd_per_token_s | USD/(tokens/s) | Price of a used GPU, and of the rest of a machine of base_system_cost, over that speed
-- column: tuning_gpus | | GPUs that fine-tuning of Llama 3.1 8B with QLoRA needs (llm_tuning_cost)
-- column: tuning_usd | USD | Cost of a job of 10 million tokens, by assumption, at the cheapest current on-demand price of the variant
-- column: tuning_low | USD | Low end of the range of tuning_usd
-- column: tuning_high | USD | High end of the range of tuning_usd
-- column: tuning_hours | h | Time of that job
-- column: tuning_rankable | | True; empty if the range is too wide for a comparison (is_rankable)
-- column: training_index | ratio | Training speed of one GPU, 16 bit, all kinds of network, RTX 2080 Ti = 1
-- column: training_low | ratio | Low end of the 90% interval of training_index
-- column: training_high | ratio | High end of the 90% interval of training_index
-- column: training_basis | | Whether that speed is measured or predicted
-- column: training_per_usd | 1/(USD/h) | Training speed for a rent of 1 USD an hour, in RTX 2080 Ti
-- column: training_usd_per_gpu_hour | USD/(GPU·h) | Rent behind it: the cheapest offer of one GPU of the variant, from workload_cost
-- column: buy_usd | USD/GPU | Last known price of a GPU to own, of any variant: a current one first, launch prices last, then the newest
-- column: buy_kind | | Purchase new, purchase used or launch price (MSRP)
-- column: buy_date | | Day of that price
-- column: buy_current | | Whether it is new or used, and from the last 12 months
-- column: buy_gpu_id | | Variant that buy_usd is of
-- unique: comparison_id, gpu_model_id
-- check: (usd_per_gpu_hour IS NULL) = (provider IS NULL)
-- check: small_rank IS NULL OR small_usd IS NOT NULL
WITH
member AS (
    SELECT first_model || '|' || second_model AS key, rank AS pair_rank, unnest([first_model, second_model]) AS gpu_model_id
    FROM gpu_pair
),
variant AS (
    SELECT g.gpu_model_id, g.gpu_id, min(g.release_date) OVER (PARTITION BY g.gpu_model_id) AS released
    FROM gpu AS g
    LEFT JOIN rental_market AS m
        ON m.gpu_id = g.gpu_id AND m.billing = 'on_demand' AND m.commitment = 'any' AND m.gpus = 'any'
    QUALIFY row_number() OVER (PARTITION BY g.gpu_model_id ORDER BY m.n_offers DESC NULLS LAST, g.memory_gb DESC, g.gpu_id) = 1
),
placed AS (
    SELECT m.*, v.gpu_id, row_number() OVER (PARTITION BY key ORDER BY released, gpu_model_id) AS position
    FROM member AS m
    JOIN variant AS v USING (gpu_model_id)
),
named AS (
    SELECT key, string_agg(regexp_replace(gpu_model_id, '^[a-z]+-((tesla|geforce|instinct|quadro)-)?', ''), '-vs-' ORDER BY position) AS comparison_id
    FROM placed
    GROUP BY key
),
market AS (
    SELECT gpu_model_id, billing, usd_per_gpu_hour_low AS usd, usd_per_gpu_hour_median AS median, low_provider AS provider, low_price_date AS price_date, n_providers
    FROM rental_market
    WHERE gpu_id = 'any' AND commitment = 'any' AND gpus = 'any'
),
serving AS (
    SELECT s.*, r.usd_per_million_output_tokens AS usd, r.rank, r.n_ranked
    FROM llm_speed AS s
    LEFT JOIN llm_rank AS r ON (r.llm_model_id, r.use, r.quantization, r.gpu_id, r.gpu_count // r.replicas) = (s.llm_model_id, s.use, s.quantization, s.gpu_id, s.gpu_count)
    WHERE s.is_fewest AND s.use = 'chat' AND s.quantization = 'bf16' AND s.phase = 'serving'
),
owned AS (
    SELECT g.gpu_model_id, p.*
    FROM gpu_price AS p
    JOIN gpu AS g USING (gpu_id)
    WHERE p.purchase_usd IS NOT NULL
    QUALIFY row_number() OVER (
        PARTITION BY g.gpu_model_id ORDER BY p.purchase_current DESC, p.purchase_kind = 'msrp', p.purchase_date DESC, p.purchase_usd, p.gpu_id
    ) = 1
),
single AS (
    SELECT gpu_id, gpu_count, tokens_per_s, low, high, r.basis, base_cost_usd
    FROM llm_request AS r
    LEFT JOIN base_system_cost USING (gpu_count)
    WHERE (llm_model_id, quantization, use) = ('llama-3.1-8b', 'q4_k_m', 'single') AND is_fewest
)
SELECT
    n.comparison_id, p.pair_rank, p.position, p.gpu_model_id, p.gpu_id,
    d.usd AS usd_per_gpu_hour, d.provider, d.price_date, d.median AS usd_per_gpu_hour_median, d.n_providers,
    s.usd AS spot_usd_per_gpu_hour, s.provider AS spot_provider, s.price_date AS spot_date,
    h.usd AS marketplace_usd_per_gpu_hour, h.provider AS marketplace_provider, h.price_date AS marketplace_date,
    new.usd_per_gpu AS new_usd, new.observed_at AS new_date, is_current_purchase(new.kind, new.stale) AS new_current,
    used.usd_per_gpu AS used_usd, used.observed_at AS used_date, is_current_purchase(used.kind, used.stale) AS used_current,
    small.gpu_count AS small_gpus, small.tokens_per_s AS small_tokens_per_s, small.low AS small_low, small.high AS small_high,
    small.basis AS small_basis,
    small.usd AS small_usd, small.rank AS small_rank, small.n_ranked AS small_ranked,
    large.gpu_count AS large_gpus, large.tokens_per_s AS large_tokens_per_s, large.basis AS large_basis,
    large.usd AS large_usd, large.rank AS large_rank, large.n_ranked AS large_ranked,
    single.tokens_per_s AS single_tokens_per_s, single.low AS single_low, single.high AS single_high, single.basis AS single_basis,
    (single.gpu_count * new.usd_per_gpu + single.base_cost_usd) / single.tokens_per_s AS new_usd_per_token_s,
    (single.gpu_count * used.usd_per_gpu + single.base_cost_usd) / single.tokens_per_s AS used_usd_per_token_s,
    t.gpu_count AS tuning_gpus, t.usd_per_job AS tuning_usd, t.usd_per_job_low AS tuning_low, t.usd_per_job_high AS tuning_high,
    t.hours AS tuning_hours, CASE WHEN is_rankable(t.efficiency_basis, t.hours_low, t.hours_high) THEN true END AS tuning_rankable,
    i."index" AS training_index, i.ci_low AS training_low, i.ci_high AS training_high, i.basis AS training_basis,
    i."index" / w.cheapest_usd_per_gpu_hour AS training_per_usd, w.cheapest_usd_per_gpu_hour AS training_usd_per_gpu_hour,
    b.purchase_usd AS buy_usd, b.purchase_kind AS buy_kind, b.purchase_date AS buy_date, b.purchase_current AS buy_current, b.gpu_id AS buy_gpu_id
FROM placed AS p
JOIN named AS n USING (key)
LEFT JOIN market AS d ON (d.gpu_model_id, d.billing) = (p.gpu_model_id, 'on_demand')
LEFT JOIN market AS s ON (s.gpu_model_id, s.billing) = (p.gpu_model_id, 'spot')
LEFT JOIN market AS h ON (h.gpu_model_id, h.billing) = (p.gpu_model_id, 'marketplace')
LEFT JOIN purchase_metric AS new ON (new.gpu_id, new.kind, new.last_known) = (p.gpu_id, 'purchase_new', true)
LEFT JOIN purchase_metric AS used ON (used.gpu_id, used.kind, used.last_known) = (p.gpu_id, 'purchase_used', true)
LEFT JOIN serving AS small ON (small.gpu_id, small.llm_model_id) = (p.gpu_id, 'llama-3.1-8b')
LEFT JOIN serving AS large ON (large.gpu_id, large.llm_model_id) = (p.gpu_id, 'llama-3.3-70b')
LEFT JOIN llm_tuning_cost AS t ON (t.gpu_id, t.llm_model_id, t.tune, t.price_stale) = (p.gpu_id, 'llama-3.1-8b', 'qlora', false)
LEFT JOIN single ON single.gpu_id = p.gpu_id
LEFT JOIN performance_index AS i ON (i.gpu_id, i.family, i.precision) = (p.gpu_id, 'all', 'fp16')
LEFT JOIN workload_cost AS w ON (w.gpu_id, w.workload) = (p.gpu_id, 'all')
LEFT JOIN owned AS b ON b.gpu_model_id = p.gpu_model_id
ORDER BY p.pair_rank, n.comparison_id, p.position
