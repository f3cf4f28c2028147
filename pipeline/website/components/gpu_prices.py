"""Prices on the page of a GPU: current offers, price history, conflicts between sources, and labels that mean it."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from pipeline.website.charts.history import price_history
from pipeline.website.components import market
from pipeline.website.components.database import Row
from pipeline.website.components.figures import Figure, render_figure
from pipeline.website.components.labels import short_gpu, words
from pipeline.website.components.market import plural
from pipeline.website.components.numbers import day, usd
from pipeline.website.components.queries import run_query
from pipeline.website.i18n.language import gettext
from pipeline.website.rendering import PageWriter

LEAST_DAYS = 5
LONGEST_GAP_DAYS = 45
_HISTORY = """
    SELECT h.gpu_model_id, m.name AS model, h.billing, h.date, h.n_offers, h.n_providers, h.usd_min, d.low_provider, h.usd_median
    FROM price_history h
    JOIN price_daily d ON (d.gpu_model_id, d.gpu_id, d.billing, d.date) = (h.gpu_model_id, h.gpu_id, h.billing, h.date)
        AND d.kind = 'cloud_rental' AND d.commitment = 'none'
    JOIN gpu_model m ON m.gpu_model_id = h.gpu_model_id
    WHERE h.gpu_id = 'any' AND h.billing IN ('on_demand', 'spot') ORDER BY h.gpu_model_id, h.billing, h.date
"""
CONFLICTS = """
    SELECT c.* EXCLUDE (gpu_id), g.gpu_id, coalesce(g.name, m.name) AS name
    FROM price_comparison c JOIN gpu_model m USING (gpu_model_id) LEFT JOIN gpu g USING (gpu_id)
    WHERE conflict ORDER BY c.gpu_model_id, c.gpu_id, provider, billing, commitment, source_a, source_b
"""
PURCHASES = """
    SELECT g.gpu_model_id, gpu_id, g.name, observed_at, provider, coalesce(instance_type, raw_gpu_name) AS offer, kind,
        usd_per_gpu, source_id, coalesce(contains(flags, 'CONFLICT'), false) AS conflict, qualifier = 'estimate' AS estimated,
        CASE WHEN observation_id IN (SELECT observation_id FROM price_latest) THEN offer_key ELSE observation_id END AS row_key
    FROM price JOIN gpu g USING (gpu_id) WHERE usd_per_gpu IS NOT NULL
    ORDER BY kind, observed_at DESC, usd_per_gpu, observation_id
"""
_NAMES = """
    SELECT gpu_id, source_id, raw_gpu_name, gpu_context, reported_memory_gb, rule FROM gpu_label
    WHERE gpu_id IS NOT NULL ORDER BY raw_gpu_name, source_id, gpu_context, reported_memory_gb
"""
_SPANS = """
    SELECT gpu_model_id, billing, n_days, first_day, last_day, n_offers_first, n_offers_last, usd_first, usd_last, price_index,
        n_matched, chain_from
    FROM price_history_summary WHERE gpu_id = 'any' ORDER BY gpu_model_id, n_days DESC, billing
"""


def group_by_gpu(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Group rows by their GPU."""
    return _group(rows, "gpu_id")


def _group(rows: Iterable[Row], key: str) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row[key]].append(row)
    return grouped


class GpuPrices:
    """The prices of all GPUs, read once; `of` returns those of one."""

    def __init__(self, writer: PageWriter, cards: list[Row]) -> None:
        data = writer.data
        offers = market.offer_groups(data)
        self._own_offers = group_by_gpu(offers)
        self._open_offers = _group((row for row in offers if row["gpu_id"] is None), "gpu_model_id")
        self._purchases = group_by_gpu(data.rows(PURCHASES))
        self._conflicts = _group(data.rows(CONFLICTS), "gpu_model_id")
        self._names = group_by_gpu(data.rows(_NAMES))
        self._span_query = run_query(data, _SPANS)
        self._spans = _group(self._span_query.rows, "gpu_model_id")
        self._models = {row["gpu_model_id"]: row["name"] for row in data.rows("SELECT gpu_model_id, name FROM gpu_model")}
        self._variants = _group(cards, "gpu_model_id")
        days = _group(data.rows(_HISTORY), "gpu_model_id")
        figures = {model: _history(days[model]) for model in self._variants}
        self._history = {model: render_figure(writer, "../../", figure) for model, figure in figures.items() if figure}
        billings = list(dict.fromkeys(row["billing"] for row in offers if not row["stale"]))
        self._markets = {billing: market.rental_market(data, billing) for billing in billings}
        self._model_markets = {billing: market.model_market(data, billing) for billing in billings}

    def of(self, card: Row) -> dict[str, Any]:
        gpu_id, model = card["gpu_id"], card["gpu_model_id"]
        open_offers = [row for row in self._open_offers[model] if gpu_id in row["candidates"].split(",")]
        offers = self._own_offers[gpu_id] + open_offers
        return {
            "model": self._models[model],
            "variants": [one for one in self._variants[model] if one["gpu_id"] != gpu_id],
            "offers": [row for row in offers if not row["stale"]],
            "past_offers": [row for row in offers if row["stale"]],
            "market": {billing: rows[gpu_id] for billing, rows in self._markets.items() if gpu_id in rows},
            "model_market": {billing: rows[model] for billing, rows in self._model_markets.items() if model in rows},
            "history": self._history.get(model),
            "spans": self._spans[model],
            "spans_sql": self._span_query.sql,
            "conflicts": self._conflicts[model],
            "purchases": self._purchases[gpu_id],
            "names": self._names[gpu_id],
        }


def _history(rows: list[Row]) -> Figure | None:
    """Return the chart of a model's on-demand and spot prices; None if there are too few days."""
    if len({row["date"] for row in rows}) < LEAST_DAYS:
        return None
    name = short_gpu(rows[0]["model"], rows[0]["gpu_model_id"])
    stretches = {billing: split_stretches(one) for billing, one in _group(rows, "billing").items()}
    first, last = min(row["date"] for row in rows), max(row["date"] for row in rows)
    return Figure(
        name=f"price-{rows[0]['gpu_model_id']}",
        heading=gettext("Rental price by day"),
        direction=gettext("lower is better"),
        finding=" ".join(_movement_text(name, one[-1]) for one in stretches.values()),
        dated=gettext("{first} to {last}", first=day(first), last=day(last)),
        source=gettext("table price_daily"),
        chart=price_history([point for one in stretches.values() for point in _chart_rows(one)]),
        rows=[row | {"billing": words(row["billing"])} for row in rows],
        columns=[
            ("date", "Day"),
            ("billing", "Billing"),
            ("usd_median", gettext("Median of providers, USD")),
            ("usd_min", gettext("Lowest, USD")),
            ("low_provider", gettext("Cheapest provider")),
            ("n_offers", "Offers"),
            ("n_providers", "Providers"),
        ],
        note=gettext(
            "All form factors and memory sizes of the {name}. Thick lines: the median over providers, where there are three or "
            "more. Thin lines: the cheapest offer. Bars: offers behind each day. A line ends where nobody looked for more than "
            "{gap} days, and where the number of providers halves or doubles: a list of prices begins or ends there, and the "
            "step is no move of the market.",
            name=name,
            gap=LONGEST_GAP_DAYS,
        ),
    )


def split_stretches(rows: list[Row]) -> list[list[Row]]:
    """Split the days of one billing where days are missing, and where the number of providers halves or doubles."""
    stretches: list[list[Row]] = [[]]
    for row in rows:
        before = stretches[-1][-1] if stretches[-1] else row
        few, many = sorted((before["n_providers"], row["n_providers"]))
        if (row["date"] - before["date"]).days > LONGEST_GAP_DAYS or many >= 2 * few:
            stretches.append([])
        stretches[-1].append(row)
    return [stretch for stretch in stretches if stretch]


def _chart_rows(stretches: list[list[Row]]) -> Iterator[dict[str, Any]]:
    """Yield the points of one billing, each stretch as a line of its own."""
    keys = ("usd_min", "low_provider", "usd_median", "n_offers", "n_providers")
    for number, stretch in enumerate(stretches):
        for row in stretch:
            billing = words(row["billing"])
            named = {"day": f"{row['date']:%Y-%m-%d}T00:00:00", "billing": billing, "line": f"{billing} {number}"}
            yield named | {key: row[key] for key in keys}


def _movement_text(name: str, rows: list[Row]) -> str:
    """Return the cheapest price of one billing at both ends of the newest stretch of days, with its change."""
    first, last = rows[0], rows[-1]
    change = last["usd_min"] / first["usd_min"] - 1
    texts = {
        "name": name,
        "billing": words(rows[0]["billing"]).lower(),
        "providers": plural(last["n_providers"], "provider"),
        "first": usd(first["usd_min"]),
        "last": usd(last["usd_min"]),
        "first_day": day(first["date"]),
        "last_day": day(last["date"]),
        "change": f"{abs(change):.0%}",
    }
    if abs(change) < 0.005:
        return gettext("{name}, {billing}: from {last} on {last_day} ({providers}), as on {first_day}.", **texts)
    if change > 0:
        return gettext("{name}, {billing}: from {last} on {last_day} ({providers}), {change} above {first_day}.", **texts)
    return gettext("{name}, {billing}: from {last} on {last_day} ({providers}), {change} below {first_day}.", **texts)
