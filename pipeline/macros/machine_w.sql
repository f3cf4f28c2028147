-- title: Power of a machine
-- description: The GPUs at their power limit, and the rest of the machine once for each so many GPUs: a bound, not a measurement.
-- parameter: gpu_count | | GPUs
-- parameter: tdp_w | W | Power limit of one
-- parameter: host_w | W | Power of everything else; table assumption has the figure that the tables use
-- parameter: gpus_per_host_w | | GPUs to one such share of power, also in table assumption
-- returns: W | Power of the working machine
gpu_count * tdp_w + ceil(gpu_count / gpus_per_host_w) * host_w
