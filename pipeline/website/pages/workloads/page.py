"""One page per workload and a list of all: GPUs by time and by the cost of a run, measured or predicted.

Times are computed in `pipeline/metrics/value/workload_time.sql`. Names of workloads are in
`pipeline/website/components/recommend/recommend_form.py`.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from pipeline.website.components.figures import render_figure
from pipeline.website.components.recommend import recommend_form
from pipeline.website.i18n.language import gettext
from pipeline.website.pages.workloads.workload_chart import LEAST_DOLLARS, workload_figure
from pipeline.website.writing.database import Row, Rows, group_by
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.links import Sellers, provider_name, slug
from pipeline.website.writing.numbers import cost, duration, in_brackets, is_tiny, thousand, usd
from pipeline.website.writing.page_writer import PageWriter

_TIMES = """
    SELECT w.workload, w.gpu_id, g.name, g.memory_gb, w.status, w.basis, w.n_timed, w.outside_interval,
        w.source_id,
        w.seconds, w.seconds_low, w.seconds_high,
        w.kind = 'specification' OR coalesce(is_rankable(w.basis, w.seconds_low, w.seconds_high), false) AS rankable,
        c.usd_per_run_cheapest, c.usd_per_run_cheapest_low, c.usd_per_run_cheapest_high,
        c.cheapest_usd_per_gpu_hour, c.cheapest_provider, c.cheapest_price_date, c.cheapest_variant_stated
    FROM workload_time w
    LEFT JOIN gpu g USING (gpu_id)
    LEFT JOIN workload_cost c ON (c.workload, c.gpu_id) = (w.workload, w.gpu_id)
    ORDER BY w.workload, w.seconds NULLS LAST, w.status NULLS LAST, w.gpu_id
"""


def write(writer: PageWriter) -> None:
    """Write the page of every workload and the list of all."""
    times = group_by(writer.data.rows(_TIMES), "workload")
    listed: list[dict[str, Any]] = []
    for group in recommend_form.workloads(writer.data):
        ones = [one | _finding(rows) for one in group["workloads"] if (rows := times.get(one["workload"]))]
        listed.append({"label": group["label"], "workloads": ones})
        for one in ones:
            _write_one(writer, one)
    writer.write_page(
        "workloads",
        "Workloads",
        "The fastest and the cheapest GPU for each kind of work in the data.",
        groups=listed,
        cost_of_run=_cost_listed,
    )


def _finding(rows: Rows) -> Row:
    """Return the rows of a workload with the fastest and the cheapest of the ranked ones, and counts."""
    timed = [row for row in rows if row["seconds"] is not None]
    ranked = [row for row in timed if row["rankable"]]
    priced = [row for row in ranked if row["usd_per_run_cheapest"] is not None]
    cheapest = min(priced, key=lambda row: row["usd_per_run_cheapest"], default=None)
    return {
        "rows": rows,
        "fastest": min(ranked, key=lambda row: row["seconds"], default=None),
        "cheapest": cheapest,
        "is_tiny": cheapest is not None and is_tiny(cheapest["usd_per_run_cheapest"]),
        "timed": len(timed),
        "unranked": len(timed) - len(ranked),
        "measured": sum(row["basis"] == "measured" for row in timed),
    }


def _write_one(writer: PageWriter, one: Row) -> None:
    writer.write_page(
        f"workloads/{slug(one['workload'])}",
        gettext("{label}: GPUs by time and cost", label=one["label"]),
        gettext(
            "{label}: every GPU by time and by the cost of a job at the newest prices, measured or predicted.", label=one["label"]
        ),
        "workload.md.j2",
        one=one,
        asked=recommend_form.ASKED,
        lead=_lead(one, writer.data.sellers),
        chart=render_figure(writer, "../../", workload_figure(writer, one)),
        of_runs=thousand if one["is_tiny"] else lambda value: value,
        address=Markup(quote(one["workload"], safe="")),  # noqa: S704 - nothing but letters, digits and per cent
    )


def _lead(one: Row, sellers: Sellers) -> str:
    """Return two sentences on the fastest GPU and on the one whose cheapest offer makes the cheapest run."""
    fastest, cheapest = one["fastest"], one["cheapest"]
    if fastest is None:
        return gettext("No GPU has a known time.")
    time = f"{duration(fastest['seconds'])}{_span(fastest, 'seconds', duration)}"
    text = gettext("Fastest: the {gpu}, {time}, {basis}.", gpu=_gpu(fastest), time=time, basis=gettext(fastest["basis"]))
    if cheapest is None:
        return f"{text} {gettext('No GPU with a known time has a current on-demand price.')}"
    return gettext(
        "{fastest} Cheapest: the {gpu}, {cost}, {basis}, at {price} an hour from {provider}.",
        fastest=text,
        price=usd(cheapest["cheapest_usd_per_gpu_hour"]),
        provider=provider_name(cheapest["cheapest_provider"], sellers),
        gpu=_gpu(cheapest),
        cost=_cost_of_run(cheapest),
        basis=gettext(cheapest["basis"]),
    )


def _cost_listed(row: Row) -> str:
    """Return the cost of a run in USD, or of 1,000 runs below a cent."""
    of_run = row["usd_per_run_cheapest"]
    return cost(of_run) if is_tiny(of_run) else gettext("{usd_per_run} a run{interval}", usd_per_run=usd(of_run), interval="")


def _cost_of_run(row: Row) -> str:
    """Return the cost of a run with its interval, or of 1,000 runs below a cent."""
    of_run = row["usd_per_run_cheapest"]
    if is_tiny(of_run):
        return cost(of_run) + _span(row, "usd_per_run_cheapest", lambda value: usd(thousand(value)))
    lowest, highest = row["usd_per_run_cheapest_low"] or of_run, row["usd_per_run_cheapest_high"] or of_run
    shown = cost if highest < LEAST_DOLLARS and not is_tiny(lowest) else usd  # one unit for the cost and its interval
    return gettext("{usd_per_run} a run{interval}", usd_per_run=shown(of_run), interval=_span(row, "usd_per_run_cheapest", shown))


def _gpu(row: Row) -> str:
    return short_gpu(row["name"], row["gpu_id"])


def _span(row: Row, key: str, show: Callable[[float], str]) -> str:
    return in_brackets(row[f"{key}_low"], row[f"{key}_high"], show)
