-- title: Model of a GPU
-- description: The name of a GPU in gpu without its form factor and memory size, the same for all its variants.
-- parameter: gpu_id | | GPU in gpu
-- returns: | Model
regexp_replace(gpu_id, '(-(pcie|sxm\d?|nvl|gpu|board))?(-\d+gb)?$', '')
