-- title: Programs that run or tune language models
-- description: One row per program, with the share of a GPU's memory that it uses, and its reserve. That is the memory per GPU that weights and
-- description: cache cannot have: CUDA context, activations, buffers and graphs (llm_reserve_gb). It depends on version and batch too; these are
-- description: single stated figures with their source.
-- group: llm
-- column: engine | | Program
-- column: usable_share | fraction | Share of the GPU's memory that it uses
-- column: reserve_gb | GB | Per GPU for everything but weights, cache and what tuning stores, whatever the model, GB of 10^9 bytes
-- column: gb_per_1000_hidden | GB | More for each 1,000 of the model's hidden size
-- column: split | | Several GPUs: tensor (each matrix by attention heads), layer (whole layers), or sharded (parameters and their training state)
-- column: basis | | Source
-- unique: engine
-- check: usable_share > 0 AND usable_share <= 1 AND reserve_gb >= 0 AND gb_per_1000_hidden >= 0
-- check: split IN ('tensor', 'layer', 'sharded')
SELECT engine, usable_share::DOUBLE AS usable_share, reserve_gb::DOUBLE AS reserve_gb, gb_per_1000_hidden::DOUBLE AS gb_per_1000_hidden,
    split, basis
FROM (VALUES
    ('vLLM', 0.9, 0.65, 0.33, 'tensor',
        'gpu_memory_utilization 0.9 is the documented default of vLLM. Reserve: a log has 0.16 GiB outside PyTorch (vLLM pull request 12126); CUDA graphs 0.36 GiB '
            || '(gpustack/runner pull request 251): 0.52 GiB, rounded up; activations: 1.26 GiB with Llama-3-8B, whose hidden size is 4,096, on one H100 and on each of two '
            || '(10511); for DeepSeek (7,168) that is 3.0 GB together; a log of DeepSeek on 8 H20 has 2.53 GiB outside PyTorch and 0.24 GiB of activations (issue 13074), '
            || 'with graphs 3.4 GB'),
    ('llama.cpp', 1.0, 1.0, 0, 'layer',
        'CUDA context and compute buffers. A logged compute buffer is 672 MiB (llama.cpp pull request 6122, batch 512, context 4096); with a CUDA '
            || 'context of some 300 MiB, rounded to 1 GB (assumption of this project)'),
    ('PyTorch', 1.0, 2.0, 0, 'sharded',
        'CUDA context and fragmentation of PyTorch''s allocator: assumption of this project. Several GPUs share parameters, gradients and optimizer as ZeRO stage 3 '
            || '(arXiv 1910.02054) and FSDP do')
) AS t(engine, usable_share, reserve_gb, gb_per_1000_hidden, split, basis)
