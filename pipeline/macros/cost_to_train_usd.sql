-- title: Cost to train
-- description: Time to train in hours times the price of all GPUs.
-- parameter: epochs | epoch | Passes over the data
-- parameter: seconds_per_epoch | s | Time of one epoch on one GPU
-- parameter: gpu_count | | GPUs working together
-- parameter: efficiency | fraction | Throughput of the GPUs over that many times one; 1 for one GPU
-- parameter: usd_per_gpu_hour | USD/(GPU·h) | Rental price of one GPU
-- returns: USD | Cost of the training
usd_per_run(gpu_count * usd_per_gpu_hour, time_to_train_s(epochs, seconds_per_epoch, gpu_count, efficiency))
