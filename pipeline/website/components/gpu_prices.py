"""Prices on the page of a GPU: current offers, price history, conflicts between sources, and labels that mean it."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
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
_HISTORY = """
    SELECT gpu_id, billing, date, n_offers, n_providers, usd_min, usd_p25, usd_median, usd_p75, usd_matched, price_index,
        chain_from
    FROM price_history WHERE recent ORDER BY gpu_id, billing, date
"""
_CONFLICTS = """
    SELECT * FROM price_comparison WHERE conflict ORDER BY gpu_id, provider, billing, commitment, source_a, source_b
"""
PURCHASES = """
    SELECT gpu_id, observed_at, provider, coalesce(instance_type, raw_gpu_name) AS offer, kind, usd_per_gpu, price.source_id,
        coalesce(contains(flags, 'CONFLICT'), false) AS conflict, url
    FROM price JOIN snapshot USING (snapshot_id) WHERE gpu_id IS NOT NULL AND usd_per_gpu IS NOT NULL
    ORDER BY kind, observed_at DESC, usd_per_gpu, observation_id
"""
_NAMES = """
    SELECT gpu_id, source_id, raw_gpu_name, gpu_context, reported_memory_gb, rule FROM gpu_label
    WHERE gpu_id IS NOT NULL ORDER BY raw_gpu_name, source_id, gpu_context, reported_memory_gb
"""
_SPANS = """
    SELECT gpu_id, billing, n_days, first_day, last_day, n_offers_first, n_offers_last, usd_first, usd_last, price_index,
        n_matched, chain_from
    FROM price_history_summary ORDER BY gpu_id, n_days DESC, billing
"""


def group_by_gpu(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Group rows by their GPU."""
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["gpu_id"]].append(row)
    return grouped


class GpuPrices:
    """The prices of all GPUs, read once; `of` returns those of one."""

    def __init__(self, writer: PageWriter, cards: list[Row]) -> None:
        data = writer.data
        self._lines = group_by_gpu(market.offer_groups(data))
        self._purchases = group_by_gpu(data.rows(PURCHASES))
        self._conflicts = group_by_gpu(data.rows(_CONFLICTS))
        self._names = group_by_gpu(data.rows(_NAMES))
        self._unassigned = group_by_gpu(market.unassigned(data))
        self._span_query = run_query(data, _SPANS)
        self._spans = group_by_gpu(self._span_query.rows)
        history = group_by_gpu(data.rows(_HISTORY))
        figures = {card["gpu_id"]: _history(card, history[card["gpu_id"]]) for card in cards}
        self._history = {gpu_id: render_figure(writer, "../../", figure) for gpu_id, figure in figures.items() if figure}
        self._medians = {
            billing: market.rental_market(data, billing)
            for billing in dict.fromkeys(row["billing"] for rows in self._lines.values() for row in rows if not row["stale"])
        }

    def of(self, card: Row) -> dict[str, Any]:
        gpu_id = card["gpu_id"]
        return {
            "offers": self._lines[gpu_id],
            "medians": {billing: by_gpu[gpu_id] for billing, by_gpu in self._medians.items() if gpu_id in by_gpu},
            "history": self._history.get(gpu_id),
            "spans": self._spans[gpu_id],
            "spans_sql": self._span_query.sql,
            "conflicts": self._conflicts[gpu_id],
            "purchases": self._purchases[gpu_id],
            "names": self._names[gpu_id],
            "unassigned": self._unassigned[gpu_id],
        }


def _history(card: Row, rows: list[Row]) -> Figure | None:
    """Return the chart of the billing with the longest history; None if it has too few days."""
    billings = dict.fromkeys(row["billing"] for row in rows)
    by_billing = {billing: [row for row in rows if row["billing"] == billing] for billing in billings}
    billing = max(by_billing, key=lambda one: (len(by_billing[one]), one == "on_demand"), default=None)
    if billing is None or len(by_billing[billing]) < LEAST_DAYS:
        return None
    points = by_billing[billing]
    name = short_gpu(card["name"], card["gpu_id"])
    return Figure(
        name=f"price-{card['gpu_id']}",
        heading=gettext("Price by day, {billing}", billing=words(billing).lower()),
        direction=gettext("lower is better"),
        finding=f"{name}: {_movement_text(points)}",
        dated=gettext("{first} to {last}", first=day(points[0]["date"]), last=day(points[-1]["date"])),
        source=gettext("tables price_daily and price_index"),
        chart=price_history([_chart_row(row) for row in points]),
        rows=points,
        columns=[
            ("date", "Day"),
            ("usd_median", gettext("Median, USD")),
            ("usd_p25", gettext("Lower quartile, USD")),
            ("usd_p75", gettext("Upper quartile, USD")),
            ("usd_min", gettext("Lowest, USD")),
            ("usd_matched", gettext("Same offers, USD")),
            ("price_index", gettext("Index of matched offers")),
            ("n_offers", "Offers"),
            ("n_providers", "Providers"),
        ],
        note=gettext(
            "Strong: median of the day's offers, in the band of its quartiles. Dashed: where it would be had the same "
            "offers been listed throughout (changes of price alone, not of who is listed). Bars at the foot: offers behind "
            "each day. Earlier single days are in price_daily."
        ),
    )


def _chart_row(row: Row) -> dict[str, Any]:
    keys = ("usd_p25", "usd_median", "usd_p75", "usd_matched", "n_offers")
    at: dt.date = row["date"]
    return {"day": f"{at:%Y-%m-%d}T00:00:00", "chain": str(row["chain_from"])} | {key: row[key] for key in keys}


def _movement_text(rows: list[Row]) -> str:
    first, last = rows[0], rows[-1]
    text = gettext(
        "the median went from {first} ({offers}) to {last} ({offers_last})",
        first=usd(first["usd_median"]),
        offers=plural(first["n_offers"], "offer"),
        last=usd(last["usd_median"]),
        offers_last=plural(last["n_offers"], "offer"),
    )
    if last["chain_from"] is None or first["chain_from"] != last["chain_from"]:
        return gettext("{text}; no offer was listed throughout.", text=text)
    change = last["usd_matched"] / first["usd_matched"] - 1
    details = {"text": text, "change": f"{abs(change):.1%}"}
    if abs(change) < 0.0005:
        return gettext("{text}; the same offers did not move.", **details)
    if change > 0:
        return gettext("{text}; the same offers rose by {change}.", **details)
    return gettext("{text}; the same offers fell by {change}.", **details)
