-- title: License that bars data centers
-- description: The license of NVIDIA's driver does not allow GeForce and Titan in data centers. Other vendors state no such limit.
-- parameter: vendor | | Vendor
-- parameter: segment | | Market of the GPU
-- returns: | Whether it does
vendor = 'NVIDIA' AND segment IN ('consumer', 'laptop')
