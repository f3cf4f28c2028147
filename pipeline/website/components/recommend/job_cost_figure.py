"""Figure of the home page's answer for a training job: what the job costs on the cheapest GPUs and on the fastest.

`site/docs/assets/job-cost.js` writes the same texts in the browser when the reader changes the question.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt

from pipeline.recommend.workload import RankedGpu
from pipeline.website.charts.cost_by_gpu import columns, cost_by_gpu
from pipeline.website.components.figures import Figure
from pipeline.website.components.recommend.wording import plain_name
from pipeline.website.i18n.language import gettext
from pipeline.website.writing.links import Sellers, provider_name
from pipeline.website.writing.numbers import usd

SHOWN = 10
_RENTED = """SELECT g.name, w.basis, w.seconds, c.usd_per_run_cheapest, c.cheapest_provider, c.cheapest_price_date
FROM workload_cost AS c
JOIN workload_time AS w USING (workload, gpu_id)
JOIN gpu AS g ON g.gpu_id = c.gpu_id
WHERE c.workload = '{workload}' AND c.usd_per_run_cheapest IS NOT NULL
ORDER BY c.usd_per_run_cheapest"""


def job_cost_figure(
    cheapest: Sequence[RankedGpu],
    fastest: Sequence[RankedGpu],
    asked: Mapping[str, Any],
    sellers: Sellers,
    captions: Mapping[str, str],
) -> Figure | None:
    """Return the chart of the GPUs on which the job costs least, and the fastest; None where no GPU has a cost.

    Both sequences have the ranked GPUs in their order. `asked` is the workload with its label.
    """
    if not cheapest:
        return None
    quickest = fastest[0].gpu_id
    shown = [one for at, one in enumerate(cheapest) if at < SHOWN or one.gpu_id == quickest]
    rows = [_row(one, order, one.gpu_id == quickest, sellers) for order, one in enumerate(shown)]
    return Figure(
        name="job-cost",
        title=gettext("{gpu} costs least: {usd} for the job", gpu=rows[0]["label"], usd=usd(rows[0]["usd"])),
        subject=gettext("Cost of the job by GPU"),
        direction=gettext("further left is better"),
        finding=gettext(
            "{job}. The lowest costs among {count} GPUs that fit, and the fastest GPU.", job=asked["label"], count=len(cheapest)
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
        sql=_RENTED.format(workload=asked["workload"]),
    )


def _row(one: RankedGpu, order: int, is_fastest: bool, sellers: Sellers) -> dict[str, Any]:
    return {
        "rank": one.rank,
        "label": plain_name(one.name, one.gpu_id),
        "usd": one.cost_usd,
        "low": one.cost_usd_low,
        "high": one.cost_usd_high,
        "hours": one.seconds / 3600 if one.seconds is not None else None,
        "provider": provider_name(one.provider or "", sellers),
        "order": order,
        "is_first": is_fastest or order == 0,
        "is_unranked": False,
    }
