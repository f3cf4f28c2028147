"""Prices on the page of a GPU: current offers, price history, and conflicts between sources."""

from collections.abc import Iterator
from typing import Any

from pipeline.website.components import market
from pipeline.website.components.figures import render_figure
from pipeline.website.components.price_chart.price_figure import ChartView, price_figure
from pipeline.website.components.price_chart.price_lines import CHEAPEST, MEDIAN
from pipeline.website.writing.database import Row, group_by
from pipeline.website.writing.page_writer import PageWriter

CHARTED = ("on_demand", "spot", "marketplace")
CONFLICTS = """
    SELECT c.* EXCLUDE (gpu_id), g.gpu_id, coalesce(g.name, m.name) AS name
    FROM price_conflict c JOIN gpu_model m USING (gpu_model_id) LEFT JOIN gpu g USING (gpu_id)
    ORDER BY c.gpu_model_id, c.gpu_id, provider, billing, commitment, last_day DESC, source_a, source_b
"""
PURCHASES = """
    SELECT g.gpu_model_id, gpu_id, g.name, observed_at, provider, kind, usd_per_gpu,
        regexp_replace(coalesce(instance_type, raw_gpu_name), '^' || regexp_escape(provider) || ' ', '', 'i') AS offer,
        source_id, snapshot_id, locator, coalesce(contains(flags, 'CONFLICT'), false) AS conflict,
        qualifier = 'estimate' AS estimated
    FROM price JOIN gpu g USING (gpu_id) WHERE usd_per_gpu IS NOT NULL
    ORDER BY kind = 'msrp', observed_at DESC, kind, usd_per_gpu, observation_id
"""
_SPANS = """
    SELECT gpu_model_id, billing, n_days, first_day, last_day, n_offers_first, n_offers_last, usd_first, usd_last, price_index,
        n_matched, chain_from
    FROM price_history_summary WHERE gpu_id = 'any' ORDER BY gpu_model_id, n_days DESC, billing
"""


class GpuPrices:
    """The prices of all GPUs, read once; `of` returns those of one."""

    def __init__(self, writer: PageWriter, gpus: list[Row]) -> None:
        data = writer.data
        offers = market.offer_groups(data)
        self._own_offers = group_by(offers, "gpu_id")
        self._open_offers = group_by((row for row in offers if row["gpu_id"] is None), "gpu_model_id")
        self._conflicts = group_by(data.rows(CONFLICTS), "gpu_model_id")
        self._spans = group_by(data.rows(_SPANS), "gpu_model_id")
        self._models = {row["gpu_model_id"]: row["name"] for row in data.rows("SELECT gpu_model_id, name FROM gpu_model")}
        self._variants = group_by(gpus, "gpu_model_id")
        views = {model: ChartView((model,), CHARTED, (CHEAPEST, MEDIAN), "all") for model in self._variants}
        figures = ((model, price_figure(data, f"price-{model}", view)) for model, view in views.items())
        self._history = {model: render_figure(writer, "../../", figure) for model, figure in figures if figure}
        billings = list(dict.fromkeys(row["billing"] for row in offers if not row["stale"]))
        self._markets = {billing: market.rental_market(data, billing) for billing in billings}
        self._model_markets = {billing: market.model_market(data, billing) for billing in billings}

    def of(self, gpu: Row) -> dict[str, Any]:
        gpu_id, model = gpu["gpu_id"], gpu["gpu_model_id"]
        open_offers = [row for row in self._open_offers[model] if gpu_id in row["candidates"].split(",")]
        own_market = {billing: rows[gpu_id] for billing, rows in self._markets.items() if gpu_id in rows}
        offers = _quoted_first(self._own_offers[gpu_id], own_market) + _quoted_first(open_offers, own_market)
        return {
            "model": self._models[model],
            "variants": [one for one in self._variants[model] if one["gpu_id"] != gpu_id],
            "offers": [row for row in offers if not row["stale"]],
            "past_offers": [row for row in offers if row["stale"]],
            "market": own_market,
            "other_market": dict(self._cheaper_variants(gpu_id, model)),
            "history": self._history.get(model),
            "spans": self._spans[model],
            "conflicts": self._conflicts[model],
        }

    def _cheaper_variants(self, gpu_id: str, model: str) -> Iterator[tuple[str, Row]]:
        """Yield by billing the market of the whole model, where another variant is cheaper than this one."""
        for billing, rows in self._model_markets.items():
            own = self._markets[billing].get(gpu_id)
            if model in rows and (own is None or rows[model]["usd_min"] < own["usd_min"]):
                yield billing, rows[model]


def _quoted_first(offers: list[Row], market: dict[str, Row]) -> list[Row]:
    """Return offers by billing and price, and first in each billing the one that the market quotes as its low."""
    quoted, billings = {row["observation_id"] for row in market.values()}, list(dict.fromkeys(row["billing"] for row in offers))
    return sorted(offers, key=lambda row: (row["stale"], billings.index(row["billing"]), row["observation_id"] not in quoted))
