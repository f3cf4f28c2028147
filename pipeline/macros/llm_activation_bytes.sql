-- title: Activations of fine-tuning with gradient checkpointing
-- description: Per token: the 16-bit input of every layer, one layer computed again (34 bytes per hidden unit; flash attention, so no matrix of scores), and the
-- description: 32-bit logits. Formulas of Korthikanti et al., arXiv 2205.05198, section 4. A loss that copies the logits needs two to three times the last term.
-- parameter: n_layers | | Layers
-- parameter: hidden_size | | Hidden size
-- parameter: vocabulary_size | | Vocabulary
-- parameter: context_tokens | token | Tokens of a sequence
-- parameter: sequences | | Sequences in the batch of one GPU
-- returns: byte | Activations on one GPU
context_tokens * sequences * (2 * n_layers * hidden_size + 34 * hidden_size + 4 * vocabulary_size)
