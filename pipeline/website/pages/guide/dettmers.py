"""Page of Tim Dettmers's guide of 2020: memory by purpose, advice, forecasts, hardware and carbon, with current figures."""

import datetime as dt
from typing import Any

from pipeline.website.components.purchases import purchase_range
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row, Rows
from pipeline.website.writing.numbers import day, number, usd

SOURCE_ID = "dettmers-2020"
TITLE = N_("The deep learning guide of 2020, with current figures")
CASES = (("utilisation-phd-desktop", 1), ("utilisation-phd-cluster", 4), ("utilisation-company-cluster", 8))
_FORECASTS = """
    SELECT subject, quantity, unit, foretold_low, foretold_high, came_low, came_high, came_on, verdict, arithmetic FROM forecast
    WHERE source_id = 'dettmers-2020' ORDER BY forecast_id
"""
QUERIES = {
    "memory": "SELECT * FROM guide_memory_rule ORDER BY memory_gb, rule_id",
    "forecasts": _FORECASTS,
    "carbon": """
        SELECT gpu_id, name, today, rule_id, subject, utilisation_percent, gpu_count, kwh_per_year, usd_per_year, co2_kg_per_year
        FROM guide_carbon ORDER BY today, name, gpu_count, utilisation_percent
    """,
    "prices": """
        SELECT f.subject, f.quantity, f.value_text, f.note, f.gpu_id, p.purchase_usd, p.purchase_kind, p.purchase_date
        FROM published_figure f LEFT JOIN gpu_price p USING (gpu_id)
        WHERE f.source_id = 'dettmers-2020' AND f.quantity IN ('used_price_usd', 'usd_per_gpu_hour') ORDER BY f.subject, f.locator
    """,
    "figures": """
        SELECT subject, quantity, unit, published_text, recomputed_shown FROM audit
        WHERE source_id = 'dettmers-2020' ORDER BY role, figure_id
    """,
}


def more(data: Database, tables: dict[str, Rows]) -> dict[str, Any]:
    """Return the other values of the template."""
    return {"carbon_by_gpu": _carbon_by_gpu(tables["carbon"]), "purchase_range": purchase_range(data)}


def _carbon_by_gpu(rows: list[Row]) -> list[list[Row]]:
    """Return the rows of each GPU for the three usual cases: one GPU at a desk, four at a university, eight at a company."""
    case_of = {(row["gpu_id"], row["rule_id"], row["gpu_count"]): row for row in rows}
    ids = list(dict.fromkeys(row["gpu_id"] for row in rows))
    groups = [[case_of[key] for case in CASES if (key := (gpu_id, *case)) in case_of] for gpu_id in ids]
    return [group for group in groups if len(group) == len(CASES)]


def lead(tables: dict[str, Rows], as_of: dt.date) -> str:
    """Return the cheapest GPUs to rent with the memory that the guide asks for most often and most of."""
    memory = tables["memory"]
    if not memory or memory[-1]["usd_per_gpu_hour"] is None or memory[0]["usd_per_gpu_hour"] is None:
        return gettext("Memory by purpose, advice, forecasts and carbon of the guide of 2020.")
    least, most = memory[0], memory[-1]
    return gettext(
        "For {purpose}, the guide recommends {gb} GB. Cheapest to rent at {date}: {gpu}, {usd} an "
        "hour. The most that it recommends is {gb_most} GB, from {usd_most} an hour "
        "({gpu_most}).",
        date=day(as_of),
        purpose=gettext(least["subject"]),
        gb=number(least["memory_gb"]),
        gpu=least["rent_name"].removeprefix("NVIDIA "),
        usd=usd(least["usd_per_gpu_hour"]),
        gb_most=number(most["memory_gb"]),
        usd_most=usd(most["usd_per_gpu_hour"]),
        gpu_most=most["rent_name"].removeprefix("NVIDIA "),
    )
