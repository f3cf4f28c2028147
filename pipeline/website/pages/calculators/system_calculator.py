"""Initial state of the calculator of power, PSU and slots: four GPUs of one kind, computed by the database.

`site/docs/assets/system.js` writes the same texts in the browser for the reader's own figures.
"""

import math
from typing import Any

from pipeline.warehouse.connection import dictionaries
from pipeline.website.components import calculator_data
from pipeline.website.components.calculator_data import Groups
from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.numbers import number, usd

FIRST = "nvidia-geforce-rtx-4090-24gb"  # the guide of 2023 compares four of them with workstation GPUs
GPUS = 4
CONNECTORS = 4  # as table system_build counts
W = N_("{value} W")
FITS = N_("They fit a board with {connectors} double-width slots.")
FITS_FEWER = N_("Only {most} of {gpus} fit a board with {connectors} double-width slots.")
FROM_TDP = N_("power limit of this GPU")
FROM_WIDTH = N_("of this GPU")
# name of the line, its label, its figure, how it comes about
LINES = (
    ("memory", N_("Memory of all GPUs"), N_("{all} GB"), N_("{gpus} × {memory} GB")),
    ("gpu_power", N_("Power of the GPUs"), N_("{gpu_power} W"), N_("{gpus} × {tdp} W")),
    ("machine", N_("Power of the machine"), N_("{machine} W"), N_("{gpus} × {tdp} W + {hosts} × {host} W")),
    ("psu", N_("PSU, with a margin"), N_("{psu} W"), N_("({gpus} × {tdp} W + 200 W) / 80%, rounded up to 50 W")),
    ("guide", N_("PSU by the 2020 guide"), N_("{guide} W"), N_("{gpus} × {tdp} W + 300 W")),
    ("slots", N_("Slots covered"), N_("{slots} slots"), N_("{gpus} × {width}")),
    (
        "most",
        N_("GPUs that fit the board"),
        N_("{most} GPUs"),
        N_("{connectors} double-width slots / {each} per GPU, rounded down"),
    ),
    ("electricity", N_("Electricity in a year"), N_("{electricity} kWh"), N_("{kilowatts} kW × {use}% × 24 h × 365")),
    ("power", N_("Electricity cost of a year"), N_("{power}"), N_("{electricity} kWh × {kwh}")),
    ("co2", N_("Carbon dioxide of a year"), N_("{co2} kg"), N_("{electricity} kWh × {grid} kg")),
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
    """Return the context of the calculator's template. Laptop GPUs are left out: they fit no board."""
    rows = [row for row in calculator_data.gpus(data) if row["segment"] != "laptop"]
    gpu = next((row for row in rows if row["gpu_id"] == FIRST), rows[0])
    assumed = _assumptions(data)
    return {
        "groups": calculator_data.choices(rows, _GROUPS),
        "gpu": gpu,
        "given": assumed,
        "gpus": GPUS,
        "connectors": CONNECTORS,
        "lines": LINES,
        "texts": _texts(data, gpu, assumed),
        "from": {"tdp": gettext(FROM_TDP), "width": gettext(FROM_WIDTH)},
    }


def _assumptions(data: Database) -> Row:
    values = calculator_data.assumptions(data)
    names = {"host_w": "host_w", "gpus_per_host_w": "gpus_per_host_w", "kwh": "usd_per_kwh", "grid": "kg_co2_per_kwh"}
    return {short: values[name] for short, name in names.items()} | {"use": 100 * values["utilisation"]}


def _texts(data: Database, gpu: Row, assumed: Row) -> dict[str, str]:
    """Return the texts of the result; empty if memory, power or slots of the GPU are unknown."""
    if None in (gpu["memory_gb"], gpu["tdp_w"], gpu["slot_width"]):
        return {}
    inputs = {
        "gpus": GPUS,
        "tdp": gpu["tdp_w"],
        "width": gpu["slot_width"],
        "connectors": CONNECTORS,
        "host": assumed["host_w"],
    }
    inputs |= {"per_host": assumed["gpus_per_host_w"], "use": assumed["use"], "grid": assumed["grid"]}
    (results,) = dictionaries(data.connection.execute(_COUNTED, inputs))
    figures = _figures(inputs | results, gpu, assumed)
    texts = {"outcome": gettext(W, value=figures["psu"])}
    texts["fit"] = gettext(FITS if int(figures["most"]) >= GPUS else FITS_FEWER, **figures)
    for name, _, figure, arithmetic in LINES:
        texts |= {name: gettext(figure, **figures), f"{name}-how": gettext(arithmetic, **figures)}
    return texts


def _figures(results: dict[str, Any], gpu: Row, assumed: Row) -> dict[str, str]:
    gpus = results["gpus"]
    values = results | {
        "memory": gpu["memory_gb"],
        "all": gpus * gpu["memory_gb"],
        "gpu_power": gpus * gpu["tdp_w"],
        "slots": gpus * gpu["slot_width"],
        "each": math.ceil(gpu["slot_width"] / 2),
        "hosts": math.ceil(gpus / results["per_host"]),
        "kilowatts": results["machine"] / 1000,
    }
    money = {"kwh": assumed["kwh"], "power": results["electricity"] * assumed["kwh"]}
    return {name: str(number(value)) for name, value in values.items()} | {name: str(usd(sum_)) for name, sum_ in money.items()}
