-- title: Arithmetic of fine-tuning
-- description: Two operations per parameter and token forward and four backward (Kaplan et al., arXiv 2001.08361, section 2.1). Frozen weights (LoRA, QLoRA) save
-- description: the two of their own gradient; adapters and attention are left out. Gradient checkpointing, which the memory of llm_fit assumes, computes forward twice.
-- parameter: n_active_parameters | | Parameters that each token passes through
-- parameter: tokens | token | Tokens of all passes together
-- parameter: tune | | full, lora or qlora
-- parameter: is_checkpointed | | Whether activations are computed again
-- returns: FLOP | Operations
n_active_parameters * tokens * (CASE WHEN tune = 'full' THEN 6 ELSE 4 END + CASE WHEN is_checkpointed THEN 2 ELSE 0 END)
