-- title: Uses of a language model
-- description: One row per use that speed and cost are given for: lengths of prompt and output, and requests in progress at a time.
-- group: llm
-- column: use | | Use
-- column: title | | Name
-- column: prompt_tokens | token | Prompt
-- column: output_tokens | token | Output
-- column: concurrency | | Requests in progress at a time; of a use whose requests may wait, all requests
-- column: may_wait | | Whether requests without room in the KV cache wait, since nobody waits for each answer; else all must fit
-- unique: use
-- check: prompt_tokens > 0 AND output_tokens > 0 AND concurrency > 0
SELECT use, title, prompt_tokens::BIGINT AS prompt_tokens, output_tokens::BIGINT AS output_tokens, concurrency::DOUBLE AS concurrency,
    use = 'batch' AS may_wait
FROM (VALUES
    ('chat', 'Chat', 256, 128, 64),
    ('retrieval', 'Answers from retrieved text', 1024, 256, 64),
    ('long', 'Long documents', 4096, 512, 8),
    ('single', 'One user', 256, 128, 1),
    ('batch', 'Offline batch', 256, 128, 256)
) AS t(use, title, prompt_tokens, output_tokens, concurrency)
