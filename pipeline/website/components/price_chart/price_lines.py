"""Lines of rental prices by day: by GPU model and billing the cheapest offer, the median of providers, and each provider."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby

from pipeline.website.components.labels import short_gpu
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.escape import script_json
from pipeline.website.writing.links import provider_name
from pipeline.website.writing.page_writer import PageWriter

CHEAPEST, MEDIAN = "cheapest", "median"
LONGEST_GAP_DAYS = 45
LEAST_STEP = 1.25  # of the cheapest price: a larger step is broken where a provider that appears or disappears makes it
FEW = 1 / 3  # of the most offers of a line: a stretch with fewer is pale, since it is a small part of the market
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
_VARIANTS = "SELECT gpu_model_id, gpu_id FROM gpu"
Sellers = dict[dt.date, set[str]]


@dataclass(frozen=True, slots=True)
class Line:
    """Prices of one GPU model, billing and provider (or `cheapest`, `median`) by day; `parts` numbers the stretches of days.

    `seller` is the provider's name; empty for `cheapest` and `median`. A model that `has_variants` counts all of them.
    `pale` are the stretches with few of the market's offers.
    """

    model: str
    name: str
    billing: str
    of: str
    seller: str
    days: list[Row]
    parts: list[int]
    has_variants: bool = False
    pale: frozenset[int] = frozenset()

    def since(self, first: dt.date) -> "Line":
        """The line from this day on."""
        at = next((at for at, row in enumerate(self.days) if row["date"] >= first), len(self.days))
        return replace(self, days=self.days[at:], parts=self.parts[at:])


def all_lines(data: Database) -> dict[str, list[Line]]:
    """Every line by GPU model, in the order of the models."""
    return data.once("price lines", lambda: _read(data))


def _read(data: Database) -> dict[str, list[Line]]:
    names = {row["gpu_model_id"]: short_gpu(row["name"], row["gpu_model_id"]) for row in data.rows(_NAMES)}
    n_variants = Counter(row["gpu_model_id"] for row in data.rows(_VARIANTS))
    rows = data.rows(f"SELECT * FROM ({LINES}) ORDER BY gpu_model_id, billing, line, date")
    sellers = _sellers(rows)
    lines: dict[str, list[Line]] = {}
    for (model, billing, of), group in groupby(rows, key=lambda row: (row["gpu_model_id"], row["billing"], row["line"])):
        days = list(group)
        seller = "" if of in {CHEAPEST, MEDIAN} else provider_name(of, data.sellers)
        parts = list(number_stretches(days, sellers[model, billing] if of == CHEAPEST else {}))
        pale = frozenset() if seller else find_pale(days, parts)
        line = Line(model, names[model], billing, of, seller, days, parts, n_variants[model] > 1, pale)
        lines.setdefault(model, []).append(line)
    return lines


def find_pale(days: list[Row], parts: list[int]) -> frozenset[int]:
    """Return the stretches without a day that has a third of the line's most offers."""
    offers: dict[int, int] = defaultdict(int)
    for row, part in zip(days, parts, strict=True):
        offers[part] = max(offers[part], row["n_offers"])
    return frozenset(part for part, most in offers.items() if most < FEW * max(offers.values()))


def _sellers(rows: list[Row]) -> dict[tuple[str, str], Sellers]:
    """Return by GPU model and billing the providers with a price on each day."""
    found: dict[tuple[str, str], Sellers] = defaultdict(lambda: defaultdict(set))
    for row in rows:
        if row["line"] not in {CHEAPEST, MEDIAN}:
            found[row["gpu_model_id"], row["billing"]][row["date"]].add(row["provider"])
    return found


def number_stretches(days: list[Row], sellers: Sellers) -> Iterator[int]:
    """Number the stretches of days. A new one begins after a long gap, and where other providers make the step of the price.

    `sellers` are the providers of each day, for the line of the cheapest offer; empty for other lines.
    """
    part, before = 0, days[0]
    for row in days:
        few, many = sorted((before["n_providers"], row["n_providers"]))
        is_other = 2 * many >= 3 * few > 0 or (sellers and _is_made_by_seller(before, row, sellers))
        part += bool((row["date"] - before["date"]).days > LONGEST_GAP_DAYS or is_other)
        before = row
        yield part


def _is_made_by_seller(before: Row, row: Row, sellers: Sellers) -> bool:
    """Return whether the cheapest price moves much because its provider appears or disappears, not because a price changes."""
    low, high = sorted((before, row), key=lambda one: one["usd"])
    return bool(high["usd"] >= LEAST_STEP * low["usd"] and low["provider"] not in sellers[high["date"]])


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
    scope = ({"any": 1} if line.has_variants else {}) | ({"pale": sorted(line.pale)} if line.pale else {})
    return {"name": line.name, "billing": line.billing, "of": line.of, "days": days, "parts": line.parts} | values | who | scope
