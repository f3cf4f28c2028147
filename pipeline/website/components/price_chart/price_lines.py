"""Lines of rental prices by day, as table price_line has them: the cheapest offer, the median, and each provider."""

import datetime as dt
from collections import Counter
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter, itemgetter

from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.escape import script_json
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.links import provider_name
from pipeline.website.writing.page_writer import PageWriter

CHEAPEST, MEDIAN = "cheapest", "median"
FILE = "assets/prices/{model}.js"
SELECT = """SELECT m.name AS gpu, date, billing, line, usd, provider, n_offers, stretch, few_offers, gpu_model_id
FROM price_line JOIN gpu_model AS m USING (gpu_model_id)
WHERE {where}
ORDER BY gpu_model_id, list_position(['on_demand', 'spot', 'marketplace', 'serverless'], billing), line, date"""
_VARIANTS = "SELECT gpu_model_id, gpu_id FROM gpu"


@dataclass(frozen=True, slots=True)
class Line:
    """Prices of one GPU model, billing and provider (or `cheapest`, `median`): its rows of price_line, one per day.

    `seller` is the provider's name; empty for `cheapest` and `median`. A model that `has_variants` counts all of them.
    """

    model: str
    name: str
    billing: str
    of: str
    seller: str
    days: list[Row]
    has_variants: bool = False

    def since(self, first: dt.date) -> "Line":
        """The line from this day on."""
        return replace(self, days=[row for row in self.days if row["date"] >= first])

    @property
    def newest_stretch(self) -> list[Row]:
        """The days that the newest one is joined to."""
        return [row for row in self.days if row["stretch"] == self.days[-1]["stretch"]]


def read_lines(data: Database, where: str = "true") -> list[Line]:
    """Every line by model, billing and provider, of the rows of price_line that match the condition."""
    n_variants = Counter(row["gpu_model_id"] for row in data.rows(_VARIANTS))
    lines = []
    for (model, billing, of), days in groupby(
        data.rows(SELECT.format(where=where)), itemgetter("gpu_model_id", "billing", "line")
    ):
        seller = "" if of in {CHEAPEST, MEDIAN} else provider_name(of, data.sellers)
        rows = list(days)
        lines.append(Line(model, short_gpu(rows[0]["gpu"], model), billing, of, seller, rows, n_variants[model] > 1))
    return lines


def write_files(writer: PageWriter) -> None:
    """Write the script of each model with its lines, which all languages share."""
    for model, lines in groupby(read_lines(writer.data), attrgetter("model")):
        columns = script_json([_columns(line) for line in lines])
        text = f"((window.gpuledger??={{}}).prices??={{}})[{script_json(model)}]={columns};\n"
        writer.write_text(FILE.format(model=model), text)


def _columns(line: Line) -> Row:
    values = {key: [row[key] for row in line.days] for key in ("usd", "n_offers")}
    who = {"provider": [row["provider"] for row in line.days]} if line.of == CHEAPEST else {}
    days = [f"{row['date']:%Y-%m-%d}" for row in line.days]
    pale = sorted({row["stretch"] for row in line.days if row["few_offers"]})
    scope = ({"any": 1} if line.has_variants else {}) | ({"pale": pale} if pale else {})
    parts = [row["stretch"] for row in line.days]
    return {"name": line.name, "billing": line.billing, "of": line.of, "days": days, "parts": parts} | values | who | scope
