"""Initial state of the rent-or-buy calculator, computed by the database: a GPU at its last known price, or the 2020 guide's case.

`site/docs/assets/break-even.js` writes the same texts in the browser for the reader's own figures.
"""

from typing import Any

from pipeline.website.components import calculator_data
from pipeline.website.components.calculator_data import Groups
from pipeline.website.components.purchases import kind
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.escape import escape
from pipeline.website.writing.labels import month, short_gpu, words
from pipeline.website.writing.links import provider_name
from pipeline.website.writing.numbers import day, number, usd

GUIDE = "guide"  # the guide's case in the list of GPUs
_INPUTS = {
    "gpu": "gpu_usd",
    "host": "host_usd",
    "cloud": "cloud_usd_per_gpu_hour",
    "utilisation": "utilisation_percent",
    "watts": "watts",
    "kwh": "usd_per_kwh",
}


def _has_purchase(row: Row) -> bool:
    return row["buy_usd"] is not None and row["buy_kind"] != "msrp"


_GROUPS: Groups = (
    (N_("Both prices known"), lambda row: _has_purchase(row) and row["rent_usd"] is not None),
    (N_("Only a purchase price"), _has_purchase),
    (N_("Only a rental price"), lambda row: row["rent_usd"] is not None),
    (N_("No price known"), lambda row: True),
)


def context(data: Database, case: Row, guide: Row) -> dict[str, Any]:
    """Return the context of the calculator's template. It shows `case`, a row of table break_even; `guide` is the guide's own."""
    of_guide = _sources(data, guide)
    return {
        "groups": calculator_data.choices(calculator_data.gpus(data), _GROUPS),
        "case": case,
        "chosen": GUIDE if case["guide_case"] else case["buy_gpu_id"],
        "guide": {name: {"value": guide[column], "from": of_guide[name]} for name, column in _INPUTS.items()},
        "texts": _texts(case),
        "from": of_guide if case["guide_case"] else of_guide | _sources_of_gpu(data, case, guide),
        "rented": escape(short_gpu(guide["rent_name"], guide["rent_gpu_id"])),
        "bought": escape(short_gpu(guide["buy_name"], guide["buy_gpu_id"])),
    }


def _texts(case: Row) -> dict[str, str]:
    figures = {
        "gpu": usd(case["gpu_usd"]),
        "host": usd(case["host_usd"]),
        "use": number(case["utilisation_percent"]),
        "cloud": usd(case["cloud_usd_per_gpu_hour"]),
        "kilowatts": number(case["watts"] / 1000),
        "kwh": usd(case["usd_per_kwh"]),
        "purchase": usd(case["purchase_usd"]),
        "saved": usd(case["saved_usd_per_day"]),
        "exact": number(case["break_even_days_exact"], 5),
    }
    year = {
        "rent": usd(case["cloud_usd_per_year"]),
        "electricity": number(case["electricity_kwh_per_year"]),
        "power": usd(case["electricity_usd_per_year"]),
    }
    days = gettext("{days} days", days=number(case["break_even_days"]))
    arithmetic = gettext(
        "({gpu} + {host}) / (24 × {use}% × ({cloud} − {kilowatts} kW × {kwh})) = {purchase} / {saved} a day = {exact} days",
        **figures,
    )
    of_year = gettext(
        "One year of renting at this utilization costs {rent}. Owning costs {power} for {electricity} kWh of electricity.", **year
    )
    return {"days": days, "arithmetic": arithmetic, "year": of_year}


def _sources_of_gpu(data: Database, case: Row, guide: Row) -> dict[str, str]:
    """Return the origin of the figures in which a GPU at its last known price differs from the guide's case."""
    seller, terms = provider_name(case["provider"], data.sellers), words(case["billing"]).lower()
    return {
        "gpu": _source_of_price(data, case),
        "cloud": gettext("{terms}, {day}, {provider}", terms=terms, day=day(case["rental_date"]), provider=seller),
        "watts": _source_of_watts(data, case),
        **({} if case["utilisation_percent"] == guide["utilisation_percent"] else {"utilisation": gettext("assumed")}),
    }


def _source_of_price(data: Database, case: Row) -> str:
    if not case["purchase_current"]:
        return gettext("last known: {kind}, {day}", kind=kind(case["purchase_kind"]), day=day(case["purchase_date"]))
    values = {"day": day(case["purchase_date"]), "seller": provider_name(case["buy_provider"], data.sellers)}
    return gettext("used, {day}, {seller}" if case["purchase_kind"] == "purchase_used" else "new, {day}, {seller}", **values)


def _sources(data: Database, guide: Row) -> dict[str, str]:
    """Return the origin of each figure of the guide's case, by the name of its input."""
    when = month(guide["rental_date"])
    seller = provider_name(guide["provider"], data.sellers)
    rented = {"provider": seller, "gpu": short_gpu(guide["rent_name"], guide["rent_gpu_id"]), "month": when}
    kept = calculator_data.assumptions(data)["gpu_price_kept_per_year"]
    return {
        "gpu": gettext("launch price, as the guide counts it, {month}", month=when),
        "host": gettext("the guide's desktop without its GPU"),
        "cloud": gettext("{provider} {gpu}, {terms}, {month}", terms=words(guide["billing"]).lower(), **rented),
        "utilisation": gettext("the guide's desktop"),
        "watts": _source_of_watts(data, guide),
        "kwh": gettext("the guide: United States, {month}", month=when),
        "kept": gettext("not resold (used prices suggest {kept}%)", kept=number(100 * kept, 2)),
    }


def _source_of_watts(data: Database, case: Row) -> str:
    rest = calculator_data.assumptions(data)["host_w"]
    return gettext("GPU {gpu} W, rest {rest} W", gpu=number(case["watts"] - rest), rest=number(rest))
