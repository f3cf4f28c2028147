-- title: Whether a program runs on a GPU
-- description: vLLM needs compute capability 7.5, and 8.0 for BF16 (docs.vllm.ai, getting_started/installation/gpu); FP8 runs from 7.5 on
-- description: (features/quantization/llm_compressor/fp8). Of AMD it names CDNA 2 to 4, RDNA 3 and RDNA 4. CDNA is older and not supported; other
-- description: architectures are not known. FP8 needs CDNA 3, CDNA 4 or RDNA 4 (supports_fp8 in its platforms/rocm.py). MXFP4 runs on the same
-- description: (github.com/vllm-project/recipes/blob/main/OpenAI/GPT-OSS.md). The backends of llama.cpp are for GPUs of NVIDIA, AMD, Intel and
-- description: Moore Threads (its README). Of other accelerators, only some of Huawei have one. Empty where it is not known.
-- parameter: engine | | Program, in llm_engine
-- parameter: vendor | | Maker of the GPU
-- parameter: architecture | | Architecture of the GPU
-- parameter: segment | | Market of the GPU
-- parameter: compute_capability | | Compute capability of an NVIDIA GPU
-- parameter: quantization | | Stored type of the weights
-- returns: | Whether the program runs on the GPU with these weights
CASE
    WHEN engine = 'vLLM' AND TRY_CAST(compute_capability AS DOUBLE) >= 8 THEN true
    WHEN engine = 'vLLM' AND TRY_CAST(compute_capability AS DOUBLE) < CASE quantization WHEN 'bf16' THEN 8 ELSE 7.5 END THEN false
    WHEN engine = 'vLLM' AND TRY_CAST(compute_capability AS DOUBLE) < 8 AND quantization = 'fp8' THEN true
    WHEN engine = 'vLLM' AND vendor = 'AMD' AND architecture = 'CDNA' THEN false
    WHEN engine = 'vLLM' AND vendor = 'AMD' AND architecture IN ('CDNA 2', 'RDNA 3') AND quantization = 'fp8' THEN false
    WHEN engine = 'vLLM' AND vendor = 'AMD' AND architecture IN ('CDNA 3', 'CDNA 4', 'RDNA 4') AND quantization IN ('fp8', 'mxfp4') THEN true
    WHEN engine = 'vLLM' AND vendor = 'AMD' AND architecture IN ('CDNA 2', 'CDNA 3', 'CDNA 4', 'RDNA 3', 'RDNA 4') AND quantization IN ('fp16', 'bf16')
        THEN true
    WHEN engine = 'llama.cpp' AND segment <> 'accelerator' THEN true
    WHEN engine = 'llama.cpp' AND vendor <> 'Huawei' THEN false
END
