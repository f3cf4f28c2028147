-- title: Speedup corrected for scaling over several GPUs
-- description: The 2020 guide (Dettmers): a ratio of throughputs of several GPUs, divided by the ratio of how the two systems scale.
-- parameter: ratio | ratio | Throughput of system a over system b
-- parameter: scaling_a | ratio | Gain of a from one GPU to all of them
-- parameter: scaling_b | ratio | Gain of b from one GPU to all of them
-- returns: ratio | Speedup at equal scaling
ratio / (scaling_a / scaling_b)
