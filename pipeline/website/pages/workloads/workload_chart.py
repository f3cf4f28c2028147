"""Chart of a workload: the GPUs with the cheapest run, or with the fastest where too few have a price."""

from typing import Any

from pipeline.website.charts.performance import workload_by_gpu
from pipeline.website.components.database import Row
from pipeline.website.components.figures import Figure
from pipeline.website.components.labels import short_gpu
from pipeline.website.components.numbers import day, duration, usd
from pipeline.website.i18n.language import gettext
from pipeline.website.links import slug
from pipeline.website.rendering import PageWriter

MOST_GPUS = 15
LEAST_PRICED = 5
_SELECT = """FROM (
{times}
)
WHERE workload = '{workload}' AND rankable AND {key} IS NOT NULL
ORDER BY {key}, gpu_id
LIMIT {count}"""


def workload_figure(writer: PageWriter, one: Row, times: str) -> Figure | None:
    """Return the chart of a workload, from the rows of the query `times`; None where fewer than two GPUs have a time."""
    ranked = [row for row in one["rows"] if row["rankable"]]
    is_cost = sum(row["usd_per_run"] is not None for row in ranked) >= LEAST_PRICED
    key = "usd_per_run" if is_cost else "seconds"
    known = sorted((row for row in ranked if row[key] is not None), key=lambda row: (row[key], row["gpu_id"]))
    rows = [_chart_row(row, key) for row in known[:MOST_GPUS]]
    if len(rows) < 2:
        return None
    title = gettext("USD for a run") if is_cost else gettext("Seconds for a run")
    return Figure(
        name=f"workload-{slug(one['workload'])}",
        title=_finding(rows, is_cost),
        subject=gettext("{label}: cost of a run", label=one["label"])
        if is_cost
        else gettext("{label}: time of a run", label=one["label"]),
        direction=gettext("lower is better"),
        dated=day(writer.as_of),
        source=gettext("measured and predicted times, and current prices on demand"),
        chart=workload_by_gpu(rows, title),
        rows=rows,
        columns=[
            ("card", "GPU"),
            ("basis", gettext("Measured or predicted")),
            ("value", title),
            ("ci_low", gettext("90% interval from")),
            ("ci_high", gettext("90% interval to")),
        ],
        note=gettext(
            "One GPU for one run. The cost is at the median of current on-demand prices. A line is the 90% interval of the time."
        ),
        sql=_SELECT.format(times=times, workload=one["workload"].replace("'", "''"), key=key, count=MOST_GPUS),
    )


def _chart_row(row: Row, key: str) -> dict[str, Any]:
    low, high = row[f"{key}_low"], row[f"{key}_high"]
    is_interval = low is not None and high is not None and low < high
    ends = {"ci_low": low if is_interval else None, "ci_high": high if is_interval else None}
    return {"card": short_gpu(row["name"], row["gpu_id"]), "basis": gettext(row["basis"]), "value": row[key]} | ends


def _finding(rows: list[dict[str, Any]], is_cost: bool) -> str:
    first, second = rows[0], rows[1]
    show = usd if is_cost else duration
    return gettext(
        "{first}: {value} ({basis}). Next comes the {second} with {other}.",
        first=first["card"],
        value=show(first["value"]),
        basis=first["basis"],
        second=second["card"],
        other=show(second["value"]),
    )
