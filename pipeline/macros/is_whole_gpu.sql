-- title: Price of a whole GPU
-- description: Statistics and lists of rentals have whole GPUs alone: no fraction, no MIG slice, no bare host and no Windows machine. An unknown system counts.
-- parameter: partition | | Share of the GPU in the offer
-- parameter: price_basis | | Whether the price pays for a GPU, a machine or the bare host
-- parameter: os | | Operating system that the price includes
-- returns: | Whether the offer is a whole GPU
partition = 'whole' AND price_basis IS DISTINCT FROM 'host_only' AND os IS DISTINCT FROM 'windows'
