-- title: Cost of running language models
-- description: One row per model, quantization, engine and use on a machine or a number of GPUs, and way to pay. A machine (priced_by machine) has
-- description: the speed measured on it and the price of the same machine. GPUs (priced_by gpu) have the median speed over the machines measured
-- description: with as many of them, else the prediction of llm_speed. Their price is that of the cheapest current listing that needs no more GPUs
-- description: (`min_gpus`), else the one last seen. Whether its GPUs are in one machine is not checked. But an offer of a GPU that is alone in its
-- description: machine never counts for several. GPUs that are rented in larger numbers only, and owned machines, run several copies of the model
-- description: where its requests are several. So does llama.cpp on more GPUs than the model needs at 8,192 tokens of context, because it is no
-- description: faster on several. Copies do not communicate, so nothing is lost. A single user is served by one of them, at tokens_per_s /
-- description: replicas. Where a measurement leaves the variant open, that is the cheapest variant of the model. Owned GPUs (priced_by system) pay
-- description: for the machine of system_build over the years of table assumption, working all the time, and for its electricity. The whole time of
-- description: the machine is charged to output tokens, to input tokens, or to requests: the three figures are alternatives and do not add up.
-- group: llm
-- as-in: _llm_use_speed | llm_model_id, engine, gpu_model_id
-- column: cost_id | | Hash of the columns that identify the row
-- column: use | | Use, of llm_use; `other` = the fastest measured load of other lengths
-- column: prompt_tokens | token | Length of a prompt
-- column: output_tokens | token | Length of an output
-- column: concurrency | | Requests in progress, of all copies
-- column: quantization | | Stored type of the weights; empty = not stated
-- column: gpu_id | | GPU; empty where the measurement does not state the variant
-- column: gpu_count | | GPUs of all copies; empty = the measurement does not state how many of the machine's it used
-- column: replicas | | Copies of the model, each on gpu_count / replicas GPUs with its own requests
-- column: priced_by | | machine = the measured machine's own price, gpu = the cheapest seller of the GPUs, system = owned
-- column: provider | | Seller
-- column: instance_type | | The seller's machine
-- column: billing | | on_demand, spot or owned
-- column: usd_per_hour | USD/h | Price of all GPUs together with their machine
-- column: tokens_per_s | tokens/s | Output tokens of all GPUs together
-- column: tokens_per_s_low | tokens/s | Slowest of several measured machines; of one machine its speed over factor_90 of llm_repeat (in llama.cpp the larger of prefill and decode); of a prediction the low end of its 90% interval
-- column: tokens_per_s_high | tokens/s | Fastest of several machines; of one its speed times that factor; of a prediction the high end
-- column: usd_per_million_output_tokens | USD | Per million output tokens
-- column: usd_per_million_output_tokens_low | USD | At the highest speed
-- column: usd_per_million_output_tokens_high | USD | At the lowest speed
-- column: usd_per_million_input_tokens | USD | Per million prompt tokens
-- column: usd_per_request | USD | Per request of these lengths
-- column: basis | | Whether the speed is measured or predicted (llm_speed)
-- column: n_measurements | | Machines that were measured; 0 of a prediction
-- column: measurement_id | | Row of llm_measurement whose speed is the median, or the nearest below it; empty for a prediction
-- column: observation_id | | Price in `price`; empty for owned GPUs
-- column: price_date | | Last day on which the price was seen
-- column: price_stale | | Whether the price is stale at the build's as_of
-- column: variant_stated | | Whether the seller states the variant of the GPU; if not, the price counts for the weakest variant that it can be
-- column: seller_url | | Prices page of the seller, else its home page
-- column: break_even_million_output_tokens | | Of owned GPUs: million output tokens from which the machine has cost less than renting as many GPUs on demand; empty = never or no rental
-- column: break_even_days | day | Days of work that they take
-- unique: cost_id
-- check: usd_per_million_output_tokens_low <= usd_per_million_output_tokens AND usd_per_million_output_tokens <= usd_per_million_output_tokens_high
-- check: (priced_by = 'system') = (billing = 'owned')
-- check: priced_by IN ('machine', 'gpu', 'system')
-- check: usd_per_request > 0
-- check: replicas >= 1 AND coalesce(gpu_count % replicas = 0, true)
-- check: (basis = 'measured') = (n_measurements > 0) AND (basis = 'measured') = (measurement_id IS NOT NULL)
-- check: observation_id IS NOT NULL OR billing = 'owned'
WITH
spread AS (
    SELECT phase, size_class, CASE phase
            WHEN 'decode' THEN max(factor_90) FILTER (phase <> 'serving') OVER (PARTITION BY size_class)
            ELSE factor_90
        END AS factor
    FROM llm_repeat
),
-- fewest GPUs of one copy in llama.cpp
one_copy AS (
    SELECT c.llm_model_id, c.quantization, f.gpu_id, f.gpus_needed
    FROM llm_fit AS f
    JOIN llm_fit_case AS c USING (case_id)
    WHERE c.tune IS NULL
),
use_speed AS (
    SELECT s.*, r.factor,
        CASE WHEN engine = 'llama.cpp' THEN greatest(coalesce(gpu_count // gpus_needed, 1), 1) ELSE 1 END AS copies
    FROM _llm_use_speed AS s
    JOIN llm_model AS m USING (llm_model_id)
    LEFT JOIN llm_quantization AS q USING (quantization)
    JOIN spread AS r
        ON r.phase = s.phase
        AND r.size_class = CASE WHEN m.n_parameters * coalesce(q.bytes_per_weight, 2) < 3e9 THEN 'under_3_gb' ELSE 'from_3_gb' END
    LEFT JOIN one_copy AS o
        ON (o.llm_model_id, o.quantization, o.gpu_id) = (s.llm_model_id, replace(s.quantization, 'fp16', 'bf16'), s.gpu_id)
),
measured AS (
    SELECT llm_model_id, use, prompt_tokens, output_tokens, quantization, engine, gpu_id, gpu_model_id, gpu_count, copies, 'measured' AS basis,
        median(concurrency) AS concurrency, median(tokens_per_s) AS tokens_per_s,
        min(tokens_per_s) / CASE WHEN count(*) > 1 THEN 1 ELSE any_value(factor) END AS tokens_per_s_low,
        max(tokens_per_s) * CASE WHEN count(*) > 1 THEN 1 ELSE any_value(factor) END AS tokens_per_s_high,
        count(*) AS n_measurements,
        quantile_disc(measurement_id, 0.5 ORDER BY tokens_per_s, measurement_id) AS measurement_id
    FROM use_speed
    WHERE gpu_count IS NOT NULL
    GROUP BY ALL
),
predicted AS (
    SELECT llm_model_id, use, prompt_tokens, output_tokens, quantization, engine, gpu_id, gpu_count, concurrency, tokens_per_s,
        low AS tokens_per_s_low, high AS tokens_per_s_high, basis
    FROM llm_speed
    WHERE phase = 'serving'
    UNION ALL BY NAME
    SELECT * EXCLUDE (is_fewest, low, high), low AS tokens_per_s_low, high AS tokens_per_s_high FROM llm_request
),
by_gpu AS (
    SELECT *, md5(concat_ws(
        '|', llm_model_id, use, prompt_tokens, output_tokens, coalesce(quantization, ''), engine, gpu_id, gpu_model_id, gpu_count
    )) AS speed_id
    FROM (
        FROM measured
        UNION ALL BY NAME
        SELECT p.*, g.gpu_model_id, 0 AS n_measurements,
            CASE WHEN p.engine = 'llama.cpp' THEN greatest(coalesce(p.gpu_count // o.gpus_needed, 1), 1) ELSE 1 END AS copies
        FROM predicted AS p
        JOIN gpu AS g USING (gpu_id)
        LEFT JOIN one_copy AS o ON (o.llm_model_id, o.quantization, o.gpu_id) = (p.llm_model_id, p.quantization, p.gpu_id)
        ANTI JOIN measured AS m
            ON (m.llm_model_id, m.use, m.gpu_id, m.gpu_count) = (p.llm_model_id, p.use, p.gpu_id, p.gpu_count)
            AND replace(m.quantization, 'fp16', 'bf16') = p.quantization
        WHERE p.basis = 'predicted'
    )
),
machine_row AS (
    SELECT s.*, 'measured' AS basis, 1 AS n_measurements, 'machine' AS priced_by, r.* EXCLUDE (gpu_id, gpu_model_id, gpu_count, instance_type),
        tokens_per_s / factor AS tokens_per_s_low, tokens_per_s * factor AS tokens_per_s_high,
        CASE WHEN concurrency > 1 THEN greatest(coalesce(r.gpu_count // s.gpu_count, 1), 1) ELSE 1 END AS groups,
        r.usd_per_gpu_hour * r.gpu_count AS usd_per_hour
    FROM use_speed AS s
    JOIN _llm_rental AS r ON r.provider = s.provider_id AND r.machine = machine_key(s.instance_type)
    WHERE r.gpu_count IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY measurement_id, use, billing ORDER BY last_seen DESC NULLS FIRST, usd_per_hour, price_date DESC, observation_id) = 1
),
gpu_row AS (
    SELECT b.*, 'gpu' AS priced_by, r.* EXCLUDE (gpu_id, gpu_model_id, gpu_count), greatest(r.min_gpus // b.gpu_count, 1) AS groups,
        r.usd_per_gpu_hour * b.gpu_count * greatest(r.min_gpus // b.gpu_count, 1) AS usd_per_hour
    FROM by_gpu AS b
    JOIN _llm_rental AS r
        ON r.gpu_model_id = b.gpu_model_id AND (r.gpu_id = b.gpu_id OR b.gpu_id IS NULL)
        AND (b.gpu_count % r.min_gpus = 0 OR b.concurrency > 1 AND r.min_gpus % b.gpu_count = 0)
        AND (b.gpu_count = 1 OR NOT r.is_alone)
    QUALIFY row_number() OVER (
        PARTITION BY speed_id, billing ORDER BY last_seen DESC NULLS FIRST, groups, r.usd_per_gpu_hour, price_date DESC, observation_id
    ) = 1
),
owned_row AS (
    SELECT b.*, 'system' AS priced_by, 'owned' AS billing, s.gpu_price_date AS price_date, s.gpu_count // b.gpu_count AS groups,
        s.machine_watts / 1000 * kwh.value AS electricity_usd_per_hour, s.system_usd,
        s.system_usd / (years.value * 365 * 24) + electricity_usd_per_hour AS usd_per_hour, rental.usd_per_gpu_hour * s.gpu_count AS rental_usd_per_hour
    FROM by_gpu AS b
    JOIN system_build AS s
        ON s.gpu_id = b.gpu_id AND (s.gpu_count = b.gpu_count OR b.concurrency > 1 AND s.gpu_count % b.gpu_count = 0)
    JOIN assumption AS kwh ON kwh.assumption_id = 'usd_per_kwh'
    JOIN assumption AS years ON years.assumption_id = 'years_owned'
    LEFT JOIN gpu_row AS rental
        ON rental.billing = 'on_demand' AND rental.speed_id = b.speed_id
    WHERE s.system_usd IS NOT NULL
),
every_row AS (
    SELECT * REPLACE (
        gpu_count * groups AS gpu_count, concurrency * copies * groups AS concurrency, tokens_per_s * copies * groups AS tokens_per_s,
        tokens_per_s_low * copies * groups AS tokens_per_s_low, tokens_per_s_high * copies * groups AS tokens_per_s_high
    ), copies * groups AS replicas
    FROM (FROM machine_row UNION ALL BY NAME FROM gpu_row UNION ALL BY NAME FROM owned_row)
)
SELECT
    md5(concat_ws('|', llm_model_id, use, prompt_tokens, output_tokens, coalesce(quantization, ''), engine, gpu_id, gpu_model_id, gpu_count,
        replicas, priced_by, billing, measurement_id)) AS cost_id,
    llm_model_id, use, prompt_tokens, output_tokens, concurrency, quantization, engine, gpu_id, gpu_model_id, gpu_count, replicas, priced_by, e.provider,
    instance_type, billing, usd_per_hour, tokens_per_s, tokens_per_s_low, tokens_per_s_high,
    llm_usd_per_million(usd_per_hour, tokens_per_s) AS usd_per_million_output_tokens,
    llm_usd_per_million(usd_per_hour, tokens_per_s_high) AS usd_per_million_output_tokens_low,
    llm_usd_per_million(usd_per_hour, tokens_per_s_low) AS usd_per_million_output_tokens_high,
    llm_usd_per_million(usd_per_hour, tokens_per_s * prompt_tokens / output_tokens) AS usd_per_million_input_tokens,
    usd_per_hour / 3600 * output_tokens / tokens_per_s AS usd_per_request,
    basis, n_measurements, measurement_id, observation_id, price_date, stale AS price_stale, variant_stated,
    coalesce(p.pricing_url, p.homepage_url) AS seller_url,
    CASE
        WHEN rental_usd_per_hour > electricity_usd_per_hour
            THEN system_usd / (rental_usd_per_hour - electricity_usd_per_hour) * 3600 * tokens_per_s / 1e6
    END AS break_even_million_output_tokens,
    break_even_million_output_tokens * 1e6 / tokens_per_s / 86400 AS break_even_days
FROM every_row AS e
LEFT JOIN provider AS p ON p.provider_id = e.provider
ORDER BY llm_model_id, use, priced_by, billing, usd_per_million_output_tokens, cost_id
