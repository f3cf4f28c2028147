"""One page per provider and their table: what it offers now, where nobody is cheaper, how its prices moved, who lists it.

A provider's page stands at the slug of its name: capitals, spaces and points part no firms. What a card costs: card_prices.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from pipeline.website.components import market
from pipeline.website.components.database import Row
from pipeline.website.components.gpu_prices import PURCHASES
from pipeline.website.components.labels import month, short_gpu, short_source, sources, words
from pipeline.website.components.market import plural
from pipeline.website.components.numbers import day, usd
from pipeline.website.components.queries import run_query
from pipeline.website.i18n.language import gettext
from pipeline.website.pages.providers.provider_history import ProviderHistory
from pipeline.website.rendering import PageWriter, slug

_PROVIDERS = """
    SELECT provider, min(observed_at) AS first_day, max(observed_at) AS last_day, count(*) AS n_prices
    FROM price GROUP BY provider ORDER BY lower(provider), provider
"""
_RIVALS = """
    WITH seller AS (
        SELECT gpu_id, lower(provider) AS seller, billing, commitment_months, min(provider) AS provider, min(usd) AS usd,
            arg_min(price_date, usd) AS price_date
        FROM offer_current WHERE way = 'rent' AND NOT stale
        GROUP BY ALL
    )
    SELECT s.provider, s.gpu_id, g.name, s.billing, s.commitment_months, s.usd, s.price_date,
        count(o.seller) FILTER (o.usd < s.usd) + 1 AS place, count(o.seller) + 1 AS n_providers, min(o.usd) AS usd_elsewhere,
        first(o.provider ORDER BY o.usd, o.provider) FILTER (o.seller IS NOT NULL) AS elsewhere
    FROM seller s
    LEFT JOIN seller o ON (o.gpu_id, o.billing) = (s.gpu_id, s.billing) AND o.seller <> s.seller
        AND o.commitment_months IS NOT DISTINCT FROM s.commitment_months
    LEFT JOIN gpu g ON g.gpu_id = s.gpu_id
    GROUP BY ALL
    ORDER BY s.provider, place, n_providers DESC, s.gpu_id, s.billing, s.commitment_months
"""
_MOVES = """
    SELECT c.provider, c.gpu_id, g.name, c.billing, c.commitment_months, c.region, c.valid_from, c.valid_to,
        c.usd_per_gpu_hour / c.change_ratio AS usd_before, c.usd_per_gpu_hour AS usd, c.change_ratio - 1 AS change
    FROM price_change c LEFT JOIN gpu g USING (gpu_id)
    WHERE c.kind = 'cloud_rental' AND c.partition = 'whole' AND c.change_ratio <> 1
    ORDER BY lower(c.provider), c.valid_from DESC, c.gpu_id, c.billing, c.region, c.offer_key
"""
_SUBSCRIPTIONS = """
    SELECT provider, observed_at, coalesce(instance_type, raw_gpu_name) AS offer, kind, amount, currency, price_unit, source_id
    FROM price WHERE gpu_id IS NULL ORDER BY observed_at DESC, amount, observation_id
"""
_LISTED = """
    SELECT provider, source_id, count(*) AS n_prices, min(observed_at) AS first_day, max(observed_at) AS last_day
    FROM price GROUP BY ALL ORDER BY last_day DESC, n_prices DESC, source_id
"""
_NAMES = "SELECT provider, alias, rule FROM provider_alias ORDER BY alias"
Parts = dict[str, dict[str, list[Row]]]


def write(writer: PageWriter) -> None:
    """Write every provider's page and the table of providers."""
    data = writer.data
    rivals, moves = run_query(data, _RIVALS), run_query(data, _MOVES)
    asked = {"rivals": rivals.rows, "moves": moves.rows, "offers": market.offer_groups(data)}
    plain = {"purchases": PURCHASES, "subscriptions": _SUBSCRIPTIONS, "listed": _LISTED, "names": _NAMES}
    asked |= {name: data.rows(sql) for name, sql in plain.items()}
    parts = {name: _by_provider(rows) for name, rows in asked.items()}
    shared = {
        "cards": {row["gpu_id"]: short_gpu(row["name"], row["gpu_id"]) for row in data.rows("SELECT gpu_id, name FROM gpu")},
        "sources": sources(data),
        "rivals_sql": rivals.sql,
        "moves_sql": moves.sql,
    }
    pages, history = _by_provider(data.rows(_PROVIDERS)), ProviderHistory(writer)
    for name, rows in pages.items():
        _write_one(writer, rows, {part: found[name] for part, found in parts.items()}, shared | history.of(name))
    _write_table(writer, [_summary(rows, parts, name) for name, rows in pages.items()])


def _by_provider(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each provider by the slug of its name."""
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[slug(row["provider"])].append(row)
    return grouped


def _write_one(writer: PageWriter, rows: list[Row], found: dict[str, list[Row]], shared: dict[str, Any]) -> None:
    name = rows[0]["provider"]
    last_day = max(row["last_day"] for row in rows)
    best = [row for row in found["rivals"] if row["place"] == 1]
    writer.write_page(
        f"providers/{slug(name)}",
        "pages/providers/provider.md.j2",
        gettext("{name}: GPU prices", name=name),
        gettext(
            "What {name} charges for GPUs, by card and billing, with day and source, and where nobody is cheaper.", name=name
        ),
        provider=name,
        lead=_lead(found, last_day, writer.as_of),
        last_day=last_day,
        unbeaten=[row for row in best if row["n_providers"] > 1],
        alone=[row for row in best if row["n_providers"] == 1],
        words=words,
        month=month,
        short_gpu=short_gpu,
        short_source=short_source,
        terms=market.commitment_text,
        plural=plural,
        **found,
        **shared,
    )


def _lead(found: dict[str, list[Row]], last_day: dt.date, as_of: dt.date) -> str:
    """What it offers, in a sentence or two."""
    rented, bought = found["rivals"], found["purchases"]
    if rented:
        cards = len({row["gpu_id"] for row in rented})
        low, high = (choose(rented, key=lambda row: row["usd"]) for choose in (min, max))
        return gettext(
            "Rents out {card} now, from {low} to {high} an hour.", card=plural(cards, "card"), low=_at(low), high=_at(high)
        )
    age = gettext("the newest is of {last_day}, {days} old", last_day=day(last_day), days=plural((as_of - last_day).days, "day"))
    if found["offers"]:
        return gettext("No current rental price: {age}.", age=age)
    if bought:
        return gettext("Prices of {card} to buy; {age}.", card=plural(len({row["gpu_id"] for row in bought}), "card"), age=age)
    return gettext("No price of a whole card by the hour; {age}.", age=age)


def _at(row: Row) -> str:
    return f"{usd(row['usd'])} ({short_gpu(row['name'], row['gpu_id'])}, {words(row['billing']).lower()})"


def _summary(rows: list[Row], parts: Parts, name: str) -> Row:
    """The row of a provider in the table of all."""
    rivals, offers = parts["rivals"][name], parts["offers"][name]
    hourly = [row for row in rivals if row["billing"] == "on_demand"]
    return {
        "provider": rows[0]["provider"],
        "cards": len({row["gpu_id"] for row in rivals}),
        "offers": sum(row["n_counted"] for row in offers if not row["stale"]),
        "unbeaten": len({row["gpu_id"] for row in rivals if row["place"] == 1}),
        "usd": min((row["usd"] for row in hourly), default=None),
        "billings": list(dict.fromkeys(row["billing"] for row in rivals)),
        "bought": len({row["gpu_id"] for row in parts["purchases"][name]}),
        "last_day": max(row["last_day"] for row in rows),
        "sources": [row["source_id"] for row in parts["listed"][name]],
    }


def _write_table(writer: PageWriter, rows: list[Row]) -> None:
    order = sorted(rows, key=lambda row: (-row["cards"], -row["offers"], row["provider"].lower()))
    writer.write_page(
        "providers",
        "pages/providers/page.md.j2",
        "Providers",
        "Every provider and seller of GPUs in the data: how many cards, where nobody is cheaper, how old its prices are.",
        providers=order,
        renting=sum(row["cards"] > 0 for row in rows),
        sources=sources(writer.data),
        short_source=short_source,
        words=words,
    )
