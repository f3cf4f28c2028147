-- title: Marketplaces
-- description: Providers on which independent hosts rent out their machines, as a source states (attribute kind of provider_fact). Unverified facts do
-- description: not count.
SELECT DISTINCT coalesce(provider_alias.provider, lower(trim(raw_provider))) AS provider
FROM provider_fact
LEFT JOIN provider_alias ON provider_alias.alias = lower(trim(raw_provider))
WHERE attribute = 'kind' AND value LIKE 'marketplace%' AND NOT unverified
