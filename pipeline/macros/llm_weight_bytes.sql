-- title: Size of a language model's weights
-- description: Layers, input embedding and output matrix, each times the bytes per weight of its stored type (llm_quantization). A model that uses one matrix for
-- description: both has no embedding_weights. Norms and biases, which formats leave at 32 bits, are below 0.1% and count as layers.
-- parameter: n_parameters | | Parameters, all experts included
-- parameter: embedding_weights | | Weights of the input embedding: vocabulary times hidden size, 0 where the output matrix serves as both
-- parameter: output_weights | | Weights of the output matrix: vocabulary times hidden size
-- parameter: bytes_per_weight | byte | Per weight of the layers
-- parameter: bytes_per_embedding_weight | byte | Per weight of the embedding
-- parameter: bytes_per_output_weight | byte | Per weight of the output matrix
-- returns: byte | Size
(n_parameters - embedding_weights - output_weights) * bytes_per_weight
    + embedding_weights * bytes_per_embedding_weight + output_weights * bytes_per_output_weight
