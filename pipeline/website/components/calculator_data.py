"""What the calculators copy from, as one script that they load: cards with prices, times, power and slots, scaling, assumptions.

How it is counted belongs in the functions of the database and, for the browser, in `site/docs/assets/formulas.js`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from pipeline.website.components.database import Database, Row
from pipeline.website.components.escape import script_json
from pipeline.website.components.labels import short_gpu
from pipeline.website.components.recommend_data import as_columns
from pipeline.website.rendering import PageWriter

PATH = "assets/calculators-data.js"
Groups = Sequence[tuple[str, Callable[[Row], bool]]]
# the offer that the command break-even takes, and the median and the time that table training_job takes
CARDS = """
    WITH offer AS (
        SELECT * FROM offer_current
        QUALIFY row_number() OVER (
            PARTITION BY gpu_id, way ORDER BY stale, billing IS DISTINCT FROM 'on_demand', preference, usd, observation_id
        ) = 1
    ),
    newest AS (
        SELECT gpu_id, max(price_date) AS median_date FROM offer_current
        WHERE way = 'rent' AND billing = 'on_demand' AND NOT stale GROUP BY gpu_id
    )
    SELECT g.gpu_id, g.name, g.memory_gb, g.tdp_w, g.slot_width, g.form_factor, g.segment,
        b.usd AS buy_usd, b.kind AS buy_kind, b.price_date AS buy_date, b.provider AS buy_seller, b.stale AS buy_stale,
        r.usd AS rent_usd, replace(r.billing, '_', ' ') AS rent_terms, r.price_date AS rent_date, r.provider AS rent_provider,
        r.stale AS rent_stale, p.rental_usd_per_hour AS median_usd, p.n_offers, m.median_date,
        j.seconds_per_epoch AS seconds, j.seconds_low, j.seconds_high, j.basis,
        t.name AS timed_card, l.interconnect
    FROM gpu g
    LEFT JOIN offer b ON b.gpu_id = g.gpu_id AND b.way = 'buy'
    LEFT JOIN offer r ON r.gpu_id = g.gpu_id AND r.way = 'rent'
    LEFT JOIN card_price p ON p.gpu_id = g.gpu_id
    LEFT JOIN newest m ON m.gpu_id = g.gpu_id
    LEFT JOIN training_job j ON j.gpu_id = g.gpu_id
    LEFT JOIN gpu t ON t.gpu_id = j.reference_gpu_id
    LEFT JOIN card_link l ON l.gpu_id = g.gpu_id
    ORDER BY g.name, g.gpu_id
"""
EFFICIENCY = """
    SELECT interconnect, family || '-' || precision AS network, gpu_count, efficiency FROM scaling_efficiency ORDER BY ALL
"""
GIVEN = """
    SELECT max(value) FILTER (assumption_id = 'host_w') AS host_w,
        max(value) FILTER (assumption_id = 'cards_per_host_w') AS cards_per_host_w
    FROM assumption
"""


def write(writer: PageWriter) -> None:
    """Write the script: each table as columns."""
    tables = {name: as_columns(writer.data, sql) for name, sql in (("card", CARDS), ("efficiency", EFFICIENCY), ("given", GIVEN))}
    tables["card"]["timed_card"] = [name and short_gpu(str(name), "") for name in tables["card"]["timed_card"]]
    writer.write_text(PATH, f"window.gpuledger.calculatorData = {script_json(tables)};\n")


def cards(data: Database) -> list[Row]:
    """Every card by name, with what the calculators copy from it."""
    return [row | {"card": short_gpu(row["name"], row["gpu_id"])} for row in data.rows(CARDS)]


def short(value: float | None) -> str:
    """The figure as an input holds it at first; empty for what is not known."""
    return "" if value is None else f"{value:.6g}"


def choices(rows: list[Row], groups: Groups) -> list[dict[str, Any]]:
    """The cards for a list to choose from: each under the first heading that it fits, and left out where it fits none."""
    found: dict[str, list[Row]] = {heading: [] for heading, _ in groups}
    for row in rows:
        heading = next((heading for heading, fits in groups if fits(row)), None)
        if heading:
            found[heading].append(row)
    return [{"heading": heading, "cards": few} for heading, few in found.items() if few]
