"""Figure of the home page's answer for a training job: what the job costs on the cheapest GPUs and on the fastest.

`site/docs/assets/job-cost.js` writes the same texts in the browser when the reader changes the question.
"""

from collections.abc import Mapping
from typing import Any

import altair as alt

from pipeline.schema.checks import quoted
from pipeline.website.charts.cost_by_gpu import columns, cost_by_gpu
from pipeline.website.components.figures import Figure
from pipeline.website.components.recommend.wording import plain_name
from pipeline.website.i18n.language import gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.links import Sellers, provider_name
from pipeline.website.writing.numbers import usd

SHOWN = 10
_RENTED = """SELECT gpu_id, g.name, w.basis, w.seconds, c.usd_per_run_cheapest AS usd, c.usd_per_run_cheapest_low AS low,
    c.usd_per_run_cheapest_high AS high, c.cheapest_provider AS provider, c.cheapest_price_date
FROM workload_cost AS c
JOIN workload_time AS w USING (workload, gpu_id)
JOIN gpu AS g USING (gpu_id)
WHERE c.workload = {workload} AND c.usd_per_run_cheapest IS NOT NULL AND is_rankable(w.basis, w.seconds_low, w.seconds_high)
ORDER BY c.usd_per_run_cheapest, w.seconds, gpu_id"""


def job_cost_figure(data: Database, asked: Mapping[str, Any], captions: Mapping[str, str]) -> Figure | None:
    """Return the chart of the GPUs on which the job costs least, and the fastest; None where no GPU has a cost.

    `asked` is the workload with its label. The GPUs are those that the form ranks for it.
    """
    query = data.query(_RENTED.format(workload=quoted(asked["workload"])))
    if not query.rows:
        return None
    rows = _points(query.rows, data.sellers)
    return Figure(
        name="job-cost",
        title=gettext("{gpu} costs least: {usd} for the job", gpu=rows[0]["label"], usd=usd(rows[0]["usd"])),
        subject=gettext("Cost of the job by GPU"),
        direction=gettext("further left is better"),
        finding=gettext(
            "{job}. The lowest costs among {count} GPUs that fit, and the fastest GPU.", job=asked["label"], count=len(query.rows)
        ),
        chart=cost_by_gpu(rows, alt.Tooltip("hours:Q", title=gettext("Hours"), format=",.3~r")),
        rows=rows,
        columns=columns("hours", gettext("Hours")),
        note=gettext(
            "Full marks are the cheapest and the fastest. A line spans the 90% interval of a predicted time. "
            "The price of an hour is not part of it."
        ),
        dated=captions["priced"],
        source=captions["source"],
        sql=query.sql,
    )


def _points(ranked: list[Row], sellers: Sellers) -> list[dict[str, Any]]:
    """Return the cheapest GPUs and the fastest."""
    fastest = min(ranked, key=lambda row: row["seconds"])
    shown = [(rank, row) for rank, row in enumerate(ranked, start=1) if rank <= SHOWN or row is fastest]
    return [
        _point(row, rank, order, sellers) | {"is_first": row is fastest or order == 0} for order, (rank, row) in enumerate(shown)
    ]


def _point(row: Row, rank: int, order: int, sellers: Sellers) -> dict[str, Any]:
    return {
        "rank": rank,
        "label": plain_name(row["name"], row["gpu_id"]),
        "usd": row["usd"],
        "low": row["low"],
        "high": row["high"],
        "hours": row["seconds"] / 3600,
        "provider": provider_name(row["provider"], sellers),
        "order": order,
        "is_unranked": False,
    }
