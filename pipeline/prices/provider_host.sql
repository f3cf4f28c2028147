-- title: Providers whose prices include the host, or leave it out
-- description: One row per provider of which a source states it for all its rentals (attribute price_basis of provider_fact). Unverified facts do not count.
WITH stated AS (
    SELECT
        coalesce(provider_alias.provider, lower(trim(raw_provider))) AS provider,
        CASE
            WHEN value LIKE 'host included%' OR value LIKE 'whole server%' THEN true
            WHEN value LIKE 'GPU only%' THEN false
        END AS includes_host
    FROM provider_fact
    LEFT JOIN provider_alias ON provider_alias.alias = lower(trim(raw_provider))
    WHERE attribute = 'price_basis' AND NOT unverified
)
SELECT provider, any_value(includes_host) AS includes_host
FROM stated
GROUP BY provider
HAVING count(DISTINCT includes_host) = 1
