-- title: Memory that a program keeps on a GPU
-- description: CUDA context, graphs and buffers, and activations, which grow with the hidden size. A model whose hidden size is not known counts as one
-- description: of 4,096, as the measured one.
-- parameter: reserve_gb | GB | Whatever the model, of llm_engine
-- parameter: gb_per_1000_hidden | GB | More for each 1,000 of the hidden size, likewise
-- parameter: hidden_size | | Hidden size of the model
-- returns: GB | Memory of each GPU that weights and cache cannot have
reserve_gb + gb_per_1000_hidden * coalesce(hidden_size, 4096) / 1000
