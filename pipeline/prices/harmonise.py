"""From a source's own words to this dataset's: card identity, currency and unit, in one place for all sources.

FILLED says, as SQL over a row of the lake, how a `filled` column gets its value when a table is loaded;
PRICED is what `judge` makes of a parsed price. Columns that say where a row comes from begin with an
underscore; `release` is the build itself, `source` the row's source and `alias` what its raw_gpu_name means there.
"""

from pipeline.gpu_identity import NAMES
from pipeline.schema.checks import quoted

HOURS_PER_MONTH = 730
STALE_AFTER_DAYS = 7
RATE_AT_MOST_DAYS_OLD = 7
JUMP = 0.4
COMPARABLE_DAYS = 7

RELEASE = "CROSS JOIN release"
SOURCE = """LEFT JOIN (SELECT source_id AS id, parser_version, stale_after_days FROM source) AS source
    ON source.id = _source_id"""
ALIAS = """LEFT JOIN (SELECT alias AS label, scope, gpu_id AS card FROM gpu_alias) AS alias
    ON alias.label = raw_gpu_name AND alias.scope = _source_id"""

# the rows of the lake files that are bound to the statement's one parameter
AS_PARSED = "FROM read_parquet($1, union_by_name = true)"

_ROW_HASH = "sha256(_snapshot_id || ' ' || _locator)"
FILLED: dict[str, str] = {
    "source_id": "_source_id",
    "snapshot_id": "_snapshot_id",
    "locator": "_locator",
    "gpu_id": "alias.card",
    "observation_id": _ROW_HASH,
    "row_id": _ROW_HASH,
    "parser_version": "source.parser_version",
    "family": """(SELECT any_value(known.family) FROM workload_family AS known
        WHERE known.source_id = _source_id AND known.workload = row.workload)""",
    "interconnect": """(SELECT any_value(known.interconnect) FROM system_interconnect AS known
        WHERE row.gpu_count > 1 AND known.source_id = _source_id AND known.raw_gpu_name = row.raw_gpu_name
            AND known.system = row.system)""",
}

# a parsed price with the one name of its provider and the card that its label means: what the row says itself wins over the label
_PROVIDERS = f"read_csv({quoted(str(NAMES / 'rules' / 'providers.csv'))}, header = true, all_varchar = true)"
_NAMED = f"""SELECT parsed.* REPLACE (
        coalesce(firm.provider, parsed.provider) AS provider,
        coalesce(parsed.gpu_count, label_count::BIGINT) AS gpu_count,
        coalesce(parsed.gpu_fraction, label_fraction) AS gpu_fraction,
        CASE WHEN parsed.partition = 'whole' THEN coalesce(label_partition, 'whole') ELSE parsed.partition END AS partition),
    parsed.provider AS raw_provider, card AS gpu_id, label_code, label_reason
    FROM parsed LEFT JOIN {_PROVIDERS} AS firm ON firm.alias = lower(trim(parsed.provider))
    LEFT JOIN label ON parsed.raw_gpu_name = label.raw_gpu_name
    AND coalesce(parsed.gpu_context, '') = label.context AND parsed.reported_memory_gb IS NOT DISTINCT FROM label.memory_gb"""
_HOURS = f"""CASE price_unit WHEN 'hour' THEN 1 WHEN 'second' THEN 1 / 3600 WHEN 'month' THEN {HOURS_PER_MONTH}
    WHEN 'term_total' THEN 8760 * commitment_months / 12 END"""
_CARDS = """CASE WHEN price_basis = 'per_gpu' THEN 1 WHEN price_basis = 'host_only' THEN NULL
    WHEN partition = 'whole' THEN gpu_count ELSE gpu_fraction END"""
_RATE_HOLDS = f"observed_at - rate_date <= {RATE_AT_MOST_DAYS_OLD}"
PRICED = f"""WITH named AS ({_NAMED}),
rated AS (
    SELECT named.*,
        CASE WHEN named.currency = 'USD' THEN 1.0 WHEN {_RATE_HOLDS} THEN usd END AS fx_rate,
        CASE WHEN named.currency = 'USD' THEN observed_at WHEN {_RATE_HOLDS} THEN rate_date END AS fx_date
    FROM named LEFT JOIN (
        SELECT met.currency AS met_currency, met.observed_at AS met_at, rate_date, usd
        FROM (SELECT DISTINCT currency, observed_at FROM parsed) AS met
        ASOF JOIN rate ON met.currency = rate.currency AND met.observed_at >= rate.rate_date
    ) ON named.currency = met_currency AND named.observed_at = met_at
)
SELECT *,
    CASE kind WHEN 'cloud_rental' THEN {_HOURS} END::DOUBLE AS hours_divisor,
    CASE kind WHEN 'cloud_rental' THEN amount * fx_rate / ({_HOURS}) / ({_CARDS}) END::DOUBLE AS usd_per_gpu_hour,
    CASE WHEN kind IN ('purchase_new', 'purchase_used', 'msrp') THEN amount * fx_rate / ({_CARDS}) END::DOUBLE AS usd_per_gpu
FROM rated"""

# what makes an offer the same offer on another day
_OFFER = (
    "_source_id", "provider", "coalesce(offer_id, instance_type)", "gpu_id", "gpu_count", "region", "kind", "billing",
    "commitment_months", "os", "tier", "min_gpus", "partition", "gpu_fraction", "tenancy", "price_basis",
)  # fmt: skip
_STALE = f"release.as_of - observed_at > coalesce(source.stale_after_days, {STALE_AFTER_DAYS})"
_PRICE = "coalesce(usd_per_gpu_hour, usd_per_gpu)"
_FLAGS = {
    "JUMP": f"abs({_PRICE} / usd_before - 1) > {JUMP}",
    "CONFLICT": "(seller_terms, source_id, area, first_day, held_to) IN (FROM disputed)",
    "SPOT_NOT_BELOW_ON_DEMAND": "billing = 'spot' AND usd_per_gpu_hour >= usd_on_demand",
    "STALE": _STALE,
    "CPU_STARVED": "vcpus / gpu_count < 4",
    "FROM_PRICE": "qualifier = 'from'",
    "NO_RATE": "currency <> 'USD' AND fx_rate IS NULL",
}
_OFFER_TEXT = ", ".join(f"coalesce(({part})::VARCHAR, '')" for part in _OFFER)
_FLAG_TEXT = ", ".join(f"CASE WHEN {rule} THEN '{flag}' END" for flag, rule in _FLAGS.items())
_KEYED = f"""SELECT *, file_index, file_row_number, _source_id AS source_id, coalesce(region, '') AS area, {_PRICE} AS usd,
        concat_ws('|', {_OFFER_TEXT}) AS offer,
        concat_ws('|', lower(provider), gpu_id, kind, coalesce(billing, ''), coalesce(commitment_months, 0)) AS seller_terms,
        price_seen_from(observed_at, effective_from, effective_to) AS first_day
    {AS_PARSED}"""
# an offer on its other days: sorted in the few and short columns that this takes, whole rows take twice as long.
# a price holds until the offer's next one, and no longer than prices of several sources are comparable
_HELD = f"""SELECT file_index, file_row_number,
        greatest(first_day, least(
            last_day + {COMPARABLE_DAYS},
            lead(first_day) OVER (PARTITION BY hashed ORDER BY first_day, observed_at, _locator, file_index) - 1
        )) AS held_to,
        lag(usd) OVER (PARTITION BY hashed ORDER BY observed_at, effective_from, _locator, file_index) AS usd_before
    FROM (
        SELECT md5_number(offer) AS hashed, file_index, file_row_number, first_day, observed_at, effective_from, _locator, usd,
            price_seen_to(observed_at, effective_from, effective_to) AS last_day
        FROM keyed
    )"""
_MACHINE = "_source_id, provider, instance_type, gpu_id, gpu_count, region, os, observed_at"
_ON_DEMAND = f"""SELECT ({_MACHINE}) AS machine, min(usd_per_gpu_hour) AS usd_on_demand
    FROM keyed WHERE billing = 'on_demand' GROUP BY ALL"""
# what the sources asked on each day on which a price began: in a region, where none is named, and anywhere
_ASKED = """WITH
    listed AS (
        SELECT seller_terms, source_id, area AS region, first_day, held_to, min(usd) AS low, max(usd) AS high
        FROM keyed JOIN held USING (file_index, file_row_number)
        WHERE usd IS NOT NULL AND gpu_id IS NOT NULL AND partition = 'whole' AND price_basis <> 'host_only'
            AND os IS DISTINCT FROM 'windows'
        GROUP BY ALL
    ),
    shared AS (
        FROM listed WHERE seller_terms IN (SELECT seller_terms FROM listed GROUP BY ALL HAVING count(DISTINCT source_id) > 1)
    ),
    asked AS (
        SELECT seller_terms, source_id, region, day, min(low) AS low, max(high) AS high
        FROM shared JOIN (SELECT DISTINCT seller_terms, first_day AS day FROM shared) USING (seller_terms)
        WHERE day BETWEEN first_day AND held_to
        GROUP BY ALL
    ),
    anywhere AS (SELECT seller_terms, source_id, day, min(low) AS low, max(high) AS high FROM asked GROUP BY ALL)"""
# prices of one provider and card on the same terms that no price of another source comes near; a region that is not named
# is any region
_DISPUTED = f"""{_ASKED},
    apart AS (
        SELECT a.seller_terms, a.source_id, a.region, a.day
        FROM asked AS a JOIN asked AS b USING (seller_terms, day, region)
        WHERE a.source_id <> b.source_id AND a.region <> '' AND prices_conflict(a.low, a.high, b.low, b.high)
        UNION ALL
        SELECT unnest([
            {{'seller_terms': a.seller_terms, 'source_id': a.source_id, 'region': '', 'day': day}},
            {{'seller_terms': a.seller_terms, 'source_id': b.source_id, 'region': '*', 'day': day}}
        ], recursive := true)
        FROM asked AS a JOIN anywhere AS b USING (seller_terms, day)
        WHERE a.source_id <> b.source_id AND a.region = '' AND prices_conflict(a.low, a.high, b.low, b.high)
    )
SELECT DISTINCT (seller_terms, source_id, shared.region, first_day, held_to)
FROM shared JOIN apart USING (seller_terms, source_id)
WHERE apart.region IN (shared.region, '*') AND day BETWEEN first_day AND held_to"""
PRICE = f"""
WITH keyed AS NOT MATERIALIZED ({_KEYED}),
held AS MATERIALIZED ({_HELD}),
disputed AS ({_DISPUTED})
SELECT row.*, md5(offer) AS offer_key, {_STALE} AS stale, nullif(concat_ws(',', {_FLAG_TEXT}), '') AS flags
FROM keyed AS row JOIN held USING (file_index, file_row_number) {RELEASE} {SOURCE}
    LEFT JOIN ({_ON_DEMAND}) ON billing = 'spot' AND machine = ({_MACHINE})"""
# tables whose rows are not simply those of the lake
RELATIONS = {
    "price": PRICE,
    "gpu_label": f"SELECT DISTINCT * {AS_PARSED}",
    "exchange_rate": f"{AS_PARSED} QUALIFY row_number() OVER (PARTITION BY date, currency ORDER BY _path DESC) = 1",
}
