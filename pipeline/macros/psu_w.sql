-- title: Power supply with a margin
-- description: The GPUs at their power limit and 200 W for the rest, loaded to 80 percent so that short load steps fit, rounded up to 50 W.
-- description: The 200 W and the 80 percent are assumptions of this project.
-- parameter: gpu_count | | GPUs
-- parameter: tdp_w | W | Power limit of one
-- returns: W | Power supply
ceil(round((gpu_count * tdp_w + 200) / 0.8 / 50, 6)) * 50
