-- title: Output speed of a whole request
-- description: Output tokens over the time of prompt and output, one after the other, as llama.cpp takes for one user.
-- parameter: prompt_tokens | token | Length of the prompt
-- parameter: prompt_tokens_per_s | tokens/s | Speed of the prompt
-- parameter: output_tokens | token | Length of the output
-- parameter: output_tokens_per_s | tokens/s | Speed while it writes
-- returns: tokens/s | Output tokens per second of the request
output_tokens / (prompt_tokens / prompt_tokens_per_s + output_tokens / output_tokens_per_s)
