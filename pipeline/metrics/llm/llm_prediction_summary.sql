-- title: Predicted and measured speed by GPU and model
-- description: One row per phase, class, GPU and language model of llm_prediction: the medians of measured and predicted speed over all lengths and loads.
-- group: llm
-- column: phase | | Phase
-- column: run_class | | Class of the runs
-- column: gpu_id | | GPU
-- column: llm_model_id | | Model
-- column: n | | Configurations
-- column: measured_tokens_per_s | tokens/s | Median measured speed
-- column: predicted_tokens_per_s | tokens/s | Median predicted speed, without runs of this GPU
-- column: predicted_ratio | ratio | Median of predicted over measured speed
-- column: median_abs_pct | % | Distance of predicted from measured speed: the median over all rows of this table, the same in each
-- unique: phase, run_class, gpu_id, llm_model_id
-- check: measured_tokens_per_s > 0 AND predicted_tokens_per_s > 0
SELECT phase, run_class, gpu_id, llm_model_id, count(*) AS n, median(measured_tokens_per_s) AS measured_tokens_per_s,
    median(predicted_tokens_per_s) AS predicted_tokens_per_s, median(predicted_tokens_per_s / measured_tokens_per_s) AS predicted_ratio,
    median(abs(median(predicted_tokens_per_s) / median(measured_tokens_per_s) - 1)) OVER () * 100 AS median_abs_pct
FROM llm_prediction
GROUP BY ALL
ORDER BY ALL
