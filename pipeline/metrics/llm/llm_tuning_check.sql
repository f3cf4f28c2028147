-- title: Prediction of fine-tuning against measured runs
-- description: One row per run of llm_tuning_run on 1, 2, 4 or 8 GPUs whose share of the peak is known: measured speed beside the predicted one.
-- description: The prediction has the arithmetic and range of llm_tuning_cost, with gradient checkpointing where the run used it. No prediction was
-- description: fitted to these runs.
-- group: llm
-- column: row_id | | Run in llm_tuning_run
-- column: llm_model_id | | Model
-- column: tune | | full, lora or qlora
-- column: gpu_id | | GPU
-- column: gpu_count | | GPUs working together
-- column: tokens_per_s_per_gpu | tokens/s | Measured speed of one GPU
-- column: predicted_tokens_per_s_per_gpu | tokens/s | Predicted tokens of one GPU
-- column: predicted_low | tokens/s | Low end of the range of that prediction
-- column: predicted_high | tokens/s | High end of the range of that prediction
-- column: measured_over_predicted | fraction | Measured over predicted speed
-- column: is_in_range | | Whether the measured speed is in the range
-- unique: row_id
-- check: predicted_low <= predicted_tokens_per_s_per_gpu AND predicted_tokens_per_s_per_gpu <= predicted_high
SELECT r.row_id, r.llm_model_id, r.tune, r.gpu_id, r.gpu_count, r.tokens_per_s_per_gpu,
    e.peak_tflops * 1e12 * e.efficiency * CASE WHEN r.gpu_count = 1 THEN 1 ELSE s.efficiency END
        / llm_tuning_flop(m.n_active_parameters, 1, r.tune, r.recomputes_activations) AS predicted_tokens_per_s_per_gpu,
    predicted_tokens_per_s_per_gpu * least(e.efficiency_low / e.efficiency, 1 / i.factor_90) AS predicted_low,
    predicted_tokens_per_s_per_gpu * greatest(e.efficiency_high / e.efficiency, i.factor_90) AS predicted_high,
    r.tokens_per_s_per_gpu / predicted_tokens_per_s_per_gpu AS measured_over_predicted,
    r.tokens_per_s_per_gpu BETWEEN predicted_low AND predicted_high AS is_in_range
FROM llm_tuning_run AS r
JOIN llm_model AS m USING (llm_model_id)
JOIN llm_training_efficiency AS e USING (gpu_id)
LEFT JOIN llm_speed_interval AS i ON m.n_experts IS NOT NULL AND (i.phase, i.run_class) = ('serving', 'experts')
LEFT JOIN gpu_interconnect AS l USING (gpu_id)
LEFT JOIN scaling_efficiency AS s
    ON s.interconnect = l.interconnect AND s.interconnect = 'nvlink' AND s.gpu_count = r.gpu_count AND s.family = 'transformer' AND s.precision = 'fp16'
WHERE predicted_tokens_per_s_per_gpu IS NOT NULL
ORDER BY r.row_id
