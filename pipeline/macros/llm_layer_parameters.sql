-- title: Parameters of the layers of a language model
-- description: Those that every token passes through, without input embedding and output matrix: the least work per token. The embedding is a table, and
-- description: engines compute the output matrix for the last token of a prompt alone.
-- parameter: n_active_parameters | | Parameters that each token passes through
-- parameter: vocabulary_size | | Tokens of the vocabulary
-- parameter: hidden_size | | Width of a layer
-- parameter: tied_embeddings | | Whether one matrix serves as embedding and output matrix
-- returns: | Parameters; NULL where a size is unknown
n_active_parameters - vocabulary_size * hidden_size * CASE WHEN tied_embeddings THEN 1 ELSE 2 END
