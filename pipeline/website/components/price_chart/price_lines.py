"""Lines of rental prices by day: by GPU model and billing the cheapest offer, the median of providers, and each provider."""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from pipeline.website.components.database import Database, Row
from pipeline.website.components.escape import script_json
from pipeline.website.components.labels import short_gpu
from pipeline.website.links import provider_name
from pipeline.website.rendering import PageWriter

CHEAPEST, MEDIAN = "cheapest", "median"
LONGEST_GAP_DAYS = 45
FILE = "assets/prices/{model}.js"
LINES = f"""
SELECT gpu_model_id, billing, '{CHEAPEST}' AS line, date, usd_min AS usd, low_provider AS provider, n_offers, n_providers
FROM price_daily WHERE gpu_id = 'any' AND kind = 'cloud_rental' AND commitment = 'none'
UNION ALL
SELECT gpu_model_id, billing, '{MEDIAN}', date, usd_median, NULL, n_offers, n_providers
FROM price_daily WHERE gpu_id = 'any' AND kind = 'cloud_rental' AND commitment = 'none' AND usd_median IS NOT NULL
UNION ALL
SELECT gpu_model_id, billing, provider, date, usd_min, provider, n_offers, 1 FROM provider_price_daily
""".strip()
_NAMES = "SELECT gpu_model_id, name FROM gpu_model"


@dataclass(frozen=True, slots=True)
class Line:
    """Prices of one GPU model, billing and provider (or `cheapest`, `median`) by day; `parts` numbers the stretches of days.

    `seller` is the provider's name; empty for `cheapest` and `median`.
    """

    model: str
    name: str
    billing: str
    of: str
    seller: str
    days: list[Row]
    parts: list[int]

    def since(self, first: dt.date) -> "Line":
        """The line from this day on."""
        at = next((at for at, row in enumerate(self.days) if row["date"] >= first), len(self.days))
        return replace(self, days=self.days[at:], parts=self.parts[at:])


def all_lines(data: Database) -> dict[str, list[Line]]:
    """Every line by GPU model, in the order of the models."""
    return data.once("price lines", lambda: _read(data))


def _read(data: Database) -> dict[str, list[Line]]:
    names = {row["gpu_model_id"]: short_gpu(row["name"], row["gpu_model_id"]) for row in data.rows(_NAMES)}
    rows = data.rows(f"SELECT * FROM ({LINES}) ORDER BY gpu_model_id, billing, line, date")
    lines: dict[str, list[Line]] = {}
    for (model, billing, of), group in groupby(rows, key=lambda row: (row["gpu_model_id"], row["billing"], row["line"])):
        days = list(group)
        seller = "" if of in {CHEAPEST, MEDIAN} else provider_name(of, data.sellers)
        lines.setdefault(model, []).append(Line(model, names[model], billing, of, seller, days, list(number_stretches(days))))
    return lines


def number_stretches(days: list[Row]) -> Iterator[int]:
    """Number the stretches of days. A long gap begins a new one, and a number of providers that changes by half or more."""
    part, before = 0, days[0]
    for row in days:
        few, many = sorted((before["n_providers"], row["n_providers"]))
        part += (row["date"] - before["date"]).days > LONGEST_GAP_DAYS or 2 * many >= 3 * few > 0
        before = row
        yield part


def write_files(writer: PageWriter) -> None:
    """Write the script of each model with its lines, which all languages share."""
    for model, lines in all_lines(writer.data).items():
        columns = script_json([_columns(line) for line in lines])
        text = f"((window.gpuledger??={{}}).prices??={{}})[{script_json(model)}]={columns};\n"
        writer.write_text(FILE.format(model=model), text)


def _columns(line: Line) -> Row:
    values = {key: [row[key] for row in line.days] for key in ("usd", "n_offers")}
    who = {"provider": [row["provider"] for row in line.days]} if line.of == CHEAPEST else {}
    days = [f"{row['date']:%Y-%m-%d}" for row in line.days]
    return {"name": line.name, "billing": line.billing, "of": line.of, "days": days, "parts": line.parts} | values | who
