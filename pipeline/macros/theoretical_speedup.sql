-- title: Theoretical speedup between two GPUs
-- description: The 2020 guide (Dettmers): the ratio of the memory bandwidths, raised by what larger shared memory and better tensor cores add.
-- parameter: gb_per_s_a | GB/s | Bandwidth of the faster GPU
-- parameter: gb_per_s_b | GB/s | Bandwidth of the other GPU
-- parameter: shared_memory_gain | fraction | Gain from shared memory, 0.02 to 0.05 for Ampere
-- parameter: tensor_core_gain | fraction | Gain from the registers of the tensor cores, 0.01 to 0.03 for Ampere
-- returns: ratio | Speed of a over b
gb_per_s_a / gb_per_s_b * (1 + shared_memory_gain) * (1 + tensor_core_gain)
