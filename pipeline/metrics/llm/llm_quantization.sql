-- title: Bytes per weight of quantizations
-- description: One row per type in which the weights of a language model are stored, with bytes per weight of the layers, of the input embedding
-- description: and of the output matrix. A GGUF type named K_S, K_M or K_L mixes block types. Its layers are what remains of the published bits per
-- description: weight of the whole file after embedding and output matrix (Llama-3.1-8B; Llama-2-7B for q3_k_m). GGUF stores rows in blocks of 256
-- description: weights where the type is a K or IQ4_XS type. A model whose hidden size is no multiple of that gets the wider types of the last two
-- description: columns. Other formats leave embedding and output matrix at 16 bits.
-- group: llm
-- column: quantization | | Name, as in llm_measurement
-- column: title | | Name as its tools write it
-- column: family | | Program family that reads it: gguf (llama.cpp) or safetensors (vLLM, transformers)
-- column: bytes_per_weight | byte | Per weight of the layers, with scales
-- column: bytes_per_embedding_weight | byte | Per weight of the input embedding, where it is not also the output matrix
-- column: bytes_per_output_weight | byte | Per weight of the output matrix
-- column: row_multiple | | Weights per block: rows are a multiple of it
-- column: narrow_bytes_per_weight | byte | Per weight of the layers where the hidden size is no multiple
-- column: narrow_bytes_per_output_weight | byte | Per weight of both matrices there
-- column: is_choice | | Whether forms and commands offer it for the models that have it (llm_model_type)
-- column: basis | | Arithmetic and source of the figures
-- unique: quantization
-- check: family IN ('gguf', 'safetensors')
-- check: least(bytes_per_weight, bytes_per_embedding_weight) >= 0.25 AND greatest(bytes_per_weight, bytes_per_output_weight) <= 4
-- check: narrow_bytes_per_weight >= bytes_per_weight
WITH
-- bytes of one block over its weights, ggml-common.h of llama.cpp: block_q2_K 84 B, q3_K 110, q4_K 144, q5_K 176, q6_K 210, iq4_xs 136 (256 weights
-- each), block_q4_0 18, q4_1 20, q5_0 22, q5_1 24, q8_0 34, iq4_nl 18, mxfp4 17 (32 weights each)
block (block, bytes, narrow) AS (
    VALUES ('q2_K', 84 / 256, 18 / 32), ('q3_K', 110 / 256, 18 / 32), ('q4_K', 144 / 256, 22 / 32), ('q5_K', 176 / 256, 24 / 32),
        ('q6_K', 210 / 256, 34 / 32), ('iq4_xs', 136 / 256, 18 / 32)
),
mixed (quantization, title, block, bits, model, n_parameters, table_weights) AS (
    VALUES
        ('q2_k', 'Q2_K', 'q2_K', 3.1593, 'Llama-3.1-8B', 8.0303e9, 128256 * 4096),
        ('q3_k_s', 'Q3_K_S', 'q3_K', 3.6429, 'Llama-3.1-8B', 8.0303e9, 128256 * 4096),
        ('q3_k_m', 'Q3_K_M', 'q3_K', 3.91, 'Llama-2-7B', 6.7384e9, 32000 * 4096),
        ('q3_k_l', 'Q3_K_L', 'q3_K', 4.2979, 'Llama-3.1-8B', 8.0303e9, 128256 * 4096),
        ('iq4_xs', 'IQ4_XS', 'iq4_xs', 4.4597, 'Llama-3.1-8B', 8.0303e9, 128256 * 4096),
        ('q4_k_s', 'Q4_K_S', 'q4_K', 4.6672, 'Llama-3.1-8B', 8.0303e9, 128256 * 4096),
        ('q4_k_m', 'Q4_K_M', 'q4_K', 4.8944, 'Llama-3.1-8B', 8.0303e9, 128256 * 4096),
        ('q5_k_s', 'Q5_K_S', 'q5_K', 5.5704, 'Llama-3.1-8B', 8.0303e9, 128256 * 4096),
        ('q5_k_m', 'Q5_K_M', 'q5_K', 5.7036, 'Llama-3.1-8B', 8.0303e9, 128256 * 4096),
        ('q6_k', 'Q6_K', 'q6_K', 6.5633, 'Llama-3.1-8B', 8.0303e9, 128256 * 4096)
),
gguf AS (
    SELECT
        quantization, title,
        (bits / 8 * n_parameters - table_weights * (bytes + 210 / 256)) / (n_parameters - 2 * table_weights) AS layers,
        bytes, greatest(narrow, layers) AS narrow,
        format('{:.4f} bits per weight of {} in llama.cpp tools/quantize/README.md, less embedding at {} and output matrix at q6_K',
            bits, model, block) AS basis
    FROM mixed
    JOIN block USING (block)
),
plain (quantization, title, family, bytes, embedding, output, is_choice, basis) AS (
    VALUES
        ('q4_0', 'Q4_0', 'gguf', 18 / 32, 18 / 32, 210 / 256, false, 'llama.cpp ggml-common.h: 18 bytes for 32 weights; output matrix q6_K'),
        ('q4_1', 'Q4_1', 'gguf', 20 / 32, 20 / 32, 210 / 256, false, 'llama.cpp ggml-common.h: 20 bytes for 32 weights; output matrix q6_K'),
        ('q5_0', 'Q5_0', 'gguf', 22 / 32, 22 / 32, 210 / 256, false, 'llama.cpp ggml-common.h: 22 bytes for 32 weights; output matrix q6_K'),
        ('q5_1', 'Q5_1', 'gguf', 24 / 32, 24 / 32, 210 / 256, false, 'llama.cpp ggml-common.h: 24 bytes for 32 weights; output matrix q6_K'),
        ('iq4_nl', 'IQ4_NL', 'gguf', 18 / 32, 18 / 32, 210 / 256, false, 'llama.cpp ggml-common.h: 18 bytes for 32 weights; output matrix q6_K'),
        ('q8_0', 'Q8_0', 'gguf', 34 / 32, 34 / 32, 34 / 32, true, 'llama.cpp ggml-common.h: 34 bytes for 32 weights'),
        -- experts are block_mxfp4, 17 bytes for 32 weights; attention, embedding and output matrix are q8_0
        ('mxfp4_moe', 'MXFP4 MoE', 'gguf', (59.02 * 2 ** 30 - 2 * 201088 * 2880 * (34 / 32)) / (116.83e9 - 2 * 201088 * 2880), 34 / 32, 34 / 32, true,
            '59.02 GiB of 116.83e9 weights of gpt-oss-120b in llama.cpp benches/dgx-spark.md, less embedding and output matrix at q8_0; experts are mxfp4'),
        ('fp32', 'FP32', 'safetensors', 4, 4, 4, false, '32 bits'),
        ('bf16', 'BF16', 'safetensors', 2, 2, 2, true, '16 bits'),
        ('fp16', 'FP16', 'safetensors', 2, 2, 2, false, '16 bits'),
        ('fp8', 'FP8', 'safetensors', 1, 2, 2, true, '8 bits in linear layers, lm_head excepted: vLLM documentation, FP8 W8A8'),
        ('int8', 'INT8', 'safetensors', 1, 2, 2, false, '8 bits in linear layers, lm_head excepted: vLLM documentation, INT8 W8A8'),
        ('fp4', 'NVFP4', 'safetensors', 0.5 + 1 / 16, 2, 2, true, '4 bits and one FP8 scale per 16 weights: NVIDIA, Introducing NVFP4, 2025'),
        ('mxfp4', 'MXFP4', 'safetensors', 0.5 + 1 / 32, 2, 2, true, '4 bits and one 8-bit scale per 32 weights: OCP Microscaling Formats 1.0'),
        ('int4', 'INT4', 'safetensors', 0.5 + 2 / 32, 2, 2, true, '4 bits and a 16-bit scale per group of 32: the INT4 edition of Kimi-K2'),
        ('gptq_4bit', 'GPTQ 4-bit', 'safetensors', 0.5 + 2.5 / 128, 2, 2, true,
            '4 bits, and per group of 128 a 16-bit scale and a 4-bit zero: GPTQ, arXiv 2210.17323, and its usual group size'),
        ('awq_4bit', 'AWQ 4-bit', 'safetensors', 0.5 + 2.5 / 128, 2, 2, true,
            '4 bits, and per group of 128 a 16-bit scale and a 4-bit zero: AWQ, arXiv 2306.00978'),
        ('bnb_8bit', 'bitsandbytes 8-bit', 'safetensors', 1, 2, 2, false, '8 bits in linear layers: LLM.int8(), arXiv 2208.07339'),
        ('bnb_4bit', 'bitsandbytes 4-bit', 'safetensors', 0.5 + 4 / 64, 2, 2, true,
            '4 bits and a 32-bit scale per 64 weights: QLoRA, arXiv 2305.14314, section 3, without double quantization'),
        ('nf4', 'NF4, double quantization', 'safetensors', 0.5 + 1 / 64 + 4 / (64 * 256), 2, 2, false,
            '4 bits, an 8-bit scale per 64 weights, a 32-bit one per 256 of these: QLoRA, arXiv 2305.14314, section 3')
)
SELECT
    quantization, title, 'gguf' AS family, layers::DOUBLE AS bytes_per_weight, bytes::DOUBLE AS bytes_per_embedding_weight,
    (210 / 256)::DOUBLE AS bytes_per_output_weight, 256 AS row_multiple, narrow::DOUBLE AS narrow_bytes_per_weight,
    (34 / 32)::DOUBLE AS narrow_bytes_per_output_weight, quantization IN ('q3_k_m', 'q4_k_m', 'q5_k_m', 'q6_k') AS is_choice, basis
FROM gguf
UNION ALL
SELECT
    quantization, title, family, bytes::DOUBLE, embedding::DOUBLE, output::DOUBLE, CASE family WHEN 'gguf' THEN 256 ELSE 1 END, bytes::DOUBLE,
    CASE family WHEN 'gguf' THEN 34 / 32 ELSE output END::DOUBLE, is_choice, basis
FROM plain
