"""Chart of a workload: the GPUs with the cheapest run, or with the fastest where too few have a price."""

from collections.abc import Callable
from typing import Any

from pipeline.schema.checks import quoted
from pipeline.website.charts.performance import workload_by_gpu
from pipeline.website.components.figures import Figure
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Row
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.links import slug
from pipeline.website.writing.numbers import cost, day, duration, usd
from pipeline.website.writing.page_writer import PageWriter

MOST_GPUS = 15
LEAST_PRICED = 5
LEAST_DOLLARS = 0.1
_COST_NOTE = N_(
    "One GPU for one run at its lowest current on-demand price: the {count} cheapest. "
    "A line is the 90% interval of the time. Open marks have none."
)
_TEXTS = {  # title of the values, subject and note of the chart
    "seconds": (
        N_("Seconds for a run"),
        N_("time of a run"),
        N_("One GPU for one run: the {count} fastest. A line is the 90% interval of the time. Open marks have none."),
    ),
    "usd": (N_("USD for a run"), N_("cost of a run"), _COST_NOTE),
    "usd of 1,000": (N_("USD for 1,000 runs"), N_("cost of 1,000 runs"), _COST_NOTE),
}
_SELECT = """FROM (
{times}
)
WHERE workload = {workload} AND rankable AND {key} IS NOT NULL
ORDER BY {key}, gpu_id
LIMIT {count}"""


def workload_figure(writer: PageWriter, one: Row) -> Figure | None:
    """Return the chart of a workload; None where fewer than two GPUs have a time."""
    ranked = [row for row in one["rows"] if row["rankable"]]
    is_cost = sum(row["usd_per_run_cheapest"] is not None for row in ranked) >= LEAST_PRICED
    key = "usd_per_run_cheapest" if is_cost else "seconds"
    known = sorted((row for row in ranked if row[key] is not None), key=lambda row: (row[key], row["gpu_id"]))
    runs = 1000 if is_cost and one["is_tiny"] else 1
    rows = [_chart_row(row, key, runs) for row in known[:MOST_GPUS]]
    if len(rows) < 2:
        return None
    title, subject, note = _TEXTS["seconds" if not is_cost else "usd" if runs == 1 else "usd of 1,000"]
    return Figure(
        name=f"workload-{slug(one['workload'])}",
        title=_finding(rows, _format(rows, runs) if is_cost else duration),
        subject=gettext("{label}: {subject}", label=one["label"], subject=gettext(subject)),
        direction=gettext("lower is better"),
        dated=day(writer.as_of),
        source=gettext("measured and predicted times, and current prices on demand"),
        chart=workload_by_gpu(rows, gettext(title), is_cost),
        rows=rows,
        columns=[
            ("gpu", "GPU"),
            ("basis", gettext("Measured or predicted")),
            ("value", gettext(title)),
            ("ci_low", gettext("90% interval from")),
            ("ci_high", gettext("90% interval to")),
        ],
        note=gettext(note, count=len(rows)),
        sql=_SELECT.format(times=one["rows"].sql, workload=quoted(one["workload"]), key=key, count=MOST_GPUS),
    )


def _chart_row(row: Row, key: str, runs: int) -> dict[str, Any]:
    low, high = row[f"{key}_low"], row[f"{key}_high"]
    is_interval = low is not None and high is not None and low < high
    ends = {"ci_low": runs * low if is_interval else None, "ci_high": runs * high if is_interval else None}
    return {"gpu": short_gpu(row["name"], row["gpu_id"]), "basis": gettext(row["basis"]), "value": runs * row[key]} | ends


def _format(rows: list[dict[str, Any]], runs: int) -> Callable[[float], str]:
    """Return how the title prints costs: in cents only if both are below a tenth of a dollar."""
    return cost if runs == 1 and rows[1]["value"] < LEAST_DOLLARS else usd


def _finding(rows: list[dict[str, Any]], show: Callable[[float], str]) -> str:
    first, second = rows[0], rows[1]
    return gettext(
        "{first}: {value} ({basis}). Next comes the {second} with {other}.",
        first=first["gpu"],
        value=show(first["value"]),
        basis=first["basis"],
        second=second["gpu"],
        other=show(second["value"]),
    )
