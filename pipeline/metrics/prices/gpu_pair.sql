-- title: GPUs that buyers compare
-- description: The 30 most useful pairs of GPU models. A model takes part if it was released in the last 10 years, two providers or more have
-- description: rented it out, and its speed on language models is known. It must also be for rent now, on demand or on a marketplace. Both models
-- description: of a pair are sold for the same market, and their prices differ by at most a factor of 3, on demand if both have such a price. First
-- description: comes the pair of each model with the partner that most providers rent out. The other pairs follow, by the providers of both.
-- group: prices
-- column: first_model | | GPU model that was released first
-- column: second_model | | The other GPU model
-- column: n_providers | | Providers that have ever rented out the first model, plus those of the second
-- column: price_ratio | ratio | Higher price over the lower one: median over providers, else the cheapest offer
-- column: rank | | Rank of the pair
-- unique: first_model, second_model
-- check: price_ratio BETWEEN 1 AND 3
-- check: first_model <> second_model
WITH
seen AS (
    SELECT gpu_model_id, count(DISTINCT provider) AS n_providers
    FROM price
    WHERE kind = 'cloud_rental' AND gpu_model_id IS NOT NULL
    GROUP BY ALL
),
rented AS (
    SELECT gpu_model_id, billing, coalesce(usd_per_gpu_hour_median, usd_per_gpu_hour_low) AS usd
    FROM rental_market
    WHERE gpu_id = 'any' AND billing IN ('on_demand', 'marketplace') AND commitment = 'any' AND gpus = 'any'
),
model AS (
    SELECT g.gpu_model_id, r.billing, min(g.segment) AS segment, min(g.release_date) AS released, min(s.n_providers) AS n_providers, min(r.usd) AS usd
    FROM gpu AS g
    JOIN seen AS s USING (gpu_model_id)
    JOIN rented AS r USING (gpu_model_id)
    WHERE s.n_providers >= 2 AND g.gpu_id IN (SELECT gpu_id FROM llm_speed)
        AND g.release_date >= (SELECT as_of FROM release) - INTERVAL 10 YEAR
    GROUP BY ALL
),
rented_alike AS (
    SELECT a.gpu_model_id AS first_model, b.gpu_model_id AS second_model, a.n_providers + b.n_providers AS n_providers,
        greatest(a.usd, b.usd) / least(a.usd, b.usd) AS price_ratio
    FROM model AS a
    JOIN model AS b ON (a.segment, a.billing) = (b.segment, b.billing) AND (a.released, a.gpu_model_id) < (b.released, b.gpu_model_id)
    QUALIFY row_number() OVER (PARTITION BY first_model, second_model ORDER BY a.billing = 'marketplace') = 1
),
pair AS (SELECT * FROM rented_alike WHERE price_ratio <= 3),
partner AS (
    SELECT *, row_number() OVER (PARTITION BY model ORDER BY n_providers DESC, price_ratio, first_model, second_model) AS place
    FROM (SELECT *, unnest([first_model, second_model]) AS model FROM pair)
),
ranked AS (
    SELECT first_model, second_model, n_providers, price_ratio,
        row_number() OVER (ORDER BY min(place) > 1, n_providers DESC, price_ratio, first_model, second_model) AS rank
    FROM partner
    GROUP BY first_model, second_model, n_providers, price_ratio
)
SELECT first_model, second_model, n_providers, price_ratio, rank
FROM ranked
WHERE rank <= 30
