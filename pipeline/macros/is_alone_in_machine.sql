-- title: One to a machine
-- description: A GH200 machine has one GPU. GB200 and GB300 are in racks whose machines share NVLink, so that several of them work together.
-- parameter: form_factor | | Form of the GPU
-- parameter: architecture | | Architecture of the GPU
-- returns: | Whether a machine has one such GPU only
coalesce(form_factor = 'Superchip' AND architecture = 'Hopper', false)
