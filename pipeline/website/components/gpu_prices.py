"""What a card's page says of its prices: offers now, how the price moved, where sources differ, which names meant the card."""

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
LONGEST_GAP_DAYS = 45
_HISTORY = """
    SELECT d.gpu_id, d.billing, d.date, d.n_offers, d.n_providers, d.usd_min, d.usd_p25, d.usd_median, d.usd_p75,
        i.price_index, i.chain_from
    FROM price_daily d LEFT JOIN price_index i USING (gpu_id, kind, billing, date)
    WHERE d.kind = 'cloud_rental' AND d.commitment = 'none' ORDER BY d.gpu_id, d.billing, d.date
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
    SELECT d.gpu_id, d.billing, count(*) AS n_days, min(d.date) AS first_day, max(d.date) AS last_day,
        first(d.n_offers ORDER BY d.date) AS n_offers_first, last(d.n_offers ORDER BY d.date) AS n_offers_last,
        first(d.usd_median ORDER BY d.date) AS usd_first, last(d.usd_median ORDER BY d.date) AS usd_last,
        last(i.price_index ORDER BY d.date) AS price_index, last(i.n_matched ORDER BY d.date) AS n_matched,
        last(i.chain_from ORDER BY d.date) AS chain_from
    FROM price_daily d LEFT JOIN price_index i ON (i.gpu_id, i.kind, i.billing, i.date) = (d.gpu_id, d.kind, d.billing, d.date)
    WHERE d.kind = 'cloud_rental' AND d.commitment = 'none'
    GROUP BY d.gpu_id, d.billing ORDER BY d.gpu_id, n_days DESC, d.billing
"""


def by_card(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of each card."""
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[row["gpu_id"]].append(row)
    return grouped


class CardPrices:
    """The prices of all cards, read once; `of` gives what one card's page shows."""

    def __init__(self, writer: PageWriter, cards: list[Row]) -> None:
        data = writer.data
        self._lines = by_card(market.offer_groups(data))
        self._purchases = by_card(data.rows(PURCHASES))
        self._conflicts = by_card(data.rows(_CONFLICTS))
        self._names = by_card(data.rows(_NAMES))
        self._unassigned = by_card(market.unassigned(data))
        self._asked = run_query(data, _SPANS)
        self._spans = by_card(self._asked.rows)
        history = by_card(data.rows(_HISTORY))
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
            "medians": {billing: found[gpu_id] for billing, found in self._medians.items() if gpu_id in found},
            "history": self._history.get(gpu_id),
            "spans": self._spans[gpu_id],
            "spans_sql": self._asked.sql,
            "conflicts": self._conflicts[gpu_id],
            "purchases": self._purchases[gpu_id],
            "names": self._names[gpu_id],
            "unassigned": self._unassigned[gpu_id],
        }


def _history(card: Row, rows: list[Row]) -> Figure | None:
    """How the price moved on the billing that has the longest history; None where there is too little to draw."""
    billings = dict.fromkeys(row["billing"] for row in rows)
    found = {billing: _stretch([row for row in rows if row["billing"] == billing]) for billing in billings}
    billing = max(found, key=lambda one: (len(found[one]), one == "on_demand"), default=None)
    if billing is None or len(found[billing]) < LEAST_DAYS:
        return None
    shown = matched(found[billing])
    name = short_gpu(card["name"], card["gpu_id"])
    return Figure(
        name=f"price-{card['gpu_id']}",
        heading=gettext("Price by day, {billing}", billing=words(billing).lower()),
        direction=gettext("lower is better"),
        finding=f"{name}: {_moved(shown)}",
        dated=gettext("{first} to {last}", first=day(shown[0]["date"]), last=day(shown[-1]["date"])),
        source=gettext("tables price_daily and price_index"),
        chart=price_history([_drawn(row) for row in shown]),
        rows=shown,
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


def _stretch(rows: list[Row]) -> list[Row]:
    """The newest days without a long gap: before it lie single dated documents, which no line should join."""
    gaps = [at for at in range(1, len(rows)) if (rows[at]["date"] - rows[at - 1]["date"]).days > LONGEST_GAP_DAYS]
    return rows[gaps[-1] if gaps else 0 :]


def matched(rows: list[Row]) -> list[Row]:
    """The rows with the median at the start of each chain carried along the index of matched offers."""
    shown: list[Row] = []
    scale = 0.0
    for before, row in zip([None, *rows], rows, strict=False):
        if before is None or before["chain_from"] != row["chain_from"]:
            scale = row["usd_median"] / row["price_index"] if row["price_index"] else 0.0
        shown.append(row | {"usd_matched": row["price_index"] * scale if row["price_index"] else None})
    return shown


def _drawn(row: Row) -> dict[str, Any]:
    keys = ("usd_p25", "usd_median", "usd_p75", "usd_matched", "n_offers")
    at: dt.date = row["date"]
    return {"day": f"{at:%Y-%m-%d}T00:00:00", "chain": str(row["chain_from"])} | {key: row[key] for key in keys}


def _moved(rows: list[Row]) -> str:
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
    told = {"text": text, "change": f"{abs(change):.1%}"}
    if abs(change) < 0.0005:
        return gettext("{text}; the same offers did not move.", **told)
    if change > 0:
        return gettext("{text}; the same offers rose by {change}.", **told)
    return gettext("{text}; the same offers fell by {change}.", **told)
