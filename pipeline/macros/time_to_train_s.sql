-- title: Time to train
-- description: Epochs times the seconds of one, divided by what several cards gain: cards times their scaling efficiency.
-- parameter: epochs | epoch | Passes over the data
-- parameter: seconds_per_epoch | s | Time of one epoch on one card
-- parameter: gpu_count | | Cards working together
-- parameter: efficiency | fraction | Throughput of the cards over that many times one; 1 for one card
-- returns: s | Time of the training
epochs * seconds_per_epoch / (gpu_count * efficiency)
