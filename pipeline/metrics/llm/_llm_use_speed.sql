-- title: Measured speed of each use of a language model
-- description: One row per machine, model, quantization, engine and use of llm_use. It has the measured load of the same lengths whose concurrency
-- description: is nearest to that of the use, within a factor of 1.42. Prompt and output are measured apart in llama.cpp. Its request takes both
-- description: times, the prompt at the rate of 512 tokens, the output at that of 128. Use `other` has the fastest load of other lengths.
-- group: llm
-- as-in: llm_use | use, prompt_tokens, output_tokens, concurrency
-- column: measurement_id | | Row of llm_measurement; of llama.cpp the output's
-- column: phase | | serving, or decode for a request of llama.cpp
-- column: llm_model_id | | Model
-- column: quantization | | Stored type of the weights
-- column: engine | | Inference engine
-- column: gpu_id | | GPU
-- column: gpu_model_id | | GPU model
-- column: gpu_count | | GPUs of the run
-- column: provider_id | | Provider of the machine
-- column: instance_type | | Machine
-- column: tokens_per_s | tokens/s | Output tokens of the whole machine
-- unique: measurement_id, use
-- check: tokens_per_s > 0
WITH serving AS (
    SELECT * FROM llm_measurement WHERE in_aggregates AND phase = 'serving' AND prompt_tokens > 0 AND output_tokens > 0
),
stated AS (
    SELECT u.use, s.*, abs(ln(s.concurrency / u.concurrency)) AS distance
    FROM serving AS s
    JOIN llm_use AS u ON (u.prompt_tokens, u.output_tokens) = (s.prompt_tokens, s.output_tokens)
    WHERE distance <= ln(1.42)
),
other AS (
    SELECT 'other' AS use, s.*, -s.tokens_per_s AS distance
    FROM serving AS s
    ANTI JOIN llm_use AS u ON (u.prompt_tokens, u.output_tokens) = (s.prompt_tokens, s.output_tokens)
),
-- one request at a time in llama.cpp
local_run AS (
    SELECT u.use, d.* REPLACE (
        u.prompt_tokens AS prompt_tokens, u.output_tokens AS output_tokens,
        llm_request_speed(u.prompt_tokens, p.tokens_per_s, u.output_tokens, d.tokens_per_s) AS tokens_per_s
    ), 0 AS distance
    FROM llm_measurement AS d
    JOIN llm_measurement AS p
        ON (p.source_id, p.provider_id, p.instance_type, p.llm_model_id, p.quantization, p.gpu_count)
        = (d.source_id, d.provider_id, d.instance_type, d.llm_model_id, d.quantization, d.gpu_count)
    JOIN llm_use AS u ON u.concurrency = 1
    WHERE
        d.in_aggregates AND d.phase = 'decode' AND d.output_tokens = 128
        AND p.in_aggregates AND p.phase = 'prefill' AND p.prompt_tokens = 512
)
SELECT measurement_id, phase, use, llm_model_id, quantization, engine, gpu_id, gpu_model_id, gpu_count, provider_id, instance_type, prompt_tokens,
    output_tokens, concurrency, tokens_per_s
FROM (FROM stated UNION ALL BY NAME FROM other UNION ALL BY NAME FROM local_run)
QUALIFY row_number() OVER (
    PARTITION BY use, source_id, provider_id, instance_type, llm_model_id, quantization, engine, gpu_raw, gpu_count,
        CASE WHEN use = 'other' THEN prompt_tokens END, CASE WHEN use = 'other' THEN output_tokens END
    ORDER BY distance, tokens_per_s DESC, measurement_id
) = 1
