-- title: Memory of fine-tuning beside the weights
-- description: Mixed precision with Adam (ZeRO, arXiv 1910.02054, section 3.1): 2 bytes of gradient, and 4 each for master weight, momentum and variance per trained
-- description: parameter. LoRA and QLoRA train adapters, which are not part of the stored weights: 2 bytes more.
-- parameter: trained_parameters | | Parameters that change
-- parameter: are_adapters | | Whether they are stored beside the weights
-- returns: byte | Gradients and optimizer, and adapters
trained_parameters * CASE WHEN are_adapters THEN 16 ELSE 14 END
