-- title: Power supply by the 2020 guide's rule
-- description: The GPUs at their power limit and 300 W for the rest. The guide (Dettmers) follows this rule: it asks for more than 1700 W for 4x
-- description: 350 W and calls 1600 W enough for 4x 320 W. It leaves no margin for load steps.
-- parameter: gpu_count | | GPUs
-- parameter: tdp_w | W | Power limit of one
-- returns: W | Power supply
gpu_count * tdp_w + 300
