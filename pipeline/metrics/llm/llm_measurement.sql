-- title: Measured inference of language models
-- description: One row per configuration that a source measured. Model, quantization, engine, GPUs, parallelism, phase, lengths and concurrency are part of
-- description: the configuration: rates of different ones are not comparable. Rows with a flag are excluded from aggregates. Runs of uploaded
-- description: benchmark outputs are in `measurement` and not repeated here.
-- group: llm
-- as-in: _llm_run | measurement_id, gpu_model_id, machine_gpu_count, instance_type, kv_dtype, engine, engine_version, batch_size
-- as-in: _llm_run | is_disaggregated, n_samples, measured_on, locator, cited_from
-- column: llm_model_id | | Model that the name means
-- column: model_raw | | Model or its file, as the source writes it
-- column: gpu_id | | GPU that the name means; empty where it leaves the variant open
-- column: gpu_candidates | | GPUs that the name can mean where it states no variant, comma-separated
-- column: gpu_raw | | GPU, as the source writes it
-- column: is_gpu_share | | Whether the run had a share of a GPU (a virtual GPU), which is never counted as the GPU
-- column: gpu_count | | GPUs that the run used; empty = not stated
-- column: provider_id | | Provider of the machine, as in `price`
-- column: quantization | | Stored type of the weights; empty = not stated
-- column: weight_bytes | byte | Measured size of the weights
-- column: kv_bytes_per_token | byte | Measured KV cache of one token on all GPUs
-- column: phase | | prefill (a prompt is processed), decode (tokens are generated) or serving (both, for several requests)
-- column: load_pattern | | Arrival of requests: synchronous (one after another), constant (fixed rate), throughput (as many as allowed), concurrent (fixed number in progress), offline (one batch)
-- column: prompt_tokens | token | Length of a prompt; 0 = generation from an empty context
-- column: output_tokens | token | Length of an output; 0 = the prompt alone
-- column: concurrency | | Requests in progress, mean
-- column: prompt_batch_tokens | token | Prompt tokens that llama.cpp processes together
-- column: tensor_parallel | | GPUs that share each layer; the parallelism is empty where the source does not state it
-- column: pipeline_parallel | | Groups of GPUs with different layers
-- column: data_parallel | | Copies of the model, of its attention for a mixture of experts
-- column: expert_parallel | | Groups of GPUs with different experts
-- column: tokens_per_s | tokens/s | Prompt tokens (prefill) or output tokens (decode, serving) of all GPUs together
-- column: throughput_basis | | measured, or latency = computed from mean latencies by Little's law: concurrency x output tokens / (TTFT + (output tokens - 1) x TPOT)
-- column: total_tokens_per_s | tokens/s | Prompt and output tokens together
-- column: requests_per_s | 1/s | Completed requests
-- column: n_requests | | Requests that the run completed, computed from their rate and its duration
-- column: ttft_ms | ms | Mean time to first token
-- column: tpot_ms | ms | Mean time per output token after the first
-- column: statistic | | mean over repetitions or requests, or a single run
-- column: stddev_tokens_per_s | tokens/s | Standard deviation over the repetitions
-- column: power_w | W | Mean power of a device; the source does not state whether that is a GPU or a node
-- column: duplicate_of | | First row with the same run, if this one repeats it
-- column: peak_tokens_per_s | tokens/s | Most that the GPUs' bandwidth and arithmetic allow at this concurrency; empty = unknown
-- column: flags | | Reasons for exclusion, comma-separated: partial_offload = layers ran on the processor, few_requests = under 10 requests, short_run = fewer than two requests after one another, so that most of the run is its start and end, queued = requests wait longer for their first token than for all others, so that fewer than half of the concurrency are in progress, duplicate = repeats another row, gpu_share = a share of a GPU, device_unresolved = no GPU of this dataset, exceeds_peak = more than the GPUs allow, exceeds_memory = the weights alone are larger than the memory of the GPUs, so their number is wrong, faster_than_shorter = it took less than half as long as the same run with half as many tokens, whose work is a part of its own, copies_unknown = its requests are not the batch times the stated copies (of a mixture of experts: nor times its GPUs), so the copies of the model and their GPUs are unknown, unlike_repeats = at least three runs of its configuration have no other flag, and its rate differs more than twofold from their median
-- column: in_aggregates | | Whether the row has no flag and a throughput
-- column: source_id | | Source of the row
-- column: snapshot_id | | Stored file that contains it
-- unique: measurement_id
-- check: llm_model_id IS NOT NULL
-- check: NOT in_aggregates OR NOT is_gpu_share
-- check: in_aggregates = (flags IS NULL AND tokens_per_s IS NOT NULL)
WITH rate AS (
    -- the fastest arithmetic of any type, for the bound on tokens/s; unknown where a GPU with matrix units has no rate of theirs
    SELECT gpu_id, gpu_model_id, coalesce(driver_memory_gb, memory_gb) AS memory_gb, memory_bandwidth_gb_per_s, l2_cache_mb, CASE
        WHEN try_cast(compute_capability AS DOUBLE) < 7 THEN greatest(fp32_tflops, fp16_tflops)
        ELSE greatest(
            fp16_tensor_tflops, bf16_tensor_tflops, fp16_tensor_fp16_accumulate_tflops, fp8_tensor_tflops, int8_tensor_tops,
            fp4_tensor_tflops
        )
    END AS tflops
    FROM gpu
),
-- a name without a variant gets the bound of the fastest one
fastest AS (
    SELECT gpu_model_id, max(memory_gb) AS memory_gb, max(memory_bandwidth_gb_per_s) AS memory_bandwidth_gb_per_s, max(l2_cache_mb) AS l2_cache_mb, max(tflops) AS tflops
    FROM rate
    GROUP BY gpu_model_id
),
named AS (
    SELECT r.*, a.llm_model_id,
        coalesce(one.memory_bandwidth_gb_per_s, fastest.memory_bandwidth_gb_per_s) AS bandwidth,
        coalesce(one.memory_gb, fastest.memory_gb) AS memory_gb,
        coalesce(one.tflops, fastest.tflops) AS tflops,
        coalesce(one.l2_cache_mb, fastest.l2_cache_mb) AS l2_cache_mb,
        m.n_parameters, m.n_experts,
        llm_layer_parameters(m.n_active_parameters, m.vocabulary_size, m.hidden_size, m.tied_embeddings) AS layer_parameters,
        first_value(r.measurement_id) OVER (
            PARTITION BY r.source_id, r.run_key
            ORDER BY r.is_repeat, coalesce(r.tensor_parallel, r.pipeline_parallel) IS NULL, split_part(r.locator, ' ', 2)::BIGINT
        ) AS first_of_run
    FROM _llm_run AS r
    LEFT JOIN llm_model_alias AS a ON a.alias_source_id = r.source_id AND a.alias = r.model_raw
    LEFT JOIN llm_model AS m USING (llm_model_id)
    LEFT JOIN rate AS one USING (gpu_id)
    LEFT JOIN fastest ON fastest.gpu_model_id = r.gpu_model_id
),
sized AS (
    -- a step reads the weights of the layers, less what the second-level caches hold
    SELECT *,
        coalesce(
            weight_bytes / n_parameters,
            CASE
                WHEN quantization IN ('fp16', 'bf16') THEN 2
                WHEN quantization IN ('fp8', 'int8') THEN 1
                WHEN quantization IN ('fp4', 'int4', 'bnb_4bit', 'q4_k_m') THEN 0.5
            END
        ) AS bytes_per_weight,
        bytes_per_weight * layer_parameters - coalesce(l2_cache_mb, 0) * 2 ** 20 * gpu_count AS bytes_per_step,
        -- GPUs with different layers read one after another for a single sequence
        gpu_count / CASE WHEN concurrency <= 1 THEN coalesce(pipeline_parallel, 1) ELSE 1 END * bandwidth * 1e9 AS bytes_per_s,
        greatest(concurrency, 1) * output_tokens / tokens_per_s AS seconds,
        row(
            source_id, model_raw, raw_gpu_name, gpu_count, machine_gpu_count, provider_id, instance_type, quantization, kv_dtype, engine,
            engine_version, phase, load_pattern, concurrency, batch_size, prompt_batch_tokens, tensor_parallel, pipeline_parallel,
            data_parallel, expert_parallel, is_disaggregated, mark
        ) AS configuration
    FROM named
),
bounded AS (
    SELECT *,
        -- two operations per parameter and token, of the prompt too: as the source counts it, or by its length
        gpu_count * tflops * 1e12 / (2 * layer_parameters)
        * CASE WHEN phase = 'serving' THEN coalesce(tokens_per_s / total_tokens_per_s, output_tokens / (prompt_tokens + output_tokens), 1) ELSE 1 END
            AS tokens_by_arithmetic,
        -- a step gives one token of each sequence
        CASE WHEN phase <> 'prefill' AND bytes_per_step > 0 THEN greatest(concurrency, 1) * bytes_per_s / bytes_per_step END
            AS tokens_by_bandwidth,
        is_vgpu OR coalesce(partition, 'whole') <> 'whole' AS is_gpu_share,
        run_key IS NOT NULL AND first_of_run <> measurement_id AS is_duplicate,
        -- the same run with half of the prompt and half of the output
        min(seconds) OVER (
            PARTITION BY configuration, prompt_tokens / output_tokens
            ORDER BY output_tokens::DOUBLE RANGE BETWEEN output_tokens / 2 PRECEDING AND output_tokens / 2 PRECEDING
        ) AS seconds_of_half
    FROM sized
),
compared AS (
    SELECT *, least(tokens_by_arithmetic, tokens_by_bandwidth) AS peak_tokens_per_s FROM bounded
),
flagged AS (
    SELECT *, nullif(concat_ws(
        ',',
        mark,
        CASE WHEN is_duplicate THEN 'duplicate' END,
        CASE WHEN n_requests < 2 * concurrency THEN 'short_run' END,
        CASE WHEN ttft_ms > (output_tokens - 1) * tpot_ms THEN 'queued' END,
        CASE WHEN is_gpu_share THEN 'gpu_share' END,
        CASE WHEN gpu_id IS NULL AND gpu_model_id IS NULL THEN 'device_unresolved' END,
        -- boost clocks and memory chips run up to 5% above the datasheet's
        CASE
            WHEN NOT is_gpu_share AND mark IS DISTINCT FROM 'partial_offload' AND bytes_per_weight * n_parameters > 1e9 * memory_gb * gpu_count
            THEN 'exceeds_memory'
        END,
        CASE WHEN NOT is_gpu_share AND tokens_per_s > 1.05 * peak_tokens_per_s THEN 'exceeds_peak' END,
        CASE WHEN seconds < seconds_of_half / 2 THEN 'faster_than_shorter' END,
        -- of a mixture of experts, GPUs that share the experts can have a batch of their own each
        CASE
            WHEN NOT is_disaggregated AND concurrency <> batch_size * coalesce(data_parallel, 1)
                AND (n_experts IS NULL OR concurrency <> batch_size * tensor_parallel)
            THEN 'copies_unknown'
        END
    ), '') AS flags
    FROM compared
),
-- of three runs or more of one configuration, one that is far from their median is wrong rather than the others
repeated AS (
    SELECT * REPLACE (CASE
        WHEN flags IS NOT NULL OR count(tokens_per_s) OVER repeats < 3 THEN flags
        WHEN tokens_per_s NOT BETWEEN median(tokens_per_s) OVER repeats / 2 AND 2 * median(tokens_per_s) OVER repeats THEN 'unlike_repeats'
    END AS flags)
    FROM flagged
    WINDOW repeats AS (PARTITION BY configuration, prompt_tokens, output_tokens, flags)
)
SELECT measurement_id, llm_model_id, model_raw, gpu_id, gpu_model_id, candidates AS gpu_candidates, raw_gpu_name AS gpu_raw, is_gpu_share,
    gpu_count, machine_gpu_count, provider_id, instance_type, quantization, kv_dtype, weight_bytes, kv_bytes_per_token, engine,
    engine_version, phase, load_pattern, prompt_tokens, output_tokens, concurrency, batch_size, prompt_batch_tokens, tensor_parallel,
    pipeline_parallel, data_parallel, expert_parallel, is_disaggregated, tokens_per_s, throughput_basis, total_tokens_per_s,
    requests_per_s, n_requests, ttft_ms, tpot_ms, statistic, n_samples, stddev_tokens_per_s, power_w, measured_on,
    CASE WHEN is_duplicate THEN first_of_run END AS duplicate_of,
    peak_tokens_per_s, flags, flags IS NULL AND tokens_per_s IS NOT NULL AS in_aggregates,
    source_id, snapshot_id, locator, cited_from
FROM repeated
ORDER BY source_id, split_part(locator, ' ', 2)::BIGINT
