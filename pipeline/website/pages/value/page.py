"""Page of value for money: training speed per dollar, rented and bought, and the advice of the guides."""

import datetime as dt

from pipeline.website.components.figures import render_figure
from pipeline.website.components.market import offer_count_text
from pipeline.website.components.purchases import kind, purchase_note, purchase_range
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.pages.value import value_figures, value_job
from pipeline.website.pages.value.value_figures import gpu_label, interval_text
from pipeline.website.writing.database import Row
from pipeline.website.writing.labels import listed, plural, words
from pipeline.website.writing.numbers import day, ratio, thousand, usd
from pipeline.website.writing.page_writer import PageWriter

MOST_NAMED = 3
_RENTAL = """
    SELECT v.gpu_id, g.name, v.basis, v.value_rental, v.value_rental_low, v.value_rental_high, v.rental_usd_per_hour,
        m.n_offers, m.n_providers, m.usd_per_gpu_hour_median, m.price_date_first AS first_day, m.price_date_last AS last_day
    FROM value_index v
    LEFT JOIN gpu g USING (gpu_id)
    LEFT JOIN rental_market m ON (m.gpu_id, m.billing, m.commitment, m.gpus) = (v.gpu_id, 'on_demand', 'any', 'any')
    WHERE v.family = 'all' AND v.precision = 'fp16' AND v.gpu_count = 1 AND v.value_rental IS NOT NULL
        AND is_rankable(v.basis, v.speed_low, v.speed_high)
    ORDER BY v.value_rental DESC, v.gpu_id
"""
# the kind of work of `_RENTAL`, at each GPU's cheapest offer
_CHEAPEST = """
    SELECT c.gpu_id, g.name
    FROM workload_cost AS c
    JOIN workload_time AS w USING (workload, gpu_id)
    JOIN gpu AS g USING (gpu_id)
    WHERE workload = 'all' AND is_rankable(w.basis, w.seconds_low, w.seconds_high) AND c.usd_per_run_cheapest IS NOT NULL
    ORDER BY c.usd_per_run_cheapest, gpu_id LIMIT 1
"""
_PURCHASE = """
    SELECT v.gpu_id, g.name, v.gpu_count, v.basis, v.value_purchase, v.value_purchase_relative,
        v.value_purchase_relative_low, v.value_purchase_relative_high, v.usd_per_index, v.system_usd,
        v.gpu_price_kind, v.gpu_price_date, v.purchase_current, p.purchase_usd, o.stale
    FROM value_index v
    LEFT JOIN gpu g USING (gpu_id)
    LEFT JOIN gpu_price p USING (gpu_id)
    LEFT JOIN offer_current o ON o.observation_id = p.purchase_observation_id
    WHERE v.family = 'all' AND v.precision = 'fp16' AND v.value_purchase IS NOT NULL AND v.purchase_in_range
        AND is_rankable(v.basis, v.speed_low, v.speed_high)
    ORDER BY v.gpu_count, v.value_purchase DESC, v.gpu_id
"""
_TABLES = {
    "gpus": """
        SELECT v.gpu_id, g.name, v.basis, v.value_rental, v.value_rental_low, v.value_rental_high,
            p.rental_usd_per_gpu_hour, p.rental_basis, p.rental_usd_per_gpu_hour_min, p.n_offers, m.price_date_last AS last_day,
            p.purchase_usd, p.purchase_kind, p.purchase_date, b.stale, n.value_1, n.value_1_low, n.value_1_high,
            n.value_2, n.value_4, n.value_8
        FROM value_index v
        LEFT JOIN gpu g USING (gpu_id)
        LEFT JOIN gpu_price p USING (gpu_id)
        LEFT JOIN rental_market m ON (m.gpu_id, m.billing, m.commitment, m.gpus) = (v.gpu_id, 'on_demand', 'any', 'any')
        LEFT JOIN value_by_size n ON (n.gpu_id, n.family, n.precision) = (v.gpu_id, v.family, v.precision)
            AND v.purchase_current
        LEFT JOIN offer_current b ON b.observation_id = p.purchase_observation_id
        WHERE v.family = 'all' AND v.precision = 'fp16' AND v.gpu_count = 1
        ORDER BY v.value_rental DESC NULLS LAST, v.gpu_id
    """,
    "advice": """
        SELECT source_id, scenario, scenario_id, stance, author, advised_on, said, asked, today_gpu_id, today_name, today_basis,
            today_price_date, today_reason, best_rank, missed_limits, agrees
        FROM recommendation
        ORDER BY source_id, scenario, stance
    """,
    "tasks": """
        SELECT t.workload, t.gpu_id, g.name, t.status, t.basis, t.n_timed, t.outside_interval, t.seconds, t.seconds_low,
            t.seconds_high, coalesce(is_rankable(t.basis, t.seconds_low, t.seconds_high), false) AS rankable,
            t.rental_usd_per_gpu_hour, t.n_offers, t.usd_per_run, t.usd_per_run_low, t.usd_per_run_high, t.electricity_usd_per_run
        FROM task_cost t
        LEFT JOIN gpu g USING (gpu_id)
        ORDER BY t.workload, t.usd_per_run NULLS LAST, t.status, t.seconds NULLS LAST, t.gpu_id
    """,
    "job": value_job.SQL,
    "assumed": "SELECT assumption_id, value, basis, source_id, note FROM assumption ORDER BY basis, assumption_id",
    "machines": "SELECT gpu_count, base_cost_usd, assumed, basis FROM base_system_cost ORDER BY gpu_count",
}


def write(writer: PageWriter) -> None:
    """Write the page."""
    data, as_of = writer.data, writer.as_of
    dated = gettext("Prices in the data of {date}", date=day(as_of))
    rental, purchase = data.rows(_RENTAL), data.rows(_PURCHASE)
    current = [row for row in purchase if row["purchase_current"]]
    results = data.results(_TABLES)
    writer.write_page(
        "value",
        "Value for money",
        "Training speed per dollar, rented and bought, and what the guides advised.",
        rental_lead=_rental_lead(rental, data.rows(_CHEAPEST)),
        purchase_lead=_purchase_lead(current, as_of) if current else purchase_note(data),
        task_finding=_task_finding(results["tasks"]),
        job_finding=value_job.finding(results["job"]),
        tasks_named=list(dict.fromkeys(row["workload"] for row in results["tasks"])),
        kind=kind,
        has_current=bool(current),
        purchase_range=purchase_range(data),
        figures={
            "rental": render_figure(writer, "../", value_figures.rental_figure(rental, dated)),
            "purchase": render_figure(writer, "../", value_figures.purchase_figure(purchase, dated)),
        },
        **results,
    )


def _rental_lead(rows: list[Row], cheapest: list[Row]) -> str:
    """Return the best GPU to rent, the basis of its rank, how certain the rank is, and the first at the lowest prices."""
    if not rows:
        return gettext("No GPU with a known speed has a current on-demand price.")
    best = rows[0]
    interval = interval_text(best["value_rental_low"], best["value_rental_high"])
    text = gettext(
        "To rent, the {gpu} is best value: {value_rental} times the speed of an RTX 2080 Ti for "
        "$1 an hour ({interval}). Its speed is {basis}, its price {rental_usd_per_hour} an "
        "hour{behind}. {rivals}",
        gpu=gpu_label(best),
        value_rental=ratio(best["value_rental"]),
        interval=interval,
        basis=gettext(best["basis"]),
        rental_usd_per_hour=usd(best["rental_usd_per_hour"]),
        behind=_offers_text(best),
        rivals=_rivals(rows, "value_rental"),
    )
    if not cheapest or cheapest[0]["gpu_id"] == best["gpu_id"]:
        return text
    at_lowest = N_("At the cheapest offer of each GPU, instead of the median, the {gpu} is best value.")
    return text + " " + gettext(at_lowest, gpu=gpu_label(cheapest[0]))


def _offers_text(row: Row) -> str:
    """Return the number of offers behind a rent, and their dates."""
    first, last = row["first_day"], row["last_day"]
    if not row["n_offers"] or last is None:
        return ""
    days = str(day(last)) if first == last else gettext("{first} to {last}", first=day(first), last=day(last))
    if row["n_offers"] == 1:
        return gettext(", from {counted}, seen {days}", counted=offer_count_text(row), days=days)
    if row["usd_per_gpu_hour_median"] is None:
        return gettext(", the cheapest of {counted}, seen {days}", counted=offer_count_text(row), days=days)
    return gettext(", the median of {counted}, seen {days}", counted=offer_count_text(row), days=days)


def _rivals(rows: list[Row], key: str) -> str:
    """Return the GPUs whose interval overlaps with that of the first, so that their order is uncertain."""
    low = rows[0][f"{key}_low"]
    if low is None:
        return gettext("It has no interval, so its lead is uncertain.")
    near = [gpu_label(row) for row in rows[1:] if row[f"{key}_high"] is not None and row[f"{key}_high"] >= low]
    if not near:
        return gettext("Its interval overlaps with no other.")
    texts = near if len(near) <= MOST_NAMED else [*near[:MOST_NAMED], gettext("{count} more", count=len(near) - MOST_NAMED)]
    return gettext("The order is uncertain, because its interval overlaps with that of {rivals}.", rivals=listed(texts))


def _purchase_lead(rows: list[Row], as_of: dt.date) -> str:
    """Return the best GPU to buy for a machine of one, with the kind and date of its price."""
    one = [row for row in rows if row["gpu_count"] == 1]
    if not one:
        return gettext("No GPU with a known speed has a purchase price.")
    best = one[0]
    return gettext(
        "To buy, as one GPU in a machine, the {gpu} is best value: {worth}. Its speed is {basis}. It costs {price}. {rivals}",
        gpu=gpu_label(best),
        worth=_worth(best),
        basis=gettext(best["basis"]),
        price=_purchase_price(best, as_of),
        rivals=_rivals(one, "value_purchase_relative"),
    )


def _worth(row: Row) -> str:
    if row["value_purchase_relative"] is None:
        return gettext("{usd_per_index} for the speed of one RTX 2080 Ti", usd_per_index=usd(row["usd_per_index"]))
    interval = interval_text(row["value_purchase_relative_low"], row["value_purchase_relative_high"])
    return gettext(
        "{value_purchase_relative} times the value of an RTX 3080 ({interval})",
        value_purchase_relative=ratio(row["value_purchase_relative"]),
        interval=interval,
    )


def _purchase_price(row: Row, as_of: dt.date) -> str:
    price, name, seen = usd(row["purchase_usd"]), kind(row["gpu_price_kind"]), row["gpu_price_date"]
    if seen is None:
        return gettext("{price} ({kind}, of an unknown day)", price=price, kind=name)
    old = gettext(", {days} old", days=plural((as_of - seen).days, "day")) if row["stale"] else ""
    return gettext("{price} ({kind}, {seen}{old})", price=price, kind=name, seen=day(seen), old=old)


def _task_finding(rows: list[Row]) -> str:
    """Return the cheapest ranked GPU for each task."""
    first: dict[str, Row] = {}
    for row in rows:
        if row["usd_per_run"] is not None and row["rankable"]:
            first.setdefault(row["workload"], row)
    texts = [
        gettext(
            "{task}: {gpu}, {usd} per 1,000 runs ({sure})",
            task=words(task),
            gpu=gpu_label(row),
            usd=usd(thousand(row["usd_per_run"])),
            sure=_certainty_text(row),
        )
        for task, row in first.items()
    ]
    if not texts:
        return gettext("No task has a GPU with both a time and a current price.")
    return gettext("Cheapest at current prices. {details}.", details=gettext("; ").join(texts))


def _certainty_text(row: Row) -> str:
    if row["usd_per_run_low"] is None or row["usd_per_run_high"] is None:
        return gettext(row["basis"])
    return gettext(
        "{basis}, {usd_per_run_low} to {usd_per_run_high}",
        basis=gettext(row["basis"]),
        usd_per_run_low=usd(thousand(row["usd_per_run_low"])),
        usd_per_run_high=usd(thousand(row["usd_per_run_high"])),
    )
