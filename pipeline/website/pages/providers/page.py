"""One page per provider and a table of all: current offers, comparison with other providers, price history, sources.

The address of a page is the slug of the provider's name.
"""

from markupsafe import Markup

from pipeline.website.components import market
from pipeline.website.components.gpu_prices import CONFLICTS, PURCHASES
from pipeline.website.i18n.language import gettext
from pipeline.website.pages.providers import provider_history
from pipeline.website.pages.providers.provider_history import group_by_slug
from pipeline.website.writing.database import Row, Rows
from pipeline.website.writing.labels import short_gpu, words
from pipeline.website.writing.links import provider_name, slug
from pipeline.website.writing.numbers import usd
from pipeline.website.writing.page_writer import PageWriter

MOVES_SHOWN = 60
_PROVIDERS = """
    SELECT provider, n_gpus, n_offers, n_gpus_cheapest, usd_per_gpu_hour_low, n_gpus_to_buy, n_moves, first_move,
        first_day, last_day
    FROM provider_summary ORDER BY provider
"""
_SUBSCRIPTIONS = """
    SELECT provider, observed_at, coalesce(instance_type, raw_gpu_name) AS offer, kind, amount, currency, price_unit, source_id
    FROM price WHERE gpu_model_id IS NULL AND price_basis <> 'host_only' ORDER BY observed_at DESC, amount, observation_id
"""
_TABLES = {
    "rivals": """
        SELECT r.provider, r.gpu_model_id, r.stated_gpu_id AS gpu_id, coalesce(g.name, m.name) AS name, r.billing,
            r.commitment_months, r.usd_per_gpu_hour AS usd, r.price_date,
            r.rank, r.n_providers, r.usd_per_gpu_hour_elsewhere AS usd_elsewhere, r.provider_elsewhere AS elsewhere
        FROM provider_rival r
        JOIN gpu_model m USING (gpu_model_id)
        LEFT JOIN gpu g ON g.gpu_id = r.stated_gpu_id
        WHERE r.gpu_id = 'any'
        ORDER BY r.provider, rank, r.n_providers DESC, r.gpu_model_id, r.billing, r.commitment_months
    """,
    "moves": f"""
        SELECT m.provider, m.gpu_id, coalesce(g.name, n.name) AS name, m.billing,
            m.commitment_months, m.region, m.valid_from, m.valid_to,
            m.usd_before, m.usd, m.change
        FROM price_move m
        JOIN gpu_model n USING (gpu_model_id)
        LEFT JOIN gpu g USING (gpu_id)
        WHERE m.kind = 'cloud_rental' AND m.partition = 'whole' AND m.rank <= {MOVES_SHOWN}
        ORDER BY m.provider, m.valid_from DESC, m.gpu_model_id, m.gpu_id, m.billing, m.region, m.offer_key
    """,
    "purchases": PURCHASES,
    "conflicts": CONFLICTS,
    "subscriptions": _SUBSCRIPTIONS,
    "listed": """
        SELECT provider, source_id, n_prices, first_day, last_day
        FROM provider_source ORDER BY last_day DESC, n_prices DESC, source_id
    """,
    "names": "SELECT provider, alias, rule FROM provider_alias ORDER BY alias",
    "facts": """
        SELECT coalesce(a.provider, lower(trim(f.raw_provider))) AS provider, f.attribute, f.value, f.citation, f.unverified
        FROM provider_fact f
        LEFT JOIN provider_alias a ON a.alias = lower(trim(f.raw_provider))
        ORDER BY provider, list_position(['name', 'homepage_url', 'pricing_url', 'feed_url', 'country'], f.attribute), f.attribute
    """,
    "seen": provider_history.GPUS,
}
Parts = dict[str, dict[str, Rows]]


def write(writer: PageWriter) -> None:
    """Write every provider's page and the table of providers."""
    data = writer.data
    tables = data.results(_TABLES) | {"offers": market.offer_groups(data)}
    parts = {name: group_by_slug(rows) for name, rows in tables.items()}
    pages = group_by_slug(data.rows(_PROVIDERS))
    figures, findings = provider_history.figures(writer), provider_history.findings(data)
    for name, rows in pages.items():
        own = {part: sections[name] for part, sections in parts.items()}
        _write_one(writer, rows, own, figures.get(name), findings.get(name))
    _write_table(writer, [_summary(rows, parts, name) for name, rows in pages.items()])


def _write_one(writer: PageWriter, rows: list[Row], sections: dict[str, Rows], chart: Markup | None, finding: str | None) -> None:
    provider = rows[0]["provider"]
    name = provider_name(provider, writer.data.sellers)
    best = [row for row in sections["rivals"] if row["rank"] == 1]
    writer.write_page(
        f"providers/{slug(provider)}",
        gettext("{name}: GPU prices", name=name),
        gettext("What {name} charges for GPUs, by GPU and billing, with date and source, and where it is cheapest.", name=name),
        "provider.md.j2",
        provider=provider,
        last_day=rows[0]["last_day"],
        n_moves=rows[0]["n_moves"],
        first_move=rows[0]["first_move"],
        unbeaten=[row for row in best if row["n_providers"] > 1],
        alone=[row for row in best if row["n_providers"] == 1],
        terms=market.commitment_text,
        at=_at,
        **sections,
        history=chart,
        finding=finding,
    )


def _at(row: Row) -> str:
    """Return a price with its GPU and billing."""
    offer = gettext(", ").join((short_gpu(row["name"], row["gpu_model_id"]), words(row["billing"]).lower()))
    return f"{usd(row['usd'])} ({offer})"


def _summary(rows: list[Row], parts: Parts, name: str) -> Row:
    """Return the row of a provider in the table of all."""
    billings = list(dict.fromkeys(rival["billing"] for rival in parts["rivals"][name]))
    return rows[0] | {"billings": billings, "sources": [source["source_id"] for source in parts["listed"][name]]}


def _write_table(writer: PageWriter, rows: list[Row]) -> None:
    order = sorted(rows, key=lambda row: (-row["n_gpus"], -row["n_offers"], row["provider"]))
    writer.write_page(
        "providers",
        "Providers",
        "Every provider and seller of GPUs in the data: number of GPUs, lowest prices and age of prices.",
        providers=order,
        renting=sum(row["n_gpus"] > 0 for row in rows),
    )
