-- title: Stored types of each language model
-- description: One row per model and type in which its weights are offered: by forms, commands and tables. Files with fewer bits are made from
-- description: weights of 16 or 8 bits. A model published as MXFP4 or INT4 has no wider weights: those would only repeat its 4-bit numbers. One
-- description: published as NVFP4 counts as one of 16 bits. Of MXFP4, llama.cpp has one file with the same numbers. K-quants of such a model keep
-- description: its MXFP4 experts, so sizes by the name of a K-quant are not theirs (llama.cpp docs, ggml-org/gpt-oss-20b-GGUF and
-- description: unsloth/gpt-oss-20b-GGUF). INT4 has the files of llama.cpp. Further editions count where their configuration is known.
-- group: llm
-- column: llm_model_id | | Model
-- column: quantization | | Stored type of the weights, in llm_quantization
-- unique: llm_model_id, quantization
WITH edition AS (
    SELECT llm_model_id, native_quantization AS quantization FROM llm_model
    UNION
    SELECT a.llm_model_id, c.native_quantization FROM llm_model_alias AS a JOIN _llm_config AS c ON c.config_name = a.alias
)
SELECT m.llm_model_id, q.quantization
FROM llm_model AS m
CROSS JOIN llm_quantization AS q
WHERE (m.llm_model_id, q.quantization) IN (SELECT (llm_model_id, quantization) FROM edition)
    OR CASE
        WHEN q.quantization = 'mxfp4_moe' THEN m.native_quantization = 'mxfp4'
        WHEN q.quantization IN ('mxfp4', 'int4') OR m.native_quantization = 'mxfp4' THEN false
        WHEN m.native_quantization = 'int4' THEN q.family = 'gguf'
        ELSE true
    END
ORDER BY m.llm_model_id, q.quantization
