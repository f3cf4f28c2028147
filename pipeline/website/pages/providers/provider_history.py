"""Price history of a provider: its prices by day, the price level of matched offers, first and newest price of each GPU."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby, pairwise

from markupsafe import Markup

from pipeline.website.components.figures import render_figure
from pipeline.website.components.price_chart.price_figure import ChartView, price_figure
from pipeline.website.components.price_chart.price_lines import Line, read_lines
from pipeline.website.i18n.language import gettext
from pipeline.website.writing.database import Database, Row, Rows, group_by
from pipeline.website.writing.labels import plural, words
from pipeline.website.writing.links import slug
from pipeline.website.writing.numbers import day, percent
from pipeline.website.writing.page_writer import PageWriter

LEAST_DAYS = 5
SHOWN_DAYS = 400
MOST_GPUS = 6
RecentDays = dict[str, list[Row]]
_DAYS = "SELECT * FROM provider_index ORDER BY provider, billing, date"
GPUS = """
    SELECT h.provider, h.gpu_model_id, m.name, h.billing, h.commitment_months, h.n_offers, h.first_day, h.last_day, h.n_changes,
        h.usd_per_gpu_hour_first AS usd_first, h.usd_per_gpu_hour_last AS usd_last,
        h.usd_per_gpu_hour_min AS usd_min, h.usd_per_gpu_hour_max AS usd_max
    FROM provider_gpu_history h JOIN gpu_model m USING (gpu_model_id)
    ORDER BY h.provider, h.n_changes DESC, h.gpu_model_id, h.billing, h.commitment_months
"""


def findings(data: Database) -> dict[str, str]:
    """Return the movement of matched offers in words, by the slug of the provider."""
    recent = {name: _recent_days(rows) for name, rows in group_by_slug(data.rows(_DAYS)).items()}
    return {name: _finding(groups) for name, groups in recent.items() if groups}


def figures(writer: PageWriter) -> dict[str, Markup]:
    """Return the chart of each provider that has enough days, by the slug of the provider."""
    lines: dict[str, list[Line]] = defaultdict(list)
    for line in read_lines(writer.data, "provider = line"):
        lines[line.of].append(line)
    drawn = {slug(name): price_figure(writer.data, f"provider-{slug(name)}", _view(name, own)) for name, own in lines.items()}
    return {name: render_figure(writer, "../../", figure) for name, figure in drawn.items() if figure}


def group_by_slug(rows: Iterable[Row]) -> dict[str, Rows]:
    """Group rows by the slug of their provider."""
    return group_by(rows, lambda row: slug(row["provider"]))


def _recent_days(rows: list[Row]) -> RecentDays:
    """Return the newest stretch of days of each billing, where it has enough days and its newest offers are older than a day."""
    groups = {billing: _stretch(list(group)) for billing, group in groupby(rows, key=lambda row: row["billing"])}
    return {
        billing: group
        for billing, group in groups.items()
        if len(group) >= LEAST_DAYS and group[-1]["chain_from"] < group[-1]["date"]
    }


def _finding(recent: RecentDays) -> str:
    return gettext("; ").join(_movement_text(billing, group) for billing, group in recent.items()) + gettext(".")


def _view(provider: str, lines: list[Line]) -> ChartView:
    """The chart of a provider: the billing with most prices, and the GPUs whose price there changed most often."""
    days: dict[str, int] = defaultdict(int)
    for line in lines:
        days[line.billing] += len(line.days)
    billing = max(sorted(days), key=lambda one: days[one])
    of_billing = [line for line in lines if line.billing == billing]
    # last those whose newest stretch is a single day, which says nothing of a change
    ranked = sorted(of_billing, key=lambda line: (len(line.newest_stretch) == 1, -_changes(line), -len(line.days), line.model))
    return ChartView([line.model for line in ranked[:MOST_GPUS]], (billing,), (provider,))


def _changes(line: Line) -> int:
    return sum(before["usd"] != after["usd"] for before, after in pairwise(line.days))


def _stretch(rows: list[Row]) -> list[Row]:
    """Return the days of about the last year without a long gap, which no line should join."""
    rows = [row for row in rows if (rows[-1]["date"] - row["date"]).days <= SHOWN_DAYS]
    gaps = [at for at, row in enumerate(rows) if row["after_gap"]]
    return rows[gaps[-1] if gaps else 0 :]


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
