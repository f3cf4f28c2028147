-- title: Questions that the guides answer
-- description: One row per purpose of guide_recommendation that can be put as a question to today's data. It has the workload, whether to rent or
-- description: to buy, what ranks the GPUs, and the limits. A guide says a purpose in words. The limits are this project's reading of it, from the
-- description: guide's own rules (guide_rule: memory by purpose, slots, GPUs), prices and GPU counts where it gives them. Most memory throughput is
-- description: asked as memory-bandwidth. GPUs that can be cooled side by side are read as professional ones, which the guide names. Much memory is
-- description: read as 48 GB, twice that of the largest consumer GPU of its time. Free credits, other accelerators, advice to owners of a GPU, and
-- description: clusters of many machines, whose scaling is not in the data, are no such question.
-- group: guides
-- column: scenario_id | | Guide and purpose
-- column: source_id | | Guide
-- column: purpose | | Purpose in guide_recommendation
-- column: workload | | Workload in workload_time
-- column: acquisition | | rent or buy
-- column: objective | | What ranks: cheapest (per result), fastest, or memory
-- column: billing | | Terms of a rental that count, comma-separated
-- column: gpus | | GPUs working together
-- column: hours | h | Hours of work: of rent that the budget covers, or in which a bought machine takes electricity; empty = the time of one run
-- column: min_memory_gb | GB | Least memory of one GPU; empty = no limit, as below
-- column: budget_usd | USD | Most to spend: on the GPUs, or on the hours of all GPUs
-- column: data_centre | | Whether GPUs that the vendor's licence bars from data centers are left out
-- column: max_slots | slot | Slots of the board
-- column: max_watts | W | Most power of the GPUs together
-- column: vendor | | Maker of the GPU
-- column: provider | | Who sells or rents
-- column: min_cuda | | CUDA version at hand
-- column: older_prices | | Whether a purchase counts launch prices and prices older than a year, and a rental stale ones where no GPU has a current one
-- column: usd_per_kwh | USD/kWh | Price of the electricity of a bought machine; empty = not counted
-- unique: scenario_id
-- check: acquisition IN ('rent', 'buy') AND objective IN ('cheapest', 'fastest', 'memory')
-- check: gpus > 0 AND hours > 0
SELECT
    source_id || '/' || purpose AS scenario_id,
    source_id,
    purpose,
    workload,
    acquisition,
    objective,
    'on_demand' AS billing,
    gpus,
    1.0::DOUBLE AS hours,
    min_memory_gb::DOUBLE AS min_memory_gb,
    budget_usd::DOUBLE AS budget_usd,
    data_centre,
    max_slots::DOUBLE AS max_slots,
    max_watts::DOUBLE AS max_watts,
    NULL::VARCHAR AS vendor,
    NULL::VARCHAR AS provider,
    NULL::VARCHAR AS min_cuda,
    acquisition = 'buy' AS older_prices,
    NULL::DOUBLE AS usd_per_kwh
FROM (
    VALUES
        ('paperspace-2022', 'fastest run, cost no object', 'cnn', 'rent', 'fastest', NULL, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'largest input to train on', 'cnn', 'rent', 'memory', NULL, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'cheapest run', 'cnn', 'rent', 'cheapest', NULL, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'most memory throughput', 'memory-bandwidth', 'rent', 'fastest', NULL, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'memory throughput per price', 'memory-bandwidth', 'rent', 'cheapest', NULL, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'memory throughput on a budget', 'memory-bandwidth', 'rent', 'fastest', NULL, 0.56, 1, false, NULL, NULL),
        ('paperspace-2022', 'shortest completion time', 'efficientnet_training', 'rent', 'fastest', NULL, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'completion time against cost of the run', 'efficientnet_training', 'rent', 'cheapest', NULL, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'completion time on a budget', 'efficientnet_training', 'rent', 'fastest', NULL, 0.82, 1, false, NULL, NULL),
        ('paperspace-2022', 'StyleGAN-XL training, value', 'stylegan_xl_training', 'rent', 'cheapest', NULL, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'EfficientNet training, value', 'efficientnet_training', 'rent', 'cheapest', NULL, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'largest batch', 'cnn', 'rent', 'memory', NULL, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'largest batch on a budget', 'cnn', 'rent', 'memory', NULL, 0.76, 1, false, NULL, NULL),
        ('paperspace-2022', 'large batches or large items', 'cnn', 'rent', 'cheapest', 24, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'more power for the money', 'cnn', 'rent', 'cheapest', 16, NULL, 1, false, NULL, NULL),
        ('paperspace-2022', 'models in production', 'yolor_inference', 'rent', 'cheapest', NULL, NULL, 1, false, NULL, NULL),
        ('dettmers-2020', 'best overall', 'all', 'buy', 'cheapest', 10, NULL, 1, false, NULL, NULL),
        ('dettmers-2020', 'individuals', 'all', 'buy', 'cheapest', NULL, NULL, 1, false, NULL, NULL),
        ('dettmers-2020', 'cost-effective, dear', 'all', 'buy', 'cheapest', 10, NULL, 1, false, NULL, NULL),
        ('dettmers-2020', 'cost-effective, cheaper', 'all', 'buy', 'cheapest', 8, 500, 1, false, NULL, NULL),
        ('dettmers-2020', 'little money', 'all', 'buy', 'cheapest', NULL, 400, 1, false, NULL, NULL),
        ('dettmers-2020', 'Kaggle', 'all', 'buy', 'cheapest', 8, 500, 1, false, NULL, NULL),
        ('dettmers-2020', 'competitive research in computer vision, pretraining or machine translation', 'transformer', 'buy', 'cheapest', 24, NULL, 4, false, NULL, NULL),
        ('dettmers-2020', 'NLP research without translation, language models or pretraining', 'transformer', 'buy', 'cheapest', 10, NULL, 1, false, NULL, NULL),
        ('dettmers-2020', 'starting out in earnest', 'all', 'buy', 'cheapest', 8, 700, 1, false, NULL, NULL),
        ('dettmers-2020', 'trying it out', 'all', 'buy', 'cheapest', NULL, 400, 1, false, NULL, NULL),
        ('dettmers-2020', 'cluster below 128 GPUs, RTX cards allowed', 'transformer', 'buy', 'cheapest', 10, NULL, 8, false, NULL, NULL),
        ('dettmers-2020', 'cluster below 128 GPUs, RTX 3090 cannot be cooled', 'transformer', 'buy', 'cheapest', 24, NULL, 8, true, NULL, 2400),
        ('dettmers-2020', 'cluster below 128 GPUs, RTX cards not allowed', 'transformer', 'buy', 'cheapest', 24, NULL, 8, true, NULL, NULL),
        ('dettmers-2020', 'laboratory or start-up', 'all', 'buy', 'cheapest', 10, NULL, 4, false, NULL, NULL),
        ('dettmers-2020', 'prototypes', 'all', 'buy', 'cheapest', 10, NULL, 1, false, NULL, NULL),
        ('dettmers-2020', 'learning', 'all', 'buy', 'cheapest', 8, 500, 1, false, NULL, NULL),
        ('dettmers-2020', 'anyone who can afford it', 'all', 'buy', 'cheapest', 24, NULL, 1, false, NULL, NULL),
        ('dettmers-2020', 'tight budget', 'all', 'buy', 'cheapest', 8, 400, 1, false, NULL, NULL),
        ('dettmers-2020', 'anyone who is not forced to', 'all', 'buy', 'cheapest', NULL, NULL, 1, false, NULL, NULL),
        ('dettmers-2020', 'cannot pay for the cheapest advice', 'all', 'buy', 'cheapest', NULL, 300, 1, false, NULL, NULL),
        ('autodl-2022', 'first steps', 'cnn-fp32', 'rent', 'cheapest', 11, NULL, 1, false, NULL, NULL),
        ('autodl-2022', 'mixed precision on an older card', 'all', 'rent', 'cheapest', 11, NULL, 1, false, NULL, NULL),
        ('autodl-2022', 'working beyond first steps', 'all', 'rent', 'cheapest', 16, NULL, 1, false, NULL, NULL),
        ('autodl-2022', 'fast where little memory is needed', 'all', 'rent', 'fastest', NULL, NULL, 1, false, NULL, NULL),
        ('autodl-2022', 'mixed precision with more memory', 'all', 'rent', 'cheapest', 24, NULL, 1, false, NULL, NULL),
        ('autodl-2022', 'first choice for value', 'all', 'rent', 'cheapest', 24, NULL, 1, false, NULL, NULL),
        ('autodl-2022', 'a 3090 with more memory', 'all', 'rent', 'cheapest', 48, NULL, 1, false, NULL, NULL),
        ('autodl-2022', 'half precision on several GPUs', 'all', 'rent', 'fastest', 40, NULL, 8, false, NULL, NULL),
        ('wechat-2022', 'best overall', 'all', 'buy', 'cheapest', 8, NULL, 1, false, NULL, NULL),
        ('wechat-2022', 'any', 'all', 'buy', 'cheapest', NULL, NULL, 1, false, NULL, NULL),
        ('wechat-2022', 'efficient but expensive', 'all', 'buy', 'cheapest', 8, NULL, 1, false, NULL, NULL),
        ('wechat-2022', 'efficient and cheap', 'all', 'buy', 'cheapest', 6, 400, 1, false, NULL, NULL),
        ('wechat-2022', 'affordable', 'all', 'buy', 'cheapest', 6, 300, 1, false, NULL, NULL),
        ('wechat-2022', 'cheap', 'all', 'buy', 'cheapest', NULL, 200, 1, false, NULL, NULL),
        ('wechat-2022', 'Kaggle', 'all', 'buy', 'cheapest', 8, 500, 1, false, NULL, NULL),
        ('wechat-2022', 'computer vision research', 'cnn', 'buy', 'cheapest', 10, NULL, 1, false, NULL, NULL),
        ('wechat-2022', 'computer vision research, very large networks', 'cnn', 'buy', 'cheapest', 24, NULL, 1, false, NULL, NULL),
        ('wechat-2022', 'trains all state-of-the-art models', 'transformer', 'buy', 'cheapest', 24, NULL, 1, false, NULL, NULL),
        ('wechat-2022', 'spare time', 'all', 'buy', 'cheapest', 6, 400, 1, false, NULL, NULL),
        ('wechat-2022', 'research, budget 4 to 6 thousand', 'all', 'buy', 'cheapest', 8, 6000, 4, false, NULL, NULL),
        ('wechat-2022', 'research, budget 8 to 9 thousand', 'all', 'buy', 'cheapest', 11, 9000, 4, false, NULL, NULL),
        ('wechat-2022', 'largest models without the budget for an RTX 8000', 'transformer', 'buy', 'cheapest', 24, 5500, 1, false, NULL, NULL),
        ('wechat-2022', 'investment for the future', 'transformer', 'buy', 'fastest', 48, NULL, 1, false, NULL, NULL),
        ('pro-vs-consumer-2023', 'work that needs much memory', 'all', 'buy', 'cheapest', 48, NULL, 1, false, NULL, NULL),
        ('pro-vs-consumer-2023', '192 GB in one machine', 'all', 'buy', 'cheapest', 48, NULL, 4, false, 8, NULL),
        ('pro-vs-consumer-2023', 'several cards in one machine, or many machines', 'all', 'buy', 'cheapest', NULL, NULL, 4, false, 8, NULL),
        ('pro-vs-consumer-2023', 'small system without much need of memory', 'all', 'buy', 'cheapest', NULL, NULL, 1, false, NULL, NULL),
        ('pro-vs-consumer-2023', 'four cards in four double slots', 'all', 'buy', 'cheapest', NULL, NULL, 4, false, 8, NULL)
) AS t(source_id, purpose, workload, acquisition, objective, min_memory_gb, budget_usd, gpus, data_centre, max_slots, max_watts)
JOIN (SELECT DISTINCT source_id, purpose FROM guide_recommendation) USING (source_id, purpose)
