"""Page on renting or buying: days until an own GPU is cheaper, by utilization."""

from typing import Any

from pipeline.website.charts.break_even import days_to_break_even
from pipeline.website.components.figures import Figure, render_figure
from pipeline.website.components.purchases import kind, purchase_note
from pipeline.website.i18n.language import gettext
from pipeline.website.pages.break_even import rent_or_buy
from pipeline.website.writing.database import Row, Rows
from pipeline.website.writing.labels import month, short_gpu, short_source
from pipeline.website.writing.numbers import number, usd
from pipeline.website.writing.page_writer import PageWriter

SHOWN = (5, 10, 15, 25, 50, 100)
_ASSUMED = "SELECT value FROM assumption WHERE assumption_id = 'utilisation'"
_CASES = """
    SELECT b.*, bought.name AS buy_name, rented.name AS rent_name, p.source_id, coalesce(d.is_example, false) AS is_example,
        purchase.provider AS buy_provider, purchase.source_id AS buy_source_id
    FROM break_even b
    JOIN gpu bought ON bought.gpu_id = b.buy_gpu_id
    JOIN gpu rented ON rented.gpu_id = b.rent_gpu_id
    JOIN price p ON p.observation_id = b.rental_observation_id
    LEFT JOIN price purchase ON purchase.observation_id = b.purchase_id
    LEFT JOIN break_even_default d USING (purchase_id, rental_observation_id)
    WHERE b.guide_case OR d.gpu_id IS NOT NULL
    ORDER BY b.guide_case DESC, b.buy_gpu_id, b.purchase_id, b.rental_observation_id, b.utilisation_percent
"""
_SHOWN_CASES = """FROM (
{cases}
)
WHERE break_even_days IS NOT NULL AND (guide_case OR purchase_current OR is_example)"""
# the days that the guide states, and the utilization for which it states them
_PUBLISHED = """
    SELECT days.*, share.published::BIGINT AS percent
    FROM audit days
    JOIN audit share ON (share.source_id, share.subject, share.quantity)
        = (days.source_id, 'desktop in the break-even example', 'utilisation_percent')
    WHERE days.source_id = 'dettmers-2020' AND days.quantity = 'break_even_days'
"""


def write(writer: PageWriter) -> None:
    """Write the break-even page."""
    cases = writer.data.rows(_CASES)
    assumed = writer.data.rows(_ASSUMED)[0]["value"]
    percent = min((row["utilisation_percent"] for row in cases), key=lambda share: abs(share / 100 - assumed))
    published = writer.data.rows(_PUBLISHED)
    of_guide = published[0]["percent"] if published else percent
    case = next(row for row in cases if row["guide_case"] and row["utilisation_percent"] == of_guide)
    example = next((row for row in cases if row["is_example"] and row["utilisation_percent"] == percent), None)
    writer.write_page(
        "break-even",
        "Rent or buy",
        "Days until buying a GPU is cheaper than renting one.",
        case=case,
        example=example,
        kind=kind,
        published=published[0] if published else None,
        cases=_table([row for row in cases if row["guide_case"] or row["purchase_current"]], percent),
        older=_table([row for row in cases if not (row["guide_case"] or row["purchase_current"])], percent),
        purchase_note=purchase_note(writer.data),
        shown=SHOWN,
        percent_shown=percent,
        calculator=rent_or_buy.context(writer.data, example or case, case),
        figure=render_figure(writer, "../", _figure(cases, case, example, short_source(writer.sources[case["source_id"]]))),
    )


def _table(rows: list[Row], percent: int) -> list[dict[str, Any]]:
    """Return one row per purchase and rental with the days at each utilization, in the order of those at `percent`.

    `resold` is the days at `percent` if the GPU is sold then.
    """
    cases: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        case = cases.setdefault((row["purchase_id"], row["rental_observation_id"]), row | {"days": {}, "resold": None})
        case["days"][row["utilisation_percent"]] = row["break_even_days"]
        if row["utilisation_percent"] == percent:
            case["resold"] = row["break_even_days_with_resale"]
    return sorted(cases.values(), key=lambda case: (not case["guide_case"], case["days"].get(percent) or 1e9))


def _figure(cases: Rows, case: Row, example: Row | None, source: str) -> Figure:
    drawn = [row for row in cases if row["guide_case"] or row["purchase_current"] or row["is_example"]]
    named = _named(drawn, case["utilisation_percent"])
    points = [
        {
            "case": _case_label(row),
            "gpu_id": "" if row["guide_case"] else row["buy_gpu_id"],
            "named": row["guide_case"] or row["is_example"] or row["purchase_id"] in named,
            "guide_case": row["guide_case"],
            "utilisation": row["utilisation_percent"] / 100,
            "days": row["break_even_days"],
            "gpu_usd": row["gpu_usd"],
            "cloud_usd_per_gpu_hour": row["cloud_usd_per_gpu_hour"],
        }
        for row in drawn
        if row["break_even_days"] is not None
    ]
    strong = example or case
    return Figure(
        name="break-even",
        title=_title(cases, case, example),
        subject=gettext("Days until buying is cheaper"),
        direction=gettext("lower means that buying pays off sooner"),
        finding=gettext(
            "{gpu} at 50% utilization: {half} days. At 100%: {full} days. Twice the utilization halves the days.",
            gpu=_case_label(strong),
            half=number(_at(cases, strong, 50)),
            full=number(_at(cases, strong, 100)),
        ),
        dated=gettext(
            "The guide's line: prices of {month}. Other lines: purchase prices with their year, and the rental prices of the "
            "tables below. Grey: the other GPUs, which the form above can choose",
            month=month(case["rental_date"]),
        ),
        source=gettext("{source} and the purchase prices in the data", source=source),
        chart=days_to_break_even(points, [_mark(row) for row in (case, example) if row]),
        rows=points,
        columns=[
            ("case", gettext("Bought")),
            ("utilisation", gettext("Utilization")),
            ("days", gettext("Days")),
            ("gpu_usd", gettext("GPU price (USD)")),
            ("cloud_usd_per_gpu_hour", gettext("Rent, USD per hour")),
        ],
        sql=_SHOWN_CASES.format(cases=cases.sql),
    )


def _named(rows: list[Row], percent: int) -> set[str]:
    """Return the purchases that pay off first, in the middle and last."""
    paying = sorted((row for row in rows if _pays(row, percent)), key=lambda row: float(row["break_even_days"]))
    return {paying[at]["purchase_id"] for at in (0, len(paying) // 2, -1)} if paying else set()


def _pays(row: Row, percent: int) -> bool:
    return row["utilisation_percent"] == percent and row["break_even_days"] is not None and not row["guide_case"]


def _title(rows: list[Row], case: Row, example: Row | None) -> str:
    use = (example or case)["utilisation_percent"]
    guide = {"use": use, "month": month(case["rental_date"]), "guide": number(_at(rows, case, use))}
    if example is None:
        return gettext("At {use}% utilization, the guide's desktop of {month} pays off after {guide} days", **guide)
    return gettext(
        "At {use}% utilization, the {gpu} pays off after {days} days, and the guide's desktop of {month} after {guide}",
        gpu=short_gpu(example["buy_name"], example["buy_gpu_id"]),
        days=number(example["break_even_days"]),
        **guide,
    )


def _mark(case: Row) -> Row:
    """Return the marked point of a case."""
    days = case["break_even_days"]
    return {"utilisation": case["utilisation_percent"] / 100, "days": days, "label": gettext("{days} days", days=number(days))}


def _at(rows: list[Row], case: Row, percent: int) -> float | None:
    """Return the days of a case at another utilization."""
    key = ("purchase_id", "rental_observation_id")
    same = (row for row in rows if all(row[name] == case[name] for name in key))
    return next((row["break_even_days"] for row in same if row["utilisation_percent"] == percent), None)


def _case_label(row: Row) -> str:
    bought = short_gpu(row["buy_name"], row["buy_gpu_id"])
    price_text = gettext(", ").join((f"{usd(row['gpu_usd'])} {kind(row['purchase_kind'])}", str(row["purchase_date"].year)))
    return gettext("{gpu} (the guide's case)", gpu=bought) if row["guide_case"] else f"{bought} ({price_text})"
