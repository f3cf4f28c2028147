"""From a source's own words to this dataset's: card identity, currency and unit, in one place for all sources.

FILLED says, as SQL over a row of the lake, how a `filled` column gets its value when a table is loaded;
PRICED is what `judge` makes of a parsed price. Columns that say where a row comes from begin with an
underscore; `release` is the build itself, `source` the row's source and `alias` what its raw_gpu_name means there.
"""

HOURS_PER_MONTH = 730
STALE_AFTER_DAYS = 7
RATE_AT_MOST_DAYS_OLD = 7
JUMP = 0.4
CONFLICT = 0.25

RELEASE = "CROSS JOIN release"
SOURCE = """LEFT JOIN (SELECT source_id AS id, parser_version, stale_after_days FROM source) AS source
    ON source.id = _source_id"""
ALIAS = """LEFT JOIN (SELECT alias AS label, scope, gpu_id AS card FROM gpu_alias) AS alias
    ON alias.label = raw_gpu_name AND alias.scope = _source_id"""

# the rows of the lake files that are bound to the statement's one parameter
AS_PARSED = "FROM read_parquet(?, union_by_name = true)"

_ROW_HASH = "sha256(_snapshot_id || ' ' || _locator)"
FILLED: dict[str, str] = {
    "source_id": "_source_id",
    "snapshot_id": "_snapshot_id",
    "locator": "_locator",
    "gpu_id": "alias.card",
    "observation_id": _ROW_HASH,
    "row_id": _ROW_HASH,
    "parser_version": "source.parser_version",
}

# a parsed price with the card that its label means: what the row says itself wins over what the label tells
_NAMED = """SELECT parsed.* REPLACE (
        coalesce(parsed.gpu_count, label_count::BIGINT) AS gpu_count,
        coalesce(parsed.gpu_fraction, label_fraction) AS gpu_fraction,
        CASE WHEN parsed.partition = 'whole' THEN coalesce(label_partition, 'whole') ELSE parsed.partition END AS partition),
    card AS gpu_id, label_code, label_reason
    FROM parsed LEFT JOIN label
    ON parsed.raw_gpu_name = label.raw_gpu_name AND coalesce(parsed.gpu_context, '') = label.context
    AND parsed.reported_memory_gb IS NOT DISTINCT FROM label.memory_gb"""
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
    FROM named ASOF LEFT JOIN rate ON named.currency = rate.currency AND named.observed_at >= rate.rate_date
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
_PRICE = "coalesce(usd_per_gpu_hour, usd_per_gpu)"
_BEFORE = f"lag({_PRICE}) OVER (PARTITION BY offer_key ORDER BY observed_at, effective_from, _locator)"
_PEERS = "OVER (PARTITION BY lower(provider), gpu_id, kind, billing, commitment_months, os, region, observed_at)"
_ON_DEMAND = """min(usd_per_gpu_hour) FILTER (billing = 'on_demand')
    OVER (PARTITION BY _source_id, provider, instance_type, gpu_id, gpu_count, region, os, observed_at)"""
_FLAGS = {
    "JUMP": f"abs({_PRICE} / {_BEFORE} - 1) > {JUMP}",
    "CONFLICT": (
        f"min(_source_id) {_PEERS} <> max(_source_id) {_PEERS}"
        f" AND max({_PRICE}) {_PEERS} > (1 + {CONFLICT}) * min({_PRICE}) {_PEERS}"
    ),
    "SPOT_NOT_BELOW_ON_DEMAND": f"billing = 'spot' AND usd_per_gpu_hour >= {_ON_DEMAND}",
    "STALE": "stale",
    "CPU_STARVED": "vcpus / gpu_count < 4",
    "FROM_PRICE": "qualifier = 'from'",
    "NO_RATE": "currency <> 'USD' AND fx_rate IS NULL",
}
# table price: the judged rows with their offer, their age, and what is remarkable beside other rows
_OFFER_TEXT = ", ".join(f"coalesce(({part})::VARCHAR, '')" for part in _OFFER)
_FLAG_TEXT = ", ".join(f"CASE WHEN {rule} THEN '{flag}' END" for flag, rule in _FLAGS.items())
PRICE = f"""
SELECT *, nullif(concat_ws(',', {_FLAG_TEXT}), '') AS flags
FROM (
    SELECT row.*,
        md5(concat_ws('|', {_OFFER_TEXT})) AS offer_key,
        release.as_of - observed_at > coalesce(source.stale_after_days, {STALE_AFTER_DAYS}) AS stale
    FROM ({AS_PARSED}) AS row {RELEASE} {SOURCE}
)"""
# tables whose rows are not simply those of the lake
RELATIONS = {
    "price": PRICE,
    "gpu_label": f"SELECT DISTINCT * {AS_PARSED}",
    "exchange_rate": f"{AS_PARSED} QUALIFY row_number() OVER (PARTITION BY date, currency ORDER BY _path DESC) = 1",
}
