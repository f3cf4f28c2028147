"""The calculator of power, supply and slots as it stands before the reader touches it: four cards of one kind, by the database.

`site/docs/assets/system.js` writes the same texts in the browser for the reader's own figures.
"""

import math
from typing import Any

from pipeline.website.components import calculator_data
from pipeline.website.components.calculator_data import Groups
from pipeline.website.components.database import Database, Row
from pipeline.website.components.numbers import number, usd
from pipeline.website.i18n.language import N_, gettext

FIRST = "nvidia-geforce-rtx-4090-24gb"  # the guide of 2023 sets four of them against workstation cards
CARDS = 4
CONNECTORS = 4  # as table system_build counts
W = N_("{value} W")
FITS = N_("They fit a board with {connectors} double-width connectors.")
FITS_FEWER = N_("Only {most} of {gpus} fit a board with {connectors} double-width connectors.")
FROM_TDP = N_("power limit of this card")
FROM_WIDTH = N_("of this card")
# name of the line, its label, its figure, how it comes about
LINES = (
    ("memory", N_("Memory of all cards"), N_("{all} GB"), N_("{gpus} × {memory} GB")),
    ("cards", N_("Power of the cards"), N_("{cards} W"), N_("{gpus} × {tdp} W")),
    ("machine", N_("Power of the machine"), N_("{machine} W"), N_("{gpus} × {tdp} W + {hosts} × {host} W")),
    ("psu", N_("Power supply, with a margin"), N_("{psu} W"), N_("({gpus} × {tdp} W + 200 W) / 80%, rounded up to 50 W")),
    ("guide", N_("Power supply by the 2020 guide"), N_("{guide} W"), N_("{gpus} × {tdp} W + 300 W")),
    ("slots", N_("Slots covered"), N_("{slots} slots"), N_("{gpus} × {width}")),
    (
        "most",
        N_("Cards that fit the board"),
        N_("{most} cards"),
        N_("{connectors} connectors / {each} to a card, rounded down"),
    ),
    ("electricity", N_("Electricity in a year"), N_("{electricity} kWh"), N_("{kilowatts} kW × {use}% × 24 h × 365")),
    ("power", N_("Its price"), N_("{power}"), N_("{electricity} kWh × {kwh}")),
    ("co2", N_("Its carbon dioxide"), N_("{co2} kg"), N_("{electricity} kWh × {grid} kg")),
)
_GROUPS: Groups = (
    (N_("Power and slots known"), lambda row: None not in (row["tdp_w"], row["slot_width"])),
    (N_("Power known, no slots"), lambda row: row["tdp_w"] is not None),
    (N_("Power not known"), lambda row: True),
)
_COUNTED = """
    SELECT machine_w($gpus, $tdp, $host, $per_host) AS machine, psu_w($gpus, $tdp) AS psu, psu_guide_w($gpus, $tdp) AS guide,
        max_gpus_in_slots($connectors, $width) AS most, electricity_kwh_per_year(machine, $use / 100) AS electricity,
        co2_kg(electricity, $grid) AS co2
"""


def context(data: Database) -> dict[str, Any]:
    """What the template of the calculator needs. A laptop's card is put into no board."""
    rows = [row for row in calculator_data.cards(data) if row["segment"] != "laptop"]
    card = next((row for row in rows if row["gpu_id"] == FIRST), rows[0])
    given = _given(data)
    return {
        "groups": calculator_data.choices(rows, _GROUPS),
        "card": card,
        "given": given,
        "cards": CARDS,
        "connectors": CONNECTORS,
        "lines": LINES,
        "told": _told(data, card, given),
        "from": {"tdp": gettext(FROM_TDP), "width": gettext(FROM_WIDTH)},
    }


def _given(data: Database) -> Row:
    values = calculator_data.assumptions(data)
    names = {"host_w": "host_w", "cards_per_host_w": "cards_per_host_w", "kwh": "usd_per_kwh", "grid": "kg_co2_per_kwh"}
    return {short: values[name] for short, name in names.items()} | {"use": 100 * values["utilisation"]}


def _told(data: Database, card: Row, given: Row) -> dict[str, str]:
    """The texts of the page's spots; none where the first card's memory, power or slots are not known."""
    if None in (card["memory_gb"], card["tdp_w"], card["slot_width"]):
        return {}
    asked = {"gpus": CARDS, "tdp": card["tdp_w"], "width": card["slot_width"], "connectors": CONNECTORS, "host": given["host_w"]}
    asked |= {"per_host": given["cards_per_host_w"], "use": given["use"], "grid": given["grid"]}
    result = data.connection.execute(_COUNTED, asked)
    names = [column[0] for column in result.description or []]
    figures = _figures(asked | dict(zip(names, result.fetchall()[0], strict=True)), card, given)
    told = {"outcome": gettext(W, value=figures["psu"])}
    told["fit"] = gettext(FITS if int(figures["most"]) >= CARDS else FITS_FEWER, **figures)
    for name, _, figure, arithmetic in LINES:
        told |= {name: gettext(figure, **figures), f"{name}-how": gettext(arithmetic, **figures)}
    return told


def _figures(found: dict[str, Any], card: Row, given: Row) -> dict[str, str]:
    gpus = found["gpus"]
    values = found | {
        "memory": card["memory_gb"],
        "all": gpus * card["memory_gb"],
        "cards": gpus * card["tdp_w"],
        "slots": gpus * card["slot_width"],
        "each": math.ceil(card["slot_width"] / 2),
        "hosts": math.ceil(gpus / found["per_host"]),
        "kilowatts": found["machine"] / 1000,
    }
    money = {"kwh": given["kwh"], "power": found["electricity"] * given["kwh"]}
    return {name: str(number(value)) for name, value in values.items()} | {name: str(usd(sum_)) for name, sum_ in money.items()}
