"""The stated training job on the page of value for money: its time, its rent, and the GPUs that finish it in a day."""

from pipeline.website.i18n.language import gettext
from pipeline.website.pages.value.value_figures import gpu_label
from pipeline.website.writing.database import Row
from pipeline.website.writing.numbers import number, ratio, usd

SQL = """
    SELECT j.gpu_id, g.name, j.basis, j.n_timed, j.epochs, j.days_on_one, j.days_on_one_low AS days_low,
        j.days_on_one_high AS days_high, j.usd_on_one, j.gpus_in_24_hours, j.hours, j.usd_in_24_hours, j.rental_usd_per_gpu_hour,
        coalesce(is_rankable(j.basis, j.seconds_low, j.seconds_high), false) AS rankable
    FROM training_job j
    LEFT JOIN gpu g USING (gpu_id)
    ORDER BY NOT rankable, CASE WHEN rankable THEN j.usd_on_one END NULLS LAST, j.days_on_one, j.gpu_id
"""


def finding(rows: list[Row]) -> str:
    """Return the cheapest GPU alone, the cheapest way within a day, and what has no rank. Rows with a rank come first."""
    ranked = [row for row in rows if row["rankable"]]
    if not ranked:
        return gettext("No GPU has a time that is certain enough for a rank.")
    texts = [_alone(ranked[0]), _in_a_day(ranked), _counted(len(rows), len(ranked)), _surely_cheaper(rows, ranked[0])]
    return " ".join(text for text in texts if text)


def _alone(best: Row) -> str:
    if best["usd_on_one"] is None:
        return gettext("No ranked GPU has a current price.")
    return gettext(
        "Cheapest on one GPU with a rank: the {gpu}, {usd} and {days} days, {basis}.",
        gpu=gpu_label(best),
        usd=usd(best["usd_on_one"]),
        days=ratio(best["days_on_one"]),
        basis=gettext(best["basis"]),
    )


def _in_a_day(ranked: list[Row]) -> str:
    priced = [row for row in ranked if row["usd_in_24_hours"] is not None]
    if not priced:
        return gettext("The cost within 24 hours is not known for any ranked GPU.")
    best = min(priced, key=lambda row: (row["usd_in_24_hours"], row["gpu_id"]))
    return gettext(
        "Within 24 hours: {gpus} x {gpu}, {usd} and {hours} hours.",
        gpus=best["gpus_in_24_hours"],
        gpu=gpu_label(best),
        usd=usd(best["usd_in_24_hours"]),
        hours=number(best["hours"], 3),
    )


def _counted(gpus: int, ranked: int) -> str:
    if gpus == ranked:
        return ""
    return gettext(
        "Only {ranked} of {gpus} GPUs have a rank. The times of the others are too uncertain. They are grey and sorted by time.",
        ranked=ranked,
        gpus=gpus,
    )


def _surely_cheaper(rows: list[Row], best: Row) -> str:
    """Return the GPUs without a rank whose cost is below that of the first, even if they take as long as their range allows."""
    if best["usd_on_one"] is None:
        return ""
    unranked = [row for row in rows if not row["rankable"] and row["usd_on_one"] is not None and row["days_high"] is not None]
    cheaper = [row for row in unranked if row["usd_on_one"] * row["days_high"] / row["days_on_one"] < best["usd_on_one"]]
    if not cheaper:
        return ""
    first = min(cheaper, key=lambda row: (row["usd_on_one"], row["gpu_id"]))
    return gettext(
        "GPUs without a rank that cost less even at the longest time of their range: {count}. "
        "Cheapest by prediction: the {gpu}, {usd} and {low} to {high} days.",
        count=len(cheaper),
        gpu=gpu_label(first),
        usd=usd(first["usd_on_one"]),
        low=ratio(first["days_low"]),
        high=ratio(first["days_high"]),
    )
