"""Data of the calculators as one script: GPUs with prices, times, power and slots, scaling efficiency, and assumptions.

Formulas are functions of the database and, for the browser, in `site/docs/assets/formulas.js`.
"""

from collections.abc import Callable, Sequence
from typing import Any

from pipeline.website.components.recommend.recommend_data import as_columns
from pipeline.website.writing.database import Database, Row
from pipeline.website.writing.escape import script_json
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.page_writer import PageWriter

PATH = "assets/calculators-data.js"
Groups = Sequence[tuple[str, Callable[[Row], bool]]]
GPUS = """
    SELECT g.gpu_id, g.name, g.memory_gb, g.tdp_w, g.slot_width, g.segment,
        is_module(g.slot_width, g.form_factor) AS is_module,
        b.usd AS buy_usd, b.kind AS buy_kind, b.price_date AS buy_date, coalesce(bs.name, b.provider) AS buy_seller,
        is_current_purchase(b.kind, b.stale) AS buy_current,
        r.usd AS rent_usd, replace(r.billing, '_', ' ') AS rent_terms, r.price_date AS rent_date,
        coalesce(rs.name, r.provider) AS rent_provider,
        r.stale AS rent_stale, p.rental_usd_per_gpu_hour AS median_usd, p.n_offers, m.price_date_last AS median_date,
        j.seconds_per_epoch AS seconds, j.seconds_low, j.seconds_high, j.basis,
        j.n_timed, l.interconnect
    FROM gpu g
    LEFT JOIN offer_default b ON (b.gpu_id, b.acquisition) = (g.gpu_id, 'buy')
    LEFT JOIN offer_default r ON (r.gpu_id, r.acquisition) = (g.gpu_id, 'rent')
    LEFT JOIN provider bs ON bs.provider_id = b.provider
    LEFT JOIN provider rs ON rs.provider_id = r.provider
    LEFT JOIN gpu_price p ON p.gpu_id = g.gpu_id
    LEFT JOIN rental_market m ON (m.gpu_id, m.billing, m.commitment, m.gpus) = (g.gpu_id, 'on_demand', 'any', 'any')
    LEFT JOIN training_job j ON j.gpu_id = g.gpu_id
    LEFT JOIN gpu_interconnect l ON l.gpu_id = g.gpu_id
    ORDER BY g.name, g.gpu_id
"""
EFFICIENCY = """
    SELECT interconnect, family || '-' || precision AS network, gpu_count, efficiency FROM scaling_efficiency ORDER BY ALL
"""
_ASSUMPTIONS = "SELECT assumption_id, value FROM assumption ORDER BY assumption_id"
_POWER = ("host_w", "gpus_per_host_w")  # assumptions that the scripts read


def write(writer: PageWriter) -> None:
    """Write the script: each table as columns."""
    tables = {name: as_columns(writer.data, sql) for name, sql in (("gpu", GPUS), ("efficiency", EFFICIENCY))}
    values = assumptions(writer.data)
    tables["given"] = {name: [values[name]] for name in _POWER}
    writer.write_text(PATH, f"window.gpuledger.calculatorData = {script_json(tables)};\n")


def gpus(data: Database) -> list[Row]:
    """Return every GPU by name, with the figures that the calculators start from."""
    return [row | {"gpu": short_gpu(row["name"], row["gpu_id"])} for row in data.rows(GPUS)]


def assumptions(data: Database) -> dict[str, float]:
    """Return the values of table assumption by their name."""
    return {row["assumption_id"]: row["value"] for row in data.rows(_ASSUMPTIONS)}


def choices(rows: list[Row], groups: Groups) -> list[dict[str, Any]]:
    """Group GPUs for a list: each under the first heading that it fits, of which the last fits all."""
    by_heading: dict[str, list[Row]] = {heading: [] for heading, _ in groups}
    for row in rows:
        by_heading[next(heading for heading, fits in groups if fits(row))].append(row)
    return [{"heading": heading, "gpus": members} for heading, members in by_heading.items() if members]
