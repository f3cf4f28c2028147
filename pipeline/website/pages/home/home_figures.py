"""The three charts of the home page: price against time, price of compute, and memory for the money."""

from typing import Any

from pipeline.website.charts import compute_prices
from pipeline.website.charts.price_against_time import price_against_time as price_against_time_chart
from pipeline.website.components.figures import Figure
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row, Rows
from pipeline.website.writing.labels import listed, short_gpu, words
from pipeline.website.writing.links import Sellers, provider_name
from pipeline.website.writing.numbers import number, usd

SHOWN = 10
_RUNS = """
    SELECT r.source_id, r.task, r.machine, r.status, r.seconds, r.gpu_id, g.name, r.generation, r.current,
        r.usd_per_gpu_hour, r.usd_per_run, r.is_pareto_optimal, r.price_date AS observed_at, r.provider, r.min_gpus,
        r.usd_per_gpu_hour_median AS usd_median, r.n_offers, r.n_providers,
        r.guide_usd_per_hour, r.guide_usd_per_run, r.guide_date
    FROM guide_run_price r
    LEFT JOIN gpu g USING (gpu_id)
    ORDER BY g.release_date NULLS FIRST, r.machine, r.task
"""
_DRAWN = ("task", "machine", "generation", "usd_per_gpu_hour", "seconds", "usd_per_run", "best")
_STATUS = {"oom": N_("out of memory")}
_RATES = """
    SELECT v.gpu_model_id, m.name, coalesce(g.memory_gb, m.memory_gb) AS memory_gb, r.low_gpu_id,
        r.usd_per_gpu_hour_low AS usd_min, r.low_provider AS provider, r.low_min_gpus AS min_gpus,
        r.low_price_date AS observed_at, r.usd_per_gpu_hour_median AS usd_median, r.n_offers, r.n_providers,
        v.usd_per_fp32_tflop_hour_high AS usd_per_fp32_tflop_hour,
        v.usd_per_fp16_tensor_tflop_hour_high AS usd_per_fp16_tensor_tflop_hour,
        v.gb_per_usd_hour_low AS gb_per_usd_hour,
        v.gb_per_usd_hour_median
    FROM rental_value v
    JOIN rental_market r USING (gpu_model_id, gpu_id, billing, commitment, gpus)
    JOIN gpu_model m USING (gpu_model_id)
    LEFT JOIN gpu g ON g.gpu_id = r.low_gpu_id
    WHERE v.billing = 'on_demand' AND v.commitment = 'any' AND v.gpus = 'any' AND v.gpu_id = 'any'
    ORDER BY v.gpu_model_id
"""
_BY_FORMAT = """UNPIVOT (
{rates}
) ON usd_per_fp16_tensor_tflop_hour, usd_per_fp32_tflop_hour
INTO NAME format VALUE usd_per_tflop_hour
ORDER BY format, usd_per_tflop_hour"""
_BY_MEMORY = """FROM (
{rates}
)
WHERE gb_per_usd_hour IS NOT NULL
ORDER BY gb_per_usd_hour DESC"""
_PRICE_COLUMNS = [
    ("usd_min", N_("Cheapest, USD per hour")),
    ("provider", N_("Cheapest provider")),
    ("min_gpus", N_("GPUs at once")),
    ("observed_at", N_("As of")),
    ("usd_median", N_("Median of providers, USD per hour")),
    ("n_offers", N_("Offers")),
    ("n_providers", N_("Providers")),
]
_PRICED_HOW = N_(
    "Price: the cheapest current on-demand offer of each GPU model, dated in the table; beside the mark, how many offers and "
    "providers there are. Where the offer does not state the form factor or memory, the weakest variant counts."
)


def priced_guide_runs(data: Database) -> Rows:
    """Return the guides' timed runs at today's price, with the name of the GPU, or of the machine where the GPU is not known."""
    runs = data.rows(_RUNS)
    return Rows(runs.sql, (_named(row, row["machine"], data.sellers) for row in runs))


def _named(row: Row, otherwise: str, sellers: Sellers) -> Row:
    """Return the row with the names of its GPU and provider, and its numbers of offers and providers in one text."""
    provider = row["provider"] and provider_name(row["provider"], sellers)
    return row | {
        "gpu": short_gpu(row["name"], otherwise),
        "provider": provider,
        "behind": f"{row['n_offers']} / {row['n_providers']}",
    }


def price_against_time(runs: Rows, tasks: list[dict[str, Any]], captions: dict[str, str]) -> Figure:
    """Return the chart of the hourly price of each timed GPU against the time of a run."""
    priced = [row | {"best": row["is_pareto_optimal"]} for row in runs if row["usd_per_gpu_hour"] is not None]
    findings = {task["id"]: _trade_off(runs, priced, task) for task in tasks}
    current = any(row["current"] for row in runs)
    return Figure(
        name="price-against-time",
        title=_cheapest_runs(priced),
        subject=gettext("One GPU, rented or as in the guide"),
        direction=gettext("lower left is better"),
        finding=" ".join(findings.values()),
        by_choice=findings,
        chart=price_against_time_chart([{key: row[key] for key in _DRAWN} for row in priced], tasks[0]["id"]),
        rows=[row | {"task": words(row["task"]), "status": gettext(_STATUS.get(row["status"], row["status"]))} for row in runs],
        columns=[
            ("task", gettext("Task")),
            ("gpu", "GPU"),
            ("seconds", gettext("Seconds a run")),
            ("status", gettext("Status")),
            ("usd_per_gpu_hour", gettext("USD per hour")),
            ("usd_per_run", gettext("USD a run")),
            *(_PRICE_COLUMNS[1:] if current else []),
            ("guide_usd_per_hour", gettext("USD per hour in {measured}", measured=captions["measured"])),
            ("guide_usd_per_run", gettext("USD a run in {measured}", measured=captions["measured"])),
        ],
        note=(gettext("Price: the cheapest current on-demand offer of one GPU.") + " ") * current
        + gettext(
            "Dotted lines join equal costs of a run. Large marks are the best trade-offs: no GPU is "
            "faster and cheaper. ✕ at the top edge: "
            "ran out of memory. Choose one of these as your work above to see it here: {tasks}.",
            tasks=listed([task["label"] for task in tasks]),
        ),
        dated=gettext("{priced}; run times of {measured}", priced=captions["priced"], measured=captions["measured"]),
        source=gettext("{guide} for run times, {source} for prices", guide=captions["guide"], source=captions["source"])
        if current
        else captions["guide"],
        sql=runs.sql,
    )


def _cheapest_runs(priced: list[Row]) -> str:
    """Return the GPU with the cheapest run of a task, or all of them where the tasks differ."""
    cheapest: dict[str, Row] = {}
    for row in sorted((row for row in priced if row["usd_per_run"] is not None), key=lambda row: float(row["usd_per_run"])):
        cheapest.setdefault(row["task"], row)
    gpus = sorted({row["gpu"] for row in cheapest.values()})
    if not gpus:
        return gettext("No measured GPU has a current price")
    if len(gpus) == 1:
        return gettext("The {gpu} has the cheapest run of each measured task", gpu=gpus[0])
    return gettext("The cheapest run of a measured task is on: {gpus}", gpus=listed(gpus))


def _trade_off(rows: list[Row], priced: list[Row], task: dict[str, Any]) -> str:
    """Return the finding of one task in words."""
    task_rows = [row for row in priced if row["task"] == task["id"]]
    best = sorted((row for row in task_rows if row["best"]), key=lambda row: row["usd_per_gpu_hour"])
    failed = [row["gpu"] for row in task_rows if row["status"] == "oom"]
    missing = sorted({row["gpu"] for row in rows if row["task"] == task["id"] and row["usd_per_gpu_hour"] is None})
    text = gettext("{label}: no measured GPU has a current price.", label=task["label"])
    if best:
        cheap = min(best, key=lambda row: row["usd_per_run"])
        values = {"label": task["label"], "gpu": cheap["gpu"], "usd": usd(cheap["usd_per_run"])}
        text = gettext("{label}: a run costs least on the {gpu}, {usd}.", **values) + " " + _front(best)
    text += " " + gettext("Out of memory: {gpus}.", gpus=listed(failed)) if failed else ""
    return text + (" " + gettext("No current price: {gpus}.", gpus=listed(missing)) if missing else "")


def _front(best: list[Row]) -> str:
    if len(best) == 1:
        return gettext("No other GPU is cheaper or faster.")
    values = {"count": len(best), "first": best[0]["gpu"], "last": best[-1]["gpu"]}
    return gettext("{count} GPUs are the best trade-offs of price and time, from {first} to {last}.", **values)


def rate_figures(data: Database, captions: dict[str, str]) -> list[Figure]:
    """Return the charts over all GPUs with a current offer; an empty list without one."""
    rows = data.rows(_RATES)
    rates = Rows(rows.sql, (_named(row, row["gpu_model_id"], data.sellers) for row in rows))
    return [_compute(rates, captions), _memory(rates, captions)] if rates else []


def _compute(rates: Rows, captions: dict[str, str]) -> Figure:
    formats = {"usd_per_fp16_tensor_tflop_hour": gettext("FP16 tensor"), "usd_per_fp32_tflop_hour": "FP32"}
    rated = [row for row in rates if any(row[key] for key in formats)]
    order = sorted(rated, key=lambda row: min(row[key] for key in formats if row[key]))
    points = [
        row | {"format": name, "usd_per_tflop_hour": row[key], "last": key == max(formats, key=lambda one: row[one] or 0)}
        for row in order[:SHOWN]
        for key, name in formats.items()
        if row[key]
    ]
    drawn = ("gpu", "format", "usd_per_tflop_hour", "behind", "last")
    won = listed([_cheapest_of(points, name) for name in formats.values() if any(row["format"] == name for row in points)])
    return Figure(
        name="cost-of-compute",
        title=gettext("The {gpu} has the cheapest FP16 compute for rent", gpu=order[0]["gpu"]),
        subject=gettext("Cost per TFLOPS-hour"),
        direction=gettext("further left is better"),
        finding=gettext("Lowest price of compute: {won}. {all}", won=won, all=_of_all(order)),
        chart=compute_prices.cost_of_compute([{key: row[key] for key in drawn} for row in points]),
        rows=points,
        columns=[
            ("gpu", "GPU"),
            ("format", gettext("Format")),
            ("usd_per_tflop_hour", gettext("USD per TFLOPS-hour")),
            *_PRICE_COLUMNS,
        ],
        note=gettext(
            "Peak rates of the vendors: dense, FP16 tensor with FP32 accumulation. Real workloads reach only a fraction of "
            "these peaks. GPUs without tensor cores have one mark. {how}",
            how=gettext(_PRICED_HOW),
        ),
        dated=captions["priced"],
        source=captions["source"],
        sql=_BY_FORMAT.format(rates=rates.sql),
    )


def _cheapest_of(points: list[Row], name: str) -> str:
    """Return the GPU whose compute in this format costs least."""
    least = min((row for row in points if row["format"] == name), key=lambda row: row["usd_per_tflop_hour"])
    price = usd(least["usd_per_tflop_hour"])
    return gettext("{gpu} for {format} ({usd_per_tflop_hour}, {provider})", **least | {"usd_per_tflop_hour": price})


def _memory(rates: Rows, captions: dict[str, str]) -> Figure:
    order = sorted((row for row in rates if row["gb_per_usd_hour"]), key=lambda row: -row["gb_per_usd_hour"])
    points = [row | {"best": at == 0} for at, row in enumerate(order[:SHOWN])]
    first, last = order[0], order[-1]
    drawn = ("gpu", "memory_gb", "gb_per_usd_hour", "gb_per_usd_hour_median", "best", "behind")
    return Figure(
        name="memory-per-dollar",
        title=gettext("The {gpu} has the most memory for a rental dollar", gpu=first["gpu"]),
        subject=gettext("GPU memory for one dollar an hour"),
        direction=gettext("longer is better"),
        finding=gettext(
            "One dollar an hour rents {gb_per_usd_hour} GB of the {gpu} at {provider}, the most of all, and "
            "{gb_per_usd_hour_2} GB of the {gpu_2}, the least. {all}",
            gpu=first["gpu"],
            gb_per_usd_hour=number(first["gb_per_usd_hour"], 3),
            provider=first["provider"],
            gpu_2=last["gpu"],
            gb_per_usd_hour_2=number(last["gb_per_usd_hour"], 3),
            all=_of_all(order),
        ),
        chart=compute_prices.memory_per_dollar([{key: row[key] for key in drawn} for row in points]),
        rows=points,
        columns=[
            ("gpu", "GPU"),
            ("memory_gb", gettext("Memory, GB")),
            ("gb_per_usd_hour", gettext("GB per USD and hour, cheapest")),
            ("gb_per_usd_hour_median", gettext("GB per USD and hour, median")),
            *_PRICE_COLUMNS,
        ],
        note=gettext("{how} The tick shows the same at the median of the providers.", how=gettext(_PRICED_HOW)),
        dated=captions["priced"],
        source=captions["source"],
        sql=_BY_MEMORY.format(rates=rates.sql),
    )


def _of_all(order: list[Row]) -> str:
    if len(order) <= SHOWN:
        return ""
    return gettext("The best {shown} of {order} GPUs with a current on-demand price.", shown=SHOWN, order=len(order))
