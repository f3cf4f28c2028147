"""Page of the guide of 2023 to professional and consumer GPUs: density, memory, epochs and protocol, with current GPUs."""

import datetime as dt
from typing import Any

from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Rows
from pipeline.website.writing.numbers import number

SOURCE_ID = "pro-vs-consumer-2023"
TITLE = N_("Professional or consumer GPU, 2023 and since")
_BOARDS = """
    SELECT gpu_id, name, segment, release_date, memory_gb, tdp_w, slot_width, gpus, memory_gb_total, gpu_watts, gpus_for_192_gb,
        boards_for_192_gb, watts_for_192_gb, purchase_usd, purchase_kind, purchase_date
    FROM board_density
    WHERE gpu_id IN (SELECT gpu_id FROM guide_machine WHERE source_id = 'pro-vs-consumer-2023')
        OR (segment IN ('consumer', 'workstation') AND release_date >= DATE '2020-09-01' AND memory_gb >= 16)
    ORDER BY memory_gb_total DESC, gpu_watts, gpu_id
"""
QUERIES = {
    "boards": _BOARDS,
    "generations": "SELECT * FROM generation_memory ORDER BY released DESC",
    "epochs": """
        SELECT e.machine, e.model, m.gpu_id, e.batch_total, e.first_epoch_seconds, e.second_epoch_seconds, e.peak_gpu_memory_gb
        FROM guide_epoch e JOIN guide_machine m USING (source_id, machine) ORDER BY e.model, m.gpu_count * m.memory_gb, e.machine
    """,
    "machines": """
        SELECT m.machine, m.gpu_id, m.gpu_count, m.memory_gb, m.tdp_w, m.slot_width, m.host_memory_gb, m.note, p.usd_per_gpu_hour,
            p.provider, p.price_date, p.purchase_usd, p.purchase_date
        FROM guide_machine m JOIN guide_machine_price p USING (source_id, machine)
        WHERE m.source_id = 'pro-vs-consumer-2023' ORDER BY m.locator
    """,
    "jobs": """
        SELECT t.gpu_id, g.name, t.basis, t.seconds_per_epoch, t.days_on_one, t.days_on_one_low, t.days_on_one_high,
            t.gpus_in_24_hours, t.usd_on_one,
            coalesce(is_rankable(t.basis, t.seconds_low, t.seconds_high), false) AS rankable
        FROM training_job t JOIN gpu g USING (gpu_id)
        WHERE t.gpu_id IN (SELECT gpu_id FROM guide_machine WHERE source_id = 'pro-vs-consumer-2023')
            OR (g.segment IN ('consumer', 'workstation') AND g.release_date >= DATE '2022-09-01' AND t.usd_on_one IS NOT NULL)
        ORDER BY t.days_on_one NULLS LAST, t.gpu_id
    """,
    "figures": """
        SELECT subject, quantity, unit, published_text, recomputed_shown FROM audit
        WHERE source_id = 'pro-vs-consumer-2023' AND role = 'derived' ORDER BY figure_id
    """,
}


def more(_data: Database, tables: dict[str, Rows]) -> dict[str, Any]:
    """Return the other values of the template."""
    epochs = [row for row in tables["figures"] if row["subject"].startswith("400 epochs")]
    return {"expected": {row["quantity"]: row["published_text"] for row in epochs}}


def lead(tables: dict[str, Rows], _as_of: dt.date) -> str:
    """Return what fits a board of the guide and a board now, and the memory ratio of the newest generation."""
    boards, generations = tables["boards"], tables["generations"]
    by_id = {row["gpu_id"]: row for row in boards}
    then = [by_id.get(f"nvidia-{name}") for name in ("rtx-6000-ada-48gb", "geforce-rtx-4090-24gb")]
    if None in then or not generations:
        return gettext("Density, memory and speed of professional and consumer GPUs.")
    professional, consumer = (row for row in then if row)
    newest = generations[0]
    return gettext(
        "Four double-width slots fit {n} RTX 6000 Ada with {gb} GB, or {n_consumer} RTX 4090 with "
        "{gb_consumer} GB. Most memory per board in these data: {best}, {best_gb} GB. In the newest "
        "generation, {architecture}, a professional GPU has {ratio} times the memory.",
        n=number(professional["gpus"]),
        gb=number(professional["memory_gb_total"]),
        n_consumer=number(consumer["gpus"]),
        gb_consumer=number(consumer["memory_gb_total"]),
        best=boards[0]["name"].removeprefix("NVIDIA "),
        best_gb=number(boards[0]["memory_gb_total"]),
        architecture=newest["architecture"],
        ratio=number(newest["memory_ratio"], 2),
    )
