"""Initial state of the rent-or-buy calculator: the case of the 2020 guide, computed by the database.

`site/docs/assets/break-even.js` writes the same texts in the browser for the reader's own figures.
"""

from typing import Any

from pipeline.website.components import calculator_data
from pipeline.website.components.calculator_data import Groups
from pipeline.website.components.database import Database, Row
from pipeline.website.components.escape import escape
from pipeline.website.components.labels import month, short_gpu, words
from pipeline.website.components.numbers import number, usd
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.links import provider_name

DAYS = N_("{days} days")
ARITHMETIC = N_(
    "({gpu} + {host}) / (24 × {use}% × ({cloud} − {kilowatts} kW × {kwh})) = {purchase} / {saved} a day = {exact} days"
)
YEAR = N_("One year of renting at this use costs {rent}. Owning costs {power} for {electricity} kWh of electricity.")
FROM_GPU = N_("launch price, as the guide counts it, {month}")
FROM_HOST = N_("the guide's desktop without its GPU")
FROM_CLOUD = N_("{provider} {gpu}, {terms}, {month}")
FROM_WATTS = N_("GPU {gpu} W, rest {rest} W")
FROM_UTILISATION = N_("the guide's desktop")
FROM_KWH = N_("the guide: United States, {month}")
FROM_KEPT = N_("not resold (used prices suggest {kept}%)")
_GROUPS: Groups = (
    (N_("Both prices known"), lambda row: row["buy_current"] and row["rent_usd"] is not None),
    (N_("Only a purchase price"), lambda row: row["buy_current"]),
    (N_("Only a rental price"), lambda row: row["rent_usd"] is not None),
    (N_("No price known"), lambda row: True),
)


def context(data: Database, case: Row) -> dict[str, Any]:
    """Return the context of the calculator's template; `case` is the guide's row of table break_even."""
    rows = calculator_data.gpus(data)
    return {
        "groups": calculator_data.choices(rows, _GROUPS),
        "told": _texts(case),
        "from": _sources(data, case),
        "rented": escape(short_gpu(case["rent_name"], case["rent_gpu_id"])),
        "bought": escape(short_gpu(case["buy_name"], case["buy_gpu_id"])),
    }


def _texts(case: Row) -> dict[str, str]:
    figures = {
        "gpu": usd(case["gpu_usd"]),
        "host": usd(case["host_usd"]),
        "use": number(case["utilisation_percent"]),
        "cloud": usd(case["cloud_usd_per_hour"]),
        "kilowatts": number(case["watts"] / 1000),
        "kwh": usd(case["usd_per_kwh"]),
        "purchase": usd(case["purchase_usd"]),
        "saved": usd(case["saved_usd_per_day"]),
        "exact": number(case["break_even_days_exact"]),
    }
    year = {
        "rent": usd(case["cloud_usd_per_year"]),
        "electricity": number(case["electricity_kwh_per_year"]),
        "power": usd(case["electricity_usd_per_year"]),
    }
    days = gettext(DAYS, days=number(case["break_even_days"]))
    return {"days": days, "arithmetic": gettext(ARITHMETIC, **figures), "year": gettext(YEAR, **year)}


def _sources(data: Database, case: Row) -> dict[str, str]:
    """Return the origin of each figure of the case, by the name of its input."""
    assumptions = calculator_data.assumptions(data)
    when = month(case["rental_date"])
    seller = provider_name(case["provider"], data.sellers)
    rented = {"provider": seller, "gpu": short_gpu(case["rent_name"], case["rent_gpu_id"]), "month": when}
    rest = assumptions["host_w"]
    return {
        "gpu": gettext(FROM_GPU, month=when),
        "host": gettext(FROM_HOST),
        "cloud": gettext(FROM_CLOUD, terms=words(case["billing"]).lower(), **rented),
        "utilisation": gettext(FROM_UTILISATION),
        "watts": gettext(FROM_WATTS, gpu=number(case["watts"] - rest), rest=number(rest)),
        "kwh": gettext(FROM_KWH, month=when),
        "kept": gettext(FROM_KEPT, kept=number(100 * assumptions["card_price_kept_per_year"], 2)),
    }
