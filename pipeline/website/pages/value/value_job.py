"""The stated training job on the page of value for money: its time, its rent, and the GPUs that finish it in a day."""

from pipeline.website.components.database import Row
from pipeline.website.components.market import plural
from pipeline.website.components.numbers import number, ratio, usd
from pipeline.website.pages.value.value_figures import gpu_label, interval_text

SQL = """
    SELECT j.gpu_id, g.name, j.basis, j.n_timed, j.epochs, j.days_on_one, j.days_on_one_low AS days_low,
        j.days_on_one_high AS days_high, j.usd_on_one, j.gpus_in_24_hours, j.hours, j.usd_in_24_hours, j.rental_usd_per_hour
    FROM training_job j
    LEFT JOIN gpu g USING (gpu_id)
    ORDER BY j.usd_on_one NULLS LAST, j.days_on_one, j.gpu_id
"""


def finding(rows: list[Row]) -> str:
    """Return the cheapest GPU alone, the cheapest way within a day, and the GPUs needed. The rows are cheapest first."""
    if not rows:
        return "No card has a time for it."
    return f"{_alone(rows[0])} {_in_a_day(rows)} {_counted(rows)}"


def _alone(best: Row) -> str:
    if best["usd_on_one"] is None:
        return "No GPU with a time has a current price."
    time = f"{ratio(best['days_on_one'])} days ({best['basis']}, {interval_text(best['days_low'], best['days_high'])})"
    return f"Cheapest on one card: the {gpu_label(best)}, {usd(best['usd_on_one'])} and {time}."


def _in_a_day(rows: list[Row]) -> str:
    priced = [row for row in rows if row["usd_in_24_hours"] is not None]
    if not priced:
        return "What it costs within 24 hours is not known of any card."
    best = min(priced, key=lambda row: (row["usd_in_24_hours"], row["gpu_id"]))
    cards = f"{best['gpus_in_24_hours']} x {gpu_label(best)}"
    return f"Cheapest within 24 hours: {cards}, {usd(best['usd_in_24_hours'])} and {number(best['hours'], 3)} hours."


def _counted(rows: list[Row]) -> str:
    counts = [row["gpus_in_24_hours"] for row in rows]
    alone, unknown = counts.count(1), counts.count(None)
    together = len(counts) - alone - unknown
    text = f"Of {plural(len(rows), 'card')} with a time, {alone} can end it within 24 hours alone and {together} as 2, 4 or 8"
    return f"{text}; for {unknown}, even 8 are too few or how they scale is not known." if unknown else f"{text}."
