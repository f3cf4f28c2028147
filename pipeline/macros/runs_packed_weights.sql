-- title: Whether a GPU serves 4-bit weights that it unpacks
-- description: vLLM's Marlin kernels unpack MXFP4 and INT4 weights while they multiply, on NVIDIA GPUs from compute capability 8.0.
-- description: Source: github.com/vllm-project/recipes/blob/main/OpenAI/GPT-OSS.md and docs.vllm.ai/en/latest/features/quantization.
-- parameter: vendor | | Vendor
-- parameter: compute_capability | | Compute capability; empty for other vendors
-- returns: | Whether it does; false where the compute capability is not known
coalesce(vendor = 'NVIDIA' AND TRY_CAST(compute_capability AS DOUBLE) >= 8, false)
