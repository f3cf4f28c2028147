-- title: Advice of the guides, and the first choice of today's data
-- description: One row per guide, purpose and stance: the GPUs that the guide named in its time, and the first choice of today for the same
-- description: purpose. Prices of today and the index decide it, as asked in `scenario` and answered in `scenario_rank`. Advice for a GPU agrees
-- description: where the first choice is one of the guide's GPUs or of its class of GPUs, advice against one where it is not. It is empty where
-- description: today's data have no time for any of them, or no choice. Column `best_rank` is the best rank of the guide's GPUs. Other prices and
-- description: newer GPUs are reason enough to disagree.
-- group: guides
-- column: source_id | | Guide
-- column: scenario | | Purpose, as in guide_recommendation
-- column: stance | | recommended or avoid
-- column: scenario_id | | Question in scenario; empty where there is none
-- column: author | | Whose advice it is
-- column: advised_on | | Day of the advice, where known
-- column: said | | What the guide named, in its words
-- column: asked | | The question in words
-- column: today_gpu_id | | First choice of today's data; empty where nothing meets the limits
-- column: today_name | | Name of that GPU
-- column: today_basis | | Whether its time is measured or predicted
-- column: today_seconds | s | Its time, as in scenario_rank
-- column: today_cost_usd | USD | Rented: cost of one run; bought: price of the GPUs
-- column: today_price_date | | Day of the price
-- column: today_reason | | Reason for the first rank
-- column: best_rank | | Best rank today of a GPU that the guide named; empty where none meets the limits
-- column: missed_limits | | Limits that its other GPUs do not meet today
-- column: agrees | | Whether today's data agree; empty where the data cannot tell
-- unique: source_id, scenario, stance
-- check: scenario_id IS NOT NULL OR agrees IS NULL
WITH
advice AS (
    SELECT
        r.source_id,
        r.purpose,
        r.stance,
        r.author,
        r.gpu_id,
        r.recommendation_id,
        advised_on,
        concat_ws(' ', r.gpu_count || ' x', coalesce(r.raw_gpu_name, r.gpu_class)) AS words,
        CASE
            WHEN r.gpu_class IN ('professional cards') THEN ['workstation', 'datacenter']
            WHEN r.gpu_class IN ('any Tesla', 'any Tesla card') THEN ['datacenter']
            WHEN r.gpu_class IN ('any Quadro', 'any Quadro card') THEN ['workstation']
            WHEN r.gpu_class IN ('consumer cards') THEN ['consumer']
        END AS segments
    FROM guide_recommendation AS r
),
-- choices that a line of advice means: the GPU named, or every GPU of the class
meant AS (
    SELECT DISTINCT a.source_id, a.purpose, a.stance, c.gpu_id, c.name, c.rank, c.seconds, c.reason, a.segments IS NULL AS by_name
    FROM advice AS a
    JOIN scenario AS s USING (source_id, purpose)
    JOIN scenario_rank AS c USING (scenario_id)
    JOIN gpu AS g ON g.gpu_id = c.gpu_id
    WHERE c.gpu_id = a.gpu_id OR list_contains(a.segments, g.segment)
),
verdict AS (
    SELECT
        source_id, purpose, stance,
        min(rank) AS best_rank,
        string_agg(name || ': ' || reason, '; ' ORDER BY name) FILTER (rank IS NULL AND by_name) AS missed_limits,
        CASE WHEN count(seconds) > 0 THEN (stance = 'recommended') = bool_or(coalesce(rank = 1, false)) END AS agrees
    FROM meant
    GROUP BY source_id, purpose, stance
),
said AS (
    SELECT
        source_id, purpose, stance,
        min(author) AS author,
        min(advised_on) AS advised_on,
        string_agg(words, ', ' ORDER BY recommendation_id) AS said
    FROM advice
    GROUP BY ALL
)
SELECT
    said.source_id,
    said.purpose AS scenario,
    said.stance,
    s.scenario_id,
    said.author,
    said.advised_on,
    said.said,
    s.acquisition || ' ' || s.gpus || CASE s.gpus WHEN 1 THEN ' GPU for ' ELSE ' GPUs for ' END
        || CASE s.workload
            WHEN 'all' THEN 'training of all kinds'
            WHEN 'cnn' THEN 'CNN training'
            WHEN 'cnn-fp32' THEN 'CNN training in FP32'
            WHEN 'transformer' THEN 'transformer training'
            WHEN 'memory-bandwidth' THEN 'memory bandwidth'
            WHEN 'efficientnet_training' THEN 'EfficientNet training'
            WHEN 'stylegan_xl_training' THEN 'StyleGAN-XL training'
            WHEN 'yolor_inference' THEN 'YOLOR inference'
            ELSE s.workload
        END || ', '
        || CASE s.objective WHEN 'cheapest' THEN 'cheapest per result' WHEN 'memory' THEN 'most memory' ELSE 'fastest' END
        || coalesce(format(', at least {:g} GB each', s.min_memory_gb), '')
        || coalesce(format(', at most {:g} USD', s.budget_usd) || CASE s.acquisition WHEN 'rent' THEN ' an hour' ELSE '' END, '')
        || coalesce(format(', in {:g} slots', s.max_slots), '')
        || coalesce(format(', at most {:g} W', s.max_watts), '')
        || CASE WHEN s.data_centre THEN ', allowed in data centers' ELSE '' END AS asked,
    c.gpu_id AS today_gpu_id,
    c.name AS today_name,
    c.basis AS today_basis,
    c.seconds AS today_seconds,
    c.cost_usd AS today_cost_usd,
    c.price_date AS today_price_date,
    c.reason AS today_reason,
    v.best_rank,
    v.missed_limits,
    CASE WHEN c.gpu_id IS NOT NULL THEN v.agrees END AS agrees
FROM said
LEFT JOIN scenario AS s USING (source_id, purpose)
LEFT JOIN scenario_rank AS c ON c.scenario_id = s.scenario_id AND c.rank = 1
LEFT JOIN verdict AS v ON (v.source_id, v.purpose, v.stance) = (said.source_id, said.purpose, said.stance)
