"""Chart of the cheapest on-demand price of several GPU models by day, of which the reader picks some."""

from collections import defaultdict
from typing import Any

from pipeline.website.charts.history import market_history
from pipeline.website.components.database import Database, Row
from pipeline.website.components.figures import Figure
from pipeline.website.components.gpu_prices import LONGEST_GAP_DAYS, split_stretches
from pipeline.website.components.labels import short_gpu
from pipeline.website.components.numbers import day, usd
from pipeline.website.i18n.language import gettext

FIRST = ("nvidia-h100", "nvidia-a100", "nvidia-h200", "nvidia-b200", "amd-instinct-mi300x", "nvidia-geforce-rtx-4090")
MOST = 12
# the models of `FIRST`, then those that most providers rent out now
_DAYS = """
    WITH choice AS (
        SELECT gpu_model_id, n_providers, list_position(?, gpu_model_id) AS first
        FROM rental_market WHERE gpu_id = 'any' AND billing = 'on_demand' AND commitment = 'any' AND gpus = 'any'
        ORDER BY first NULLS LAST, n_providers DESC, gpu_model_id
        LIMIT ?
    )
    SELECT h.gpu_model_id, m.name AS model, h.date, h.n_offers, h.n_providers, h.usd_min, d.low_provider, h.usd_median
    FROM choice c
    JOIN price_history h USING (gpu_model_id)
    JOIN price_daily d ON (d.gpu_model_id, d.gpu_id, d.billing, d.date) = (h.gpu_model_id, h.gpu_id, h.billing, h.date)
        AND d.kind = 'cloud_rental' AND d.commitment = 'none'
    JOIN gpu_model m USING (gpu_model_id)
    WHERE h.gpu_id = 'any' AND h.billing = 'on_demand'
    ORDER BY c.first NULLS LAST, c.n_providers DESC, c.gpu_model_id, h.date
"""


def market_figure(data: Database) -> Figure | None:
    """Return the chart; None without a price."""
    models: dict[str, list[Row]] = defaultdict(list)
    for row in data.rows(_DAYS, list(FIRST), MOST):
        models[short_gpu(row["model"], row["gpu_model_id"])].append(row)
    if not models:
        return None
    placed = list(enumerate(models.items()))
    points = [point for place, (name, rows) in placed for point in _points(name, place, rows)]
    months = [count for place, (_, rows) in placed for count in _months(place, rows)]
    days = [row["date"] for rows in models.values() for row in rows]
    names = list(models)
    return Figure(
        name="market-prices",
        heading=gettext("Rental price of several GPUs"),
        direction=gettext("lower is better"),
        finding=gettext(
            "Cheapest on-demand offer on each GPU's newest day: {prices}.",
            prices=", ".join(f"{name} {usd(rows[-1]['usd_min'])}" for name, rows in list(models.items())[: len(FIRST)]),
        ),
        dated=gettext("{first} to {last}", first=day(min(days)), last=day(max(days))),
        source=gettext("table price_daily"),
        chart=market_history(points, months, names, sum(row[0]["gpu_model_id"] in FIRST for row in models.values())),
        rows=[row | {"gpu": name} for name, rows in models.items() for row in rows],
        columns=[
            ("gpu", "GPU"),
            ("date", "Day"),
            ("usd_min", gettext("Lowest, USD")),
            ("low_provider", gettext("Cheapest provider")),
            ("usd_median", gettext("Median of providers, USD")),
            ("n_offers", "Offers"),
            ("n_providers", "Providers"),
        ],
        note=gettext(
            "All form factors and memory sizes of each GPU. Choose GPUs with the boxes. Lines: the cheapest on-demand offer. "
            "Bars: offers on the last day of each month. "
            "A line ends where nobody looked for more than {gap} days, and where the number of "
            "providers halves or doubles: such a step is no move of the market.",
            gap=LONGEST_GAP_DAYS,
        ),
    )


def _points(name: str, place: int, rows: list[Row]) -> list[dict[str, Any]]:
    """Return the days on which the price of one GPU changed, each stretch of days as a line of its own."""
    keys = ("usd_min", "low_provider", "usd_median", "n_offers", "n_providers")
    return [
        {"day": f"{row['date']:%Y-%m-%d}T00:00:00", "gpu": name, "place": place, "line": f"{name} {number}"}
        | {key: row[key] for key in keys}
        for number, stretch in enumerate(split_stretches(rows))
        for before, row in zip([None, *stretch], stretch, strict=False)
        if before is None or row is stretch[-1] or row["usd_min"] != before["usd_min"]
    ]


def _months(place: int, rows: list[Row]) -> list[dict[str, Any]]:
    """Return the number of offers of one GPU on the last day seen of each month."""
    last = {(row["date"].year, row["date"].month): row["n_offers"] for row in rows}
    return [{"day": f"{year}-{month:02}-15T00:00:00", "place": place, "n_offers": n} for (year, month), n in last.items()]
