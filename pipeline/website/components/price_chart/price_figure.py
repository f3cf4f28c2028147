"""The figure of rental prices by day with its controls.

`site/docs/assets/price-chart.js` shows other choices with the same texts.
"""

import datetime as dt
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipeline.schema.checks import quoted
from pipeline.website.charts.price_by_day import price_by_day
from pipeline.website.components.figures import Figure
from pipeline.website.components.price_chart.price_lines import CHEAPEST, MEDIAN, SELECT, Line, read_lines
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.labels import short_gpu, words
from pipeline.website.writing.links import Sellers, provider_name
from pipeline.website.writing.numbers import day, number, usd

LEAST_DAYS = 5
AGGREGATES = {CHEAPEST: N_("Cheapest offer"), MEDIAN: N_("Median of providers")}
_SHORT = {CHEAPEST: N_("cheapest"), MEDIAN: N_("median")}  # in the name of a line
RANGES = {"1": N_("1 month"), "3": N_("3 months"), "12": N_("1 year"), "all": N_("All")}
_MODELS = "SELECT gpu_model_id, name FROM gpu_model SEMI JOIN price_line USING (gpu_model_id)"
_BILLINGS = "SELECT DISTINCT billing FROM price_line ORDER BY billing"
_PROVIDERS = "SELECT DISTINCT provider FROM provider_price_daily"
_NO_CHANGE = 0.005
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class ChartView:
    """The first view of a chart: GPU models, billings, lines (`cheapest`, `median` or providers), and a key of `RANGES`."""

    gpu: Sequence[str]
    billing: Sequence[str]
    line: Sequence[str]
    months: str = "12"

    @property
    def where(self) -> str:
        """The condition of its rows, of all days."""
        listed = {"gpu_model_id": self.gpu, "billing": self.billing, "line": self.line}
        return " AND ".join(f"{key} IN ({', '.join(map(quoted, values))})" for key, values in listed.items())

    def lines(self, data: Database) -> list[Line]:
        """Its lines of all days, those of the first model first. One query reads those of all charts of a kind of pages."""
        every = data.once(SELECT, lambda: read_lines(data))
        shown = (line for line in every if line.model in self.gpu and line.billing in self.billing and line.of in self.line)
        return sorted(shown, key=lambda line: self.gpu.index(line.model))


def _first_day(lines: list[Line], months: str) -> dt.date | None:
    """Return the first day of the range before the newest day of the lines; None for all days."""
    if months == "all" or not lines:
        return None
    newest: dt.date = max(line.days[-1]["date"] for line in lines)
    year, month = divmod(12 * newest.year + newest.month - 1 - int(months), 12)
    return dt.date(year, month + 1, min(newest.day, monthrange(year, month + 1)[1]))


def price_figure(data: Database, name: str, view: ChartView) -> Figure | None:
    """Return the chart of a view, of all days where its range has too few; None if there are too few days at all."""
    lines = view.lines(data)
    start = _first_day(lines, view.months)
    recent = [line for whole in lines if (line := whole.since(start)).days] if start else lines
    if _n_days(recent) >= LEAST_DAYS:
        lines = recent
    else:
        view, start = replace(view, months="all"), None
    if _n_days(lines) < LEAST_DAYS:
        return None
    moves = [newest_price(line) for line in lines]
    first, last = (pick(row["date"] for line in lines for row in line.days) for pick in (min, max))
    (rules,) = data.rows("SELECT longest_price_gap_days() AS gap, least_cheapest_step() AS step")
    return Figure(
        name=name,
        title=moves[0],
        subject=gettext("Rental price by day"),
        direction=gettext("lower is better"),
        finding=" ".join(move + gettext(".") for move in moves[1:_MOST_NAMED]),
        dated=gettext("{first} to {last}", first=day(first), last=day(last)),
        source=gettext("daily rental prices of all sources"),
        chart=price_by_day(_points(lines, data.sellers)),
        rows=[_row(line, row) for line in lines for row in line.days],
        columns=columns(),
        note=gettext(
            "A price holds until its provider changes it. All form factors and memory sizes of a GPU count. The median is over "
            "the providers of a day, where there are three or more. A line ends where no price was seen for more than {gap} "
            "days. It also ends where the number of providers changes by a factor of 1.5 or more: such a step is no move of the "
            "market. The cheapest offer also ends where a provider that appears or disappears moves it by a factor of {step} or "
            "more. "
            "A change is stated where one provider has both prices. Below the prices is the number of offers behind them. "
            "A pale stretch has less than a third of the line's most offers, so do not compare its level.",
            gap=rules["gap"],
            step=number(float(rules["step"])),
        ),
        sql=SELECT.format(where=view.where + (f" AND date >= DATE '{start}'" if start else "")),
        picker=_picker(data, view),
    )


def columns() -> list[tuple[str, str]]:
    """Keys and headings of the table."""
    return [
        ("gpu", "GPU"),
        ("date", gettext("Day")),
        ("billing", gettext("Billing")),
        ("line", gettext("Price of")),
        ("usd", gettext("USD per GPU and hour")),
        ("provider", gettext("Provider")),
        ("n_offers", gettext("Offers")),
    ]


def _row(line: Line, row: Row) -> Row:
    texts = {"gpu": line.name, "billing": words(line.billing), "line": line.seller or gettext(AGGREGATES[line.of])}
    return texts | {key: row[key] for key in ("date", "usd", "provider", "n_offers")}


def _points(lines: list[Line], sellers: Sellers) -> list[dict[str, Any]]:
    """Return the marks of the chart; tooltips show the name of a provider, and the table its key in the data."""
    labels = _labels(lines)
    return [
        _row(line, row)
        | {"date": f"{row['date']}T00:00:00", "label": label, "stretch": f"{label} {row['stretch']}", "place": place}
        | {"provider": row["provider"] and provider_name(row["provider"], sellers)}
        | ({"pale": True} if row["few_offers"] else {})
        for place, (line, label) in enumerate(zip(lines, labels, strict=True))
        for row in line.days
    ]


def _labels(lines: list[Line]) -> list[str]:
    """The parts of each line's name that differ among the lines; of a single line, the last part."""
    names = [[line.name, words(line.billing), line.seller or gettext(_SHORT[line.of])] for line in lines]
    differing = [at for at in range(3) if len({name[at] for name in names}) > 1] or [2]
    return [gettext(", ").join(name[at] for at in differing) for name in names]


def newest_price(line: Line) -> str:
    """Return the newest price of a line in words, and its change in the newest stretch if one provider has both prices."""
    last, first = line.days[-1], line.newest_stretch[0]
    change = last["usd"] / first["usd"] - 1
    name = gettext("Any {gpu}", gpu=line.name) if line.has_variants else line.name
    full = gettext(", ").join((name, words(line.billing).lower(), line.seller or gettext(AGGREGATES[line.of]).lower()))
    texts: dict[str, Any] = {"line": full, "last": usd(last["usd"]), "last_day": day(last["date"])}
    texts |= {"first_day": day(first["date"]), "change": f"{abs(change):.0%}"}
    # another provider on the list, or in the median, is no change of a price
    is_comparable = line.of != MEDIAN and first["provider"] == last["provider"]
    if first is last or not is_comparable:
        return gettext("{line}: {last} on {last_day}", **texts)
    if abs(change) < _NO_CHANGE:
        return gettext("{line}: {last} on {last_day}, the same as on {first_day}", **texts)
    if change > 0:
        return gettext("{line}: {last} on {last_day}, up {change} since {first_day}", **texts)
    return gettext("{line}: {last} on {last_day}, down {change} since {first_day}", **texts)


def _n_days(lines: list[Line]) -> int:
    return len({row["date"] for line in lines for row in line.days})


def _picker(data: Database, view: ChartView) -> dict[str, Any]:
    """The controls with what is chosen at first, and the texts and the query that the script needs."""
    names = {row["gpu_model_id"]: short_gpu(row["name"], row["gpu_model_id"]) for row in data.rows(_MODELS)}
    models = [*view.gpu, *sorted(names.keys() - set(view.gpu), key=lambda model: names[model])]
    providers = [(row["provider"], provider_name(row["provider"], data.sellers)) for row in data.rows(_PROVIDERS)]
    options = {
        "gpu": [(model, names[model]) for model in models if model in names],
        "billing": [(row["billing"], words(row["billing"])) for row in data.rows(_BILLINGS)],
        "line": [*((of, gettext(text)) for of, text in AGGREGATES.items()), *sorted(providers, key=lambda one: one[1].lower())],
    }
    return {
        "options": options,
        "chosen": {"gpu": list(view.gpu), "billing": list(view.billing), "line": list(view.line)},
        "months": view.months,
        "ranges": [(months, gettext(text)) for months, text in RANGES.items()],
        "columns": columns(),
        "sql": SELECT,
    }
