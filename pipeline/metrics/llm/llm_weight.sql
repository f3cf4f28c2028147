-- title: Measured sizes of weights
-- description: One row per model and quantization whose size a program printed when it loaded them. llm_fit takes this size in place of the formula's.
-- group: llm
-- column: llm_model_id | | Model
-- column: quantization | | Stored type of the weights
-- column: weight_bytes | byte | Size of the weights, median of the runs
-- column: n_runs | | Runs that print it
-- column: measurement_id | | One of them, in llm_measurement
-- unique: llm_model_id, quantization
-- check: weight_bytes > 0
SELECT llm_model_id, quantization, median(weight_bytes) AS weight_bytes, count(*) AS n_runs, min(measurement_id) AS measurement_id
FROM llm_measurement
WHERE weight_bytes IS NOT NULL AND quantization IS NOT NULL AND coalesce(tensor_parallel, 1) = 1
GROUP BY llm_model_id, quantization
