"""Price history of a provider: price level of matched offers and number of offers by day, first and newest price of each GPU."""

from collections import defaultdict
from itertools import groupby
from typing import Any

from pipeline.website.charts import history
from pipeline.website.components.database import Row
from pipeline.website.components.figures import Figure, render_figure
from pipeline.website.components.labels import words
from pipeline.website.components.market import plural
from pipeline.website.components.numbers import day, percent
from pipeline.website.components.queries import Query, run_query
from pipeline.website.i18n.language import gettext
from pipeline.website.links import slug
from pipeline.website.rendering import PageWriter

LEAST_DAYS = 5
LONGEST_GAP_DAYS = 45
SHOWN_DAYS = 400
RecentDays = dict[str, list[Row]]
_DAYS = "SELECT * FROM provider_index ORDER BY provider, billing, date"
_CARDS = """
    SELECT h.provider, h.gpu_model_id, m.name, h.billing, h.commitment_months, h.n_offers, h.first_day, h.last_day, h.n_changes,
        h.usd_per_gpu_hour_first AS usd_first, h.usd_per_gpu_hour_last AS usd_last,
        h.usd_per_gpu_hour_min AS usd_min, h.usd_per_gpu_hour_max AS usd_max
    FROM provider_gpu_history h JOIN gpu_model m USING (gpu_model_id)
    ORDER BY h.provider, h.n_changes DESC, h.gpu_model_id, h.billing, h.commitment_months
"""


class ProviderHistory:
    """The price history of all providers, read once; `of` returns that of one."""

    def __init__(self, writer: PageWriter) -> None:
        days = _by_slug(writer.data.rows(_DAYS))
        self._query: Query = run_query(writer.data, _CARDS)
        self._cards = _by_slug(self._query.rows)
        recent = {name: _recent_days(rows) for name, rows in days.items()}
        self._findings = {name: _finding(groups) for name, groups in recent.items() if groups}
        moved = {
            name: _figure(name, groups) for name, groups in recent.items() if _has_moved(groups)
        }  # a flat line shows nothing
        self._figures = {name: render_figure(writer, "../../", figure) for name, figure in moved.items()}

    def of(self, name: str) -> dict[str, Any]:
        """Return the history of the provider with this slug."""
        return {
            "history": self._figures.get(name),
            "told": self._findings.get(name),
            "seen": self._cards[name],
            "seen_sql": self._query.sql,
        }


def _by_slug(rows: list[Row]) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[slug(row["provider"])].append(row)
    return grouped


def _recent_days(rows: list[Row]) -> RecentDays:
    """Return the newest stretch of days of each billing, where it has enough days."""
    groups = {billing: _stretch(list(group)) for billing, group in groupby(rows, key=lambda row: row["billing"])}
    return {billing: group for billing, group in groups.items() if len(group) >= LEAST_DAYS}


def _has_moved(recent: RecentDays) -> bool:
    return any(len({row["price_index"] for row in group}) > 1 for group in recent.values())


def _finding(recent: RecentDays) -> str:
    return gettext("; ").join(_movement_text(billing, group) for billing, group in recent.items()) + gettext(".")


def _figure(name: str, recent: RecentDays) -> Figure:
    points = [row for group in recent.values() for row in group]
    first, last = min(row["date"] for row in points), max(row["date"] for row in points)
    return Figure(
        name=f"provider-{name}",
        heading=gettext("Price level by day"),
        direction=gettext("lower is better"),
        finding=_finding(recent),
        dated=gettext("{first} to {last}", first=day(first), last=day(last)),
        source=gettext("table provider_index"),
        chart=history.provider_history([_chart_row(row) for row in points]),
        rows=[row | {"billing": words(row["billing"])} for row in points],
        columns=[
            ("date", "Day"),
            ("billing", "Billing"),
            ("price_index", gettext("Index of matched offers")),
            ("n_matched", gettext("Offers behind the step")),
            ("n_offers", "Offers"),
            ("n_gpus", "Cards"),
            ("chain_from", gettext("Chain since")),
        ],
        note=gettext(
            "Lines: prices of the offers that were listed on both of two days, as a chain from 1; an offer that comes or "
            "goes moves nothing, and where fewer than three offers join two days the line begins anew. Bars at the foot: offers "
            "of each day."
        ),
    )


def _stretch(rows: list[Row]) -> list[Row]:
    """Return the days of about the last year without a long gap, which no line should join."""
    rows = [row for row in rows if (rows[-1]["date"] - row["date"]).days <= SHOWN_DAYS]
    gaps = [at for at in range(1, len(rows)) if (rows[at]["date"] - rows[at - 1]["date"]).days > LONGEST_GAP_DAYS]
    return rows[gaps[-1] if gaps else 0 :]


def _chart_row(row: Row) -> dict[str, Any]:
    recent = {key: row[key] for key in ("price_index", "n_offers")}
    chain = f"{row['billing']} {row['chain_from']}"
    return {"day": f"{row['date']:%Y-%m-%d}T00:00:00", "billing": words(row["billing"]), "chain": chain} | recent


def _movement_text(billing: str, rows: list[Row]) -> str:
    """Return the change of the newest chain of one billing, and its number of offers."""
    chain = [row for row in rows if row["chain_from"] == rows[-1]["chain_from"]]
    change = chain[-1]["price_index"] - 1
    texts = {
        "billing": words(billing),
        "change": percent(abs(change)),
        "day": day(chain[0]["date"]),
        "first": rows[0]["n_offers"],
        "last": plural(rows[-1]["n_offers"], "offer"),
    }
    if abs(change) < 0.0005:
        return gettext("{billing}: the same offers did not move since {day} (from {first} to {last} in all)", **texts)
    if change > 0:
        return gettext("{billing}: the same offers rose by {change} since {day} (from {first} to {last} in all)", **texts)
    return gettext("{billing}: the same offers fell by {change} since {day} (from {first} to {last} in all)", **texts)
