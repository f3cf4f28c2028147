"""Charts of the page of value for money: training speed per dollar of rent, and per price of a machine."""

from pipeline.website.charts import performance
from pipeline.website.components.figures import Figure
from pipeline.website.components.purchases import kind
from pipeline.website.i18n.language import gettext
from pipeline.website.writing.database import Row, Rows
from pipeline.website.writing.labels import plural, short_gpu
from pipeline.website.writing.numbers import day, ratio

RENTED = 15
BOUGHT = 10
REFERENCE = "nvidia-geforce-rtx-3080-10gb"


def gpu_label(row: Row) -> str:
    """Return the short name of a GPU for a chart label."""
    return short_gpu(row["name"], row["gpu_id"]).removeprefix("GeForce ").removeprefix("AMD ")


def interval_text(low: float | None, high: float | None) -> str:
    """Return an interval in words."""
    return gettext("no interval") if low is None or high is None else gettext("{low} to {high}", low=ratio(low), high=ratio(high))


def rental_figure(gpus: Rows, dated: str) -> Figure | None:
    """Return the chart of speed per dollar of rent; None without prices. The rows are best first."""
    if not gpus:
        return None
    rows = [_chart_row(row, "value_rental") | _price_fields(row) for row in gpus[:RENTED]]
    return Figure(
        name="value-of-renting",
        title=gettext("Most training per rental dollar: {gpu}", gpu=gpu_label(gpus[0])),
        subject=gettext("Training speed per rental dollar"),
        direction=gettext("further right is better"),
        finding=_rental_finding(gpus),
        dated=dated,
        source=gettext("training speed, and current on-demand prices"),
        chart=performance.value_of_renting(rows),
        rows=rows,
        columns=[
            ("gpu", "GPU"),
            ("value", gettext("Speed for 1 USD an hour, RTX 2080 Ti = 1")),
            ("ci_low", gettext("90% interval from")),
            ("ci_high", gettext("90% interval to")),
            ("basis", gettext("Speed")),
            ("rental_usd_per_hour", gettext("USD an hour")),
            ("price_is", gettext("Price is the")),
            ("n_offers", gettext("Offers")),
            ("last_day", gettext("Price seen")),
        ],
        note=gettext(
            "One GPU, 16-bit, all kinds of network; the speed of an RTX 2080 Ti is 1. Circles are measured speeds, "
            "diamonds predicted; lines are 90% intervals of the speed, and open marks have none. Intervals cover speed, "
            "not prices. A price is the median of the providers; a star marks the lowest price where they are fewer than three."
        ),
        sql=gpus.sql,
    )


def _chart_row(row: Row, value: str) -> Row:
    interval = {"value": row[value], "ci_low": row[f"{value}_low"], "ci_high": row[f"{value}_high"]}
    return {"gpu": gpu_label(row), "basis": gettext(row["basis"])} | interval


def _price_fields(row: Row) -> Row:
    seen, is_lowest = row["last_day"], row["usd_per_gpu_hour_median"] is None
    details = {key: row[key] for key in ("rental_usd_per_hour", "n_offers")}
    named = {"gpu": f"* {gpu_label(row)}", "price_is": gettext("lowest")} if is_lowest else {"price_is": gettext("median")}
    return named | details | {"last_day": None if seen is None else seen.isoformat()}


def _rental_finding(rows: list[Row]) -> str:
    best, last = rows[0], rows[:RENTED][-1]
    interval = interval_text(best["value_rental_low"], best["value_rental_high"])
    details = {"value": ratio(best["value_rental"]), "interval": interval, "basis": gettext(best["basis"])}
    text = gettext("The {gpu} gives the most speed per dollar: {value} ({interval}), {basis}", gpu=gpu_label(best), **details)
    if len(rows) > 1:
        named = {"rank": min(len(rows), RENTED), "gpu": gpu_label(last), "value": ratio(last["value_rental"])}
        text += gettext(". Rank {rank}: {gpu} with {value}", **named)
    if len(rows) == 1:
        return text + gettext(". 1 GPU has a current price and an index.")
    return text + gettext(". {count} GPUs have a current price and an index.", count=len(rows))


def purchase_figure(gpus: Rows, dated: str) -> Figure | None:
    """Return the chart of speed per price of a machine of 1, 2, 4 and 8 GPUs; None without a reference price."""
    sizes = sorted({row["gpu_count"] for row in gpus if row["value_purchase_relative"] is not None})
    rows = [shown for size in sizes for shown in _best(gpus, size)]
    if not rows:
        return None
    return Figure(
        name="value-of-buying",
        title=gettext("Most training for the price of a machine with {size}: {gpu}", gpu=rows[0]["gpu"], size=rows[0]["size"]),
        subject=gettext("Training speed for the price of a machine"),
        direction=gettext("further right is better"),
        finding=_purchase_finding(rows),
        dated=gettext("{dated}; of each price, the day in the table", dated=dated),
        source=gettext("training speed, multi-GPU scaling, and prices of GPUs and machines"),
        chart=performance.value_of_buying(rows),
        rows=rows,
        columns=[
            ("size", gettext("Machine of")),
            ("gpu", "GPU"),
            ("value", gettext("Value, RTX 3080 = 1")),
            ("ci_low", gettext("90% interval from")),
            ("ci_high", gettext("90% interval to")),
            ("basis", gettext("Speed")),
            ("system_usd", gettext("Machine with GPUs (USD)")),
            ("price_kind", gettext("Price type of the GPUs")),
            ("gpu_price_date", gettext("Price date")),
        ],
        note=gettext(
            "The {count} best for each size of machine, against a machine of as many RTX 3080 (10 GB), as in the 2020 "
            "guide. {reference} Circles are measured speeds, diamonds predicted; lines are 90% intervals of the speed, and "
            "open marks have none. Intervals cover speed only, not prices or multi-GPU losses.",
            count=BOUGHT,
            reference=_reference(gpus),
        ),
        sql=gpus.sql,
    )


def _best(rows: list[Row], size: int) -> list[Row]:
    same_size = [row for row in rows if row["gpu_count"] == size and row["value_purchase_relative"] is not None]
    return [_purchase_row(row) for row in same_size[:BOUGHT]]


def _purchase_row(row: Row) -> Row:
    details = {
        "size": plural(row["gpu_count"], "GPU"),
        "system_usd": row["system_usd"],
        "price_kind": kind(row["gpu_price_kind"]),
    }
    seen = row["gpu_price_date"]
    return _chart_row(row, "value_purchase_relative") | details | {"gpu_price_date": None if seen is None else seen.isoformat()}


def _purchase_finding(rows: list[Row]) -> str:
    first = {row["size"]: row for row in reversed(rows)}
    details = [_first_text(row) for row in reversed(first.values())]
    return gettext("First for a machine of {details}.", details=gettext("; ").join(details))


def _first_text(row: Row) -> str:
    values = {"size": row["size"], "gpu": row["gpu"], "value": ratio(row["value"]), "certainty": _certainty_text(row)}
    return gettext("{size}: {gpu} {value} ({certainty})", **values)


def _certainty_text(row: Row) -> str:
    return gettext(", ").join((interval_text(row["ci_low"], row["ci_high"]), row["basis"]))


def _reference(rows: list[Row]) -> str:
    """Return at which price the reference GPU itself counts."""
    row = next((row for row in rows if row["gpu_id"] == REFERENCE), None)
    if row is None:
        return ""
    name, seen = kind(row["gpu_price_kind"]), row["gpu_price_date"]
    price = name if row["gpu_price_kind"] == "msrp" else gettext("{kind} price", kind=name)
    dated = gettext("{words_of} of {gpu_price_date}", words_of=price, gpu_price_date=day(seen)) if seen else price
    return gettext("The RTX 3080 itself counts at its {found}.", found=dated)
