"""Tables of prices as sources list them, one row per price observed."""

import datetime as dt
import enum
from typing import Annotated

from pipeline.schema.core import Col, Record, record
from pipeline.schema.provenance import Sourced

Billing = enum.StrEnum("Billing", "on_demand spot reserved savings_plan marketplace serverless bid_floor contact sustained_use")
KINDS = ("cloud_rental", "purchase_new", "purchase_used", "msrp", "subscription")
BILLINGS = tuple(terms.value for terms in Billing)
PRICE_UNITS = ("hour", "second", "month", "term_total", "unit")
PRICE_BASES = ("per_gpu", "per_instance", "per_node", "host_only")
PARTITIONS = ("whole", "fraction", "mig")
SCOPES = ("zone", "region", "global")
REMARKS = ("COMPOSITION_CHANGE", "SOURCE_ERROR")
HOST_STATED_BY = ("source", "instance_catalog", "provider_fact")
QUALIFIERS = ("exact", "from", "median", "capacity_only", "estimate")


@record("price", title="Prices", group="prices", key=("observation_id",))
class Price(Sourced):
    """One row per price as one source listed it on one day, with its terms. Rental prices are converted to USD per GPU-hour,
    purchase prices to USD per GPU.
    """

    observation_id: Annotated[str, Col("SHA-256 of snapshot_id and locator", filled=True)] = ""
    offer_key: Annotated[
        str, Col("Hash that identifies the offer across days: source, provider, machine, GPU, terms", filled=True)
    ] = ""
    observed_at: Annotated[
        dt.date,
        Col(
            "Day on which the price was seen; of several days the last, as in effective_to. Of a launch price (msrp) the day that "
            "its source gives, of the launch or the announcement, else the source's own day; it need not be gpu.release_date"
        ),
    ]
    effective_from: Annotated[dt.date | None, Col("First day that the price is valid")] = None
    effective_to: Annotated[
        dt.date | None, Col("Last day that the price is valid", check="effective_to >= effective_from")
    ] = None
    days_observed: Annotated[
        int | None,
        Col(
            "Days between these two on which the price was seen; empty = not stated",
            "day",
            check="days_observed BETWEEN 1 AND effective_to - effective_from + 1",
        ),
    ] = None
    provider: Annotated[str, Col("Provider or seller in small letters; one name per firm, see provider_alias")]
    raw_provider: Annotated[str | None, Col("Provider, as the source writes it", filled=True)] = None
    offer_id: Annotated[str | None, Col("The provider's own name of the offer")] = None
    instance_type: Annotated[str | None, Col("The provider's name of the machine")] = None
    raw_gpu_name: Annotated[str | None, Col("GPU, as the source writes it")]
    gpu_context: Annotated[str | None, Col("Further facts from the source: form factor, product line, family")] = None
    reported_memory_gb: Annotated[float | None, Col("Memory of one GPU as the source reports it", "GB", between=(0.5, 2000))] = (
        None
    )
    gpu_id: Annotated[str | None, Col("GPU that the name means; empty where it leaves the variant open", references="gpu.gpu_id", filled=True)] = None
    gpu_model_id: Annotated[
        str | None,
        Col(
            "Model that the name means, also where it leaves the variant open",
            references="gpu_model.gpu_model_id",
            check="gpu_model_id IS NOT NULL OR raw_gpu_name IS NULL",
            filled=True,
        ),
    ] = None
    unstated: Annotated[
        str | None,
        Col("Attributes that the name leaves open, comma-separated: form factor, memory, edition", filled=True),
    ] = None
    candidates: Annotated[
        str | None,
        Col(
            "GPUs that the name can mean where it states no variant, comma-separated",
            check="(candidates IS NOT NULL) = (gpu_id IS NULL AND gpu_model_id IS NOT NULL) AND (candidates IS NULL) = (unstated IS NULL)",
            filled=True,
        ),
    ] = None
    gpu_count: Annotated[int | None, Col("GPUs in the machine or lot; empty = not stated", between=(1, 1000))] = None
    gpu_fraction: Annotated[float | None, Col("Share of one GPU, where less than a whole is offered", "fraction", between=(0.001, 1))] = None
    partition: Annotated[str, Col("Whether a whole GPU is offered", values=PARTITIONS)] = "whole"
    region: Annotated[str | None, Col("Region, as the provider names it")] = None
    country: Annotated[str | None, Col("Country code, ISO 3166-1 alpha-2")] = None
    scope: Annotated[str, Col("Where the price is valid", values=SCOPES)] = "global"
    kind: Annotated[str, Col("Kind of price; msrp = launch price", values=KINDS)]
    billing: Annotated[str | None, Col("Billing terms of a rental; empty for other kinds of price", values=BILLINGS)] = None
    commitment_months: Annotated[int | None, Col("Term of a commitment; empty without one, and where it is not known", "month", above=0)] = None
    min_gpus: Annotated[int | None, Col("Smallest number of GPUs per offer", above=0)] = None
    os: Annotated[str | None, Col("Operating system that the price includes", values=("linux", "windows", "any"))] = None
    tier: Annotated[str | None, Col("The provider's class of service or of customer, such as community, secure or member")] = None
    tenancy: Annotated[str | None, Col("Sharing of the machine", values=("shared", "dedicated", "bare_metal"))] = None
    vcpus: Annotated[float | None, Col("Processor threads of the machine; of instance_catalog where the source does not state them", above=0)] = None
    host_memory_gb: Annotated[float | None, Col("Main memory of the machine, likewise", "GB", above=0)] = None
    storage_gb: Annotated[float | None, Col("Storage that the price includes", "GB", least=0)] = None
    price_raw: Annotated[str, Col("Price as the source prints it")]
    amount: Annotated[float, Col("Price as a number, in `currency` per `price_unit`", least=0)]
    currency: Annotated[str, Col("Currency code, ISO 4217", check="regexp_full_match(currency, '[A-Z]{3}')")]
    price_unit: Annotated[str, Col("Unit that `amount` is for", values=PRICE_UNITS)]
    price_basis: Annotated[str, Col("Whether the price is per GPU or per machine", values=PRICE_BASES)]
    qualifier: Annotated[str, Col("How exact the figure is", values=QUALIFIERS)] = "exact"
    upfront_usd: Annotated[
        float | None, Col("Upfront payment of a commitment", "USD", least=0)
    ] = None
    in_stock: Annotated[bool | None, Col("Whether the seller had it when the price was seen; empty = not stated")] = None
    sample_size: Annotated[int | None, Col("Listings behind a median", above=0)] = None
    remark: Annotated[
        str | None,
        Col(
            "Remark of the parser, which joins `flags`: COMPOSITION_CHANGE = the price includes other parts of the machine than "
            "later ones of the offer, so that the step between them is no move; SOURCE_ERROR = wrong at the source, in no statistic",
            values=REMARKS,
        ),
    ] = None
    includes_host: Annotated[bool | None, Col("Whether the price includes processor, memory and storage; empty = not stated")] = None
    host_stated_by: Annotated[
        str | None,
        Col(
            "What states `includes_host`: `source` = the price itself, else the table that shows it for the machine or the provider",
            values=HOST_STATED_BY,
            check="(host_stated_by IS NULL) = (includes_host IS NULL)",
            filled=True,
        ),
    ] = None
    fx_rate: Annotated[
        float | None, Col("USD per unit of `currency` on `fx_date`; 1 for USD", above=0, filled=True)
    ] = None
    fx_date: Annotated[dt.date | None, Col("Day of the exchange rate", filled=True)] = None
    hours_divisor: Annotated[
        float | None, Col("Hours that `price_unit` was divided by", "h", above=0, filled=True)
    ] = None
    usd_per_gpu_hour: Annotated[
        float | None, Col("Rental price of one whole GPU, that of a share over gpu_fraction; empty for other kinds of price, and for a host alone", "USD/(GPU·h)", between=(0.02, 200), filled=True)
    ] = None
    usd_per_gpu: Annotated[float | None, Col("Purchase price of one GPU; empty for other kinds of price", "USD/GPU", between=(10, 500000), filled=True)] = None
    stale: Annotated[
        bool, Col("Too old at the build's as_of to be current: see function max_price_age_days", filled=True)
    ] = False
    flags: Annotated[
        str | None,
        Col(
            "Comma-separated codes: JUMP = more than 40% from the offer's price before; CONFLICT = more than 10% from every price "
            "of another source; SPOT_NOT_BELOW_ON_DEMAND = a spot price no lower than on demand; STALE = `stale`; CPU_STARVED = "
            "fewer than 4 processor threads per GPU; FROM_PRICE = the lowest of several prices; OUT_OF_STOCK = not `in_stock`; "
            "NO_RATE = no exchange rate; and the codes of `remark`",
            filled=True,
        ),
    ] = None
    parser_version: Annotated[int, Col("Version of the parser that read it", filled=True)] = 0


@record("observed_day", title="Days of a price history", group="prices", key=("source_id", "date"))
class ObservedDay(Sourced):
    """One row per day on which a history saw its source, where the source states these days. Prices of the history are valid over
    intervals; see source_day for the days of all sources.
    """

    date: Annotated[dt.date, Col("Day on which the source was seen")]
    commit: Annotated[str, Col("Version of the source's file that was seen")]


@record("provider_alias", title="Names of providers", group="prices", key=("alias",))
class ProviderAlias(Record):
    """One row per name of a provider in a source, with its name in `price`. Upper and lower case are equal."""

    alias: Annotated[str, Col("Name as a source writes it, in lower case", check="alias = lower(trim(alias))")]
    provider: Annotated[str, Col("Name in price")]
    rule: Annotated[str, Col("Why it is the same firm")]


PROVIDER_FACTS = (
    "name", "homepage_url", "pricing_url", "feed_url", "country", "kind", "price_basis", "billing_granularity",
)  # fmt: skip


@record("provider_fact", title="Facts about providers", group="prices", key=("raw_provider", "attribute"))
class ProviderFact(Sourced):
    """One row per fact about a provider, with its source. Table provider has one row per provider."""

    raw_provider: Annotated[str, Col("Provider, as the source writes it")]
    attribute: Annotated[str, Col("Kind of fact, a column of table provider", values=PROVIDER_FACTS)]
    value: Annotated[str, Col("Value", check="attribute NOT LIKE '%_url' OR value LIKE 'https://%'")]
    citation: Annotated[str, Col("Source of this fact")]
    unverified: Annotated[bool, Col("No source at hand confirms it")]
