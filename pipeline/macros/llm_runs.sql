-- title: Whether a program runs on a GPU
-- description: vLLM runs BF16 and FP8 on NVIDIA GPUs from compute capability 8.0 on; of those below it, none was measured. llama.cpp has backends for GPUs
-- description: of NVIDIA, AMD, Intel and Moore Threads (its README), and of accelerators for some of Huawei alone. Empty where it is not known.
-- parameter: engine | | Program, in llm_engine
-- parameter: vendor | | Maker of the GPU
-- parameter: segment | | Market of the GPU
-- parameter: compute_capability | | Compute capability of an NVIDIA GPU
-- parameter: quantization | | Stored type of the weights
-- returns: | Whether the program runs on the GPU with these weights
CASE
    WHEN engine = 'vLLM' AND TRY_CAST(compute_capability AS DOUBLE) >= 8 THEN true
    WHEN engine = 'vLLM' AND TRY_CAST(compute_capability AS DOUBLE) < 8 AND quantization IN ('bf16', 'fp8') THEN false
    WHEN engine = 'vLLM' AND vendor = 'AMD' THEN true
    WHEN engine = 'llama.cpp' AND segment <> 'accelerator' THEN true
    WHEN engine = 'llama.cpp' AND vendor <> 'Huawei' THEN false
END
