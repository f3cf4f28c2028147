-- title: Model of a card
-- description: The name of a card in gpu without its form factor and memory size, the same for all its variants.
-- parameter: gpu_id | | Card in gpu
-- returns: | Model
regexp_replace(gpu_id, '(-(pcie|sxm\d?|nvl|gpu|board))?(-\d+gb)?$', '')
