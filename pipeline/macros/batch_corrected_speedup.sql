-- title: Speedup corrected for batch size
-- description: The 2020 guide (Dettmers): a ratio of throughputs, divided by the gain per doubling once for each doubling between the two batches.
-- parameter: ratio | ratio | Throughput of a over b
-- parameter: gain_per_doubling | fraction | Gain of throughput for twice the batch, 0.136 for CNN and 0.135 for Transformer in the guide
-- parameter: batch_a | item | Batch on each GPU of a
-- parameter: batch_b | item | Batch on each GPU of b
-- returns: ratio | Speedup at equal batch
ratio / power(1 + gain_per_doubling, log2(batch_a / batch_b))
