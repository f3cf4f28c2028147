"""Page of trends: compute and memory per dollar of a GPU's launch price, by release date."""

from dataclasses import dataclass
from typing import Any

from pipeline.website.charts.launch_value import value_by_release
from pipeline.website.components.figures import Figure, render_figure
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Row
from pipeline.website.writing.labels import short_gpu, short_source
from pipeline.website.writing.numbers import day, number
from pipeline.website.writing.page_writer import PageWriter

SEGMENT = "consumer"  # most GPUs with a launch price; prices of workstation GPUs have other margins
_TRENDS = "SELECT * FROM launch_value_trend ORDER BY measure, segment"
_VALUES = """
    SELECT v.gpu_id, g.name, v.architecture, v.release_date, v.launch_msrp_usd, v.amount, v.per_usd, v.trend, v.price_source_id
    FROM launch_value AS v
    JOIN gpu AS g USING (gpu_id)
    WHERE v.segment = '{segment}' AND v.measure = '{measure}'
    ORDER BY v.release_date, v.gpu_id
"""
MOST_SPREAD = 4  # high over low end of the interval of a doubling time; a longer interval shows no clear trend
SEGMENTS = {"consumer": N_("Consumer"), "workstation": N_("Workstation")}


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure of table launch_value with its texts: `rises` is the title of a clear trend, `unclear` of any other."""

    name: str
    chart: str
    rises: str
    unclear: str
    subject: str
    unit: str
    amount: str


MEASURES = (
    Measure(
        name="compute",
        chart="compute-per-launch-dollar",
        rises=N_("FP32 compute per dollar doubled every {years} years"),
        unclear=N_("No clear trend in FP32 compute per dollar"),
        subject=N_("FP32 compute per dollar of the launch price"),
        unit=N_("GFLOPS per USD"),
        amount=N_("FP32, TFLOPS"),
    ),
    Measure(
        name="memory",
        chart="memory-per-launch-dollar",
        rises=N_("GPU memory per dollar doubled every {years} years"),
        unclear=N_("No clear trend in GPU memory per dollar"),
        subject=N_("GPU memory per dollar of the launch price"),
        unit=N_("GB per 1,000 USD"),
        amount=N_("Memory, GB"),
    ),
)


def write(writer: PageWriter) -> None:
    """Write the page of trends."""
    trends = writer.data.rows(_TRENDS)
    figures = [figure for one in MEASURES if (figure := _figure(writer, one, trends))]
    writer.write_page(
        "trends",
        "Compute and memory per dollar",
        "How much compute and memory a dollar of a GPU's launch price buys, by release date, with the doubling time.",
        figures=[render_figure(writer, "../", figure) for figure in figures],
        trends=trends,
        most_spread=MOST_SPREAD,
        measures={one.name: one.subject for one in MEASURES},
        segments=SEGMENTS,
    )


def _figure(writer: PageWriter, measure: Measure, trends: list[Row]) -> Figure | None:
    """Return the chart of a measure; None where it has no trend."""
    trend = next((row for row in trends if (row["measure"], row["segment"]) == (measure.name, SEGMENT)), None)
    values = writer.data.rows(_VALUES.format(segment=SEGMENT, measure=measure.name))
    if trend is None or not values:
        return None
    rows = _rows(values, writer.sources)
    title = gettext(measure.rises, years=number(trend["doubling_years"], 2)) if is_clear(trend) else gettext(measure.unclear)
    return Figure(
        name=measure.chart,
        title=title,
        subject=gettext(measure.subject),
        direction=gettext("higher is better"),
        finding=_finding(trend, rows, gettext(measure.unit)),
        dated=gettext("Releases from {first} to {last}", first=day(trend["first_release"]), last=day(trend["last_release"])),
        source=gettext("launch prices and release dates of the vendors"),
        chart=value_by_release(_points(rows), gettext(measure.unit), interval_text(trend)),
        rows=rows,
        columns=[
            ("gpu", "GPU"),
            ("date", gettext("Release date")),
            ("usd", gettext("Launch price, USD")),
            ("source", gettext("Source of the price")),
            ("amount", gettext(measure.amount)),
            ("per_usd", gettext(measure.unit)),
        ],
        note=gettext(
            "GPUs sold to consumers, at the vendor's launch price in dollars of that year. FP32 is the rate without "
            "tensor cores. The dashed line is the least-squares line of the logarithm. On a wide screen, the best "
            "GPU of each architecture has its name."
        ),
        sql=values.sql,
    )


def _rows(values: list[Row], sources: dict[str, Row]) -> list[Row]:
    best: dict[Any, float] = {}
    for row in values:
        best[row["architecture"]] = max(row["per_usd"], best.get(row["architecture"], 0))
    return [
        {"gpu": short_gpu(row["name"], row["gpu_id"]).removeprefix("GeForce ").removeprefix("AMD ").removeprefix("Intel ")}
        | {"date": row["release_date"].isoformat(), "usd": row["launch_msrp_usd"], "amount": row["amount"]}
        | {"source": short_source(sources.get(row["price_source_id"])), "per_usd": row["per_usd"], "trend": row["trend"]}
        | {"named": row["per_usd"] == best[row["architecture"]]}
        for row in values
    ]


def _points(rows: list[Row]) -> list[Row]:
    keys = ("gpu", "usd", "named")
    rounded = ("per_usd", "trend")
    return [
        {key: row[key] for key in keys}
        | {key: None if row[key] is None else round(row[key], 3) for key in rounded}
        | {"date": f"{row['date']}T00:00:00"}
        for row in rows
    ]


def is_clear(trend: Row) -> bool:
    """Return whether the interval of the doubling time is closed and short enough to state a trend."""
    low, high = trend["doubling_years_low"], trend["doubling_years_high"]
    return high is not None and high <= MOST_SPREAD * low


def interval_text(trend: Row) -> str:
    """Return the doubling time with its interval, of an unclear trend that alone; open above where the slope may be zero."""
    if trend["doubling_years"] is None:
        return gettext("No rise")
    years = {key: number(trend[f"doubling_years{end}"], 2) for key, end in (("years", ""), ("low", "_low"), ("high", "_high"))}
    if trend["doubling_years_high"] is None:
        return gettext("The doubling time is uncertain: {low} years or more (95% interval)", low=years["low"])
    if not is_clear(trend):
        return gettext(
            "The doubling time is uncertain: {low} to {high} years (95% interval)", low=years["low"], high=years["high"]
        )
    return gettext("Doubles every {years} years (95% interval: {low} to {high})", **years)


def _finding(trend: Row, rows: list[Row], unit: str) -> str:
    best = max(rows, key=lambda row: float(row["per_usd"]))
    return gettext(
        "{interval}. {count} GPUs of {architectures} architectures. The {gpu} has most: {value} {unit}.",
        interval=interval_text(trend),
        count=trend["n_gpus"],
        architectures=trend["n_architectures"],
        gpu=best["gpu"],
        value=number(best["per_usd"], 3),
        unit=unit,
    )
