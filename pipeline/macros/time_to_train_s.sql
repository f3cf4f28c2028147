-- title: Time to train
-- description: Epochs times the seconds of one, divided by what several GPUs gain: GPUs times their scaling efficiency.
-- parameter: epochs | epoch | Passes over the data
-- parameter: seconds_per_epoch | s | Time of one epoch on one GPU
-- parameter: gpu_count | | GPUs working together
-- parameter: efficiency | fraction | Throughput of the GPUs over that many times one; 1 for one GPU
-- returns: s | Time of the training
epochs * seconds_per_epoch / (gpu_count * efficiency)
