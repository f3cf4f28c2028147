-- title: Providers
-- description: One row per provider or seller in `price` or `provider_fact`: its pages, country, kind and billing. Unknown stays empty.
-- description: `unverified` lists the columns whose value no source confirms; provider_fact has the source of each value.
-- group: prices
-- column: provider_id | | Name in `price`
-- column: name | | Display name; where no fact states one, the name in a source of prices
-- column: homepage_url | | Home page
-- column: pricing_url | | Page with its prices, for readers
-- column: feed_url | | Price list for programs; no page links to it
-- column: offer_url | | Address that an offer links to: the pricing page, else the home page
-- column: country | | Country of its seat, ISO 3166-1 alpha-2
-- column: kind | | Kind of firm; a remark of the source follows in brackets
-- column: billing_granularity | | Unit of billing
-- column: includes_host | | Whether its prices include processor and memory, where one answer applies to all sources
-- column: price_basis | | Content of its prices, in words
-- column: unverified | | Columns with a value that no source confirms, comma-separated
-- column: homepage_url_source | | Source of the home page
-- column: pricing_url_source | | Source of the pricing page
-- column: country_source | | Source of the country
-- column: kind_source | | Source of the kind
-- column: billing_granularity_source | | Source of the unit of billing
-- column: price_basis_source | | Source of price_basis and includes_host
-- unique: provider_id
-- check: regexp_full_match(homepage_url, 'https://[^\s"''<>`]+')
-- check: regexp_full_match(pricing_url, 'https://[^\s"''<>`]+')
-- check: offer_url NOT LIKE '%/api/%' AND offer_url NOT LIKE '%.json'
WITH
fact AS (
    SELECT coalesce(a.provider, lower(trim(f.raw_provider))) AS provider, f.attribute, f.value, f.citation, f.unverified
    FROM provider_fact AS f
    LEFT JOIN provider_alias AS a ON a.alias = lower(trim(f.raw_provider))
),
sold AS (SELECT provider AS provider_id, min(raw_provider) AS raw_name FROM price GROUP BY provider),
listed AS (
    FROM sold
    UNION ALL
    SELECT DISTINCT provider, NULL FROM fact WHERE provider NOT IN (SELECT provider_id FROM sold)
),
wide AS (
    SELECT
        provider_id,
        coalesce(max(value) FILTER (attribute = 'name'), any_value(raw_name)) AS name,
        max(value) FILTER (attribute = 'homepage_url') AS homepage_url,
        max(value) FILTER (attribute = 'pricing_url') AS pricing_url,
        max(value) FILTER (attribute = 'feed_url') AS feed_url,
        max(value) FILTER (attribute = 'country') AS country,
        max(value) FILTER (attribute = 'kind') AS kind,
        max(value) FILTER (attribute = 'billing_granularity') AS billing_granularity,
        max(value) FILTER (attribute = 'price_basis') AS price_basis,
        max(value) FILTER (attribute = 'price_basis' AND NOT unverified) AS verified_basis,
        string_agg(attribute, ',' ORDER BY attribute) FILTER (unverified) AS unverified,
        max(citation) FILTER (attribute = 'homepage_url') AS homepage_url_source,
        max(citation) FILTER (attribute = 'pricing_url') AS pricing_url_source,
        max(citation) FILTER (attribute = 'country') AS country_source,
        max(citation) FILTER (attribute = 'kind') AS kind_source,
        max(citation) FILTER (attribute = 'billing_granularity') AS billing_granularity_source,
        max(citation) FILTER (attribute = 'price_basis') AS price_basis_source
    FROM listed
    LEFT JOIN fact ON fact.provider = listed.provider_id
    GROUP BY provider_id
)
SELECT
    provider_id,
    name,
    homepage_url,
    pricing_url,
    feed_url,
    coalesce(pricing_url, homepage_url) AS offer_url,
    country,
    kind,
    billing_granularity,
    CASE
        WHEN regexp_matches(verified_basis, '^(host included|whole server)') THEN true
        WHEN regexp_matches(verified_basis, '^GPU only') THEN false
    END AS includes_host,
    price_basis,
    unverified,
    homepage_url_source,
    pricing_url_source,
    country_source,
    kind_source,
    billing_granularity_source,
    price_basis_source
FROM wide
