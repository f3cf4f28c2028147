"""How a provider's prices moved: the price level of the same offers by day with the number of offers, and each card's first and
newest price. Single changes of price are in providers."""

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
from pipeline.website.rendering import PageWriter, slug

LEAST_DAYS = 5
LONGEST_GAP_DAYS = 45
Kept = dict[str, list[Row]]
_DAYS = "SELECT * FROM provider_index ORDER BY provider, billing, date"
_CARDS = """
    SELECT h.provider, h.gpu_id, g.name, h.billing, h.commitment_months, h.n_offers, h.first_day, h.last_day, h.n_changes,
        h.usd_per_gpu_hour_first AS usd_first, h.usd_per_gpu_hour_last AS usd_last,
        h.usd_per_gpu_hour_min AS usd_min, h.usd_per_gpu_hour_max AS usd_max
    FROM provider_gpu_history h LEFT JOIN gpu g USING (gpu_id)
    ORDER BY h.provider, h.n_changes DESC, h.gpu_id, h.billing, h.commitment_months
"""


class ProviderHistory:
    """The history of all providers, read once; `of` gives what one provider's page shows."""

    def __init__(self, writer: PageWriter) -> None:
        days = _by_slug(writer.data.rows(_DAYS))
        self._asked: Query = run_query(writer.data, _CARDS)
        self._cards = _by_slug(self._asked.rows)
        kept = {name: _kept(rows) for name, rows in days.items()}
        self._told = {name: _finding(found) for name, found in kept.items() if found}
        moved = {name: _figure(name, found) for name, found in kept.items() if _has_moved(found)}  # a flat line shows nothing
        self._figures = {name: render_figure(writer, "../../", figure) for name, figure in moved.items()}

    def of(self, name: str) -> dict[str, Any]:
        """What the page at this slug shows."""
        return {
            "history": self._figures.get(name),
            "told": self._told.get(name),
            "seen": self._cards[name],
            "seen_sql": self._asked.sql,
        }


def _by_slug(rows: list[Row]) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        grouped[slug(row["provider"])].append(row)
    return grouped


def _kept(rows: list[Row]) -> Kept:
    """The newest stretch of days of each billing, where it is long enough to speak of."""
    found = {billing: _stretch(list(group)) for billing, group in groupby(rows, key=lambda row: row["billing"])}
    return {billing: group for billing, group in found.items() if len(group) >= LEAST_DAYS}


def _has_moved(kept: Kept) -> bool:
    return any(len({row["price_index"] for row in group}) > 1 for group in kept.values())


def _finding(kept: Kept) -> str:
    return gettext("; ").join(_moved(billing, group) for billing, group in kept.items()) + gettext(".")


def _figure(name: str, kept: Kept) -> Figure:
    shown = [row for group in kept.values() for row in group]
    first, last = min(row["date"] for row in shown), max(row["date"] for row in shown)
    return Figure(
        name=f"provider-{name}",
        heading=gettext("Price level by day"),
        direction=gettext("lower is better"),
        finding=_finding(kept),
        dated=gettext("{first} to {last}", first=day(first), last=day(last)),
        source=gettext("table provider_index"),
        chart=history.provider_history([_drawn(row) for row in shown]),
        rows=[row | {"billing": words(row["billing"])} for row in shown],
        columns=[
            ("date", "Day"),
            ("billing", "Billing"),
            ("price_index", gettext("Index of matched offers")),
            ("n_matched", gettext("Offers also seen the day before")),
            ("n_offers", "Offers"),
            ("n_gpus", "Cards"),
            ("chain_from", gettext("Chain since")),
        ],
        note=gettext(
            "Lines: prices of the offers that were listed on both of two days, as a chain from 1; an offer that comes or "
            "goes moves nothing, and where no offer joins two days the line begins anew. Bars at the foot: offers of each day."
        ),
    )


def _stretch(rows: list[Row]) -> list[Row]:
    """The newest days without a long gap: before it lie single dated documents, which no line should join."""
    gaps = [at for at in range(1, len(rows)) if (rows[at]["date"] - rows[at - 1]["date"]).days > LONGEST_GAP_DAYS]
    return rows[gaps[-1] if gaps else 0 :]


def _drawn(row: Row) -> dict[str, Any]:
    kept = {key: row[key] for key in ("price_index", "n_offers")}
    chain = f"{row['billing']} {row['chain_from']}"
    return {"day": f"{row['date']:%Y-%m-%d}T00:00:00", "billing": words(row["billing"]), "chain": chain} | kept


def _moved(billing: str, rows: list[Row]) -> str:
    """How far the newest chain of one billing went, and how many offers there were."""
    chain = [row for row in rows if row["chain_from"] == rows[-1]["chain_from"]]
    change = chain[-1]["price_index"] - 1
    told = {
        "billing": words(billing),
        "change": percent(abs(change)),
        "day": day(chain[0]["date"]),
        "first": rows[0]["n_offers"],
        "last": plural(rows[-1]["n_offers"], "offer"),
    }
    if abs(change) < 0.0005:
        return gettext("{billing}: the same offers did not move since {day} (from {first} to {last} in all)", **told)
    if change > 0:
        return gettext("{billing}: the same offers rose by {change} since {day} (from {first} to {last} in all)", **told)
    return gettext("{billing}: the same offers fell by {change} since {day} (from {first} to {last} in all)", **told)
