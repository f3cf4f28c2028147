"""Page of Paperspace's guide of 2022: machines, timed runs, largest batches and plans, then and now."""

import datetime as dt
from typing import Any

from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Database, Row, Rows
from pipeline.website.writing.numbers import day, number, percent, usd

SOURCE_ID = "paperspace-2022"
TITLE = N_("Prices of 12 Paperspace machines of 2022, with current prices")
TASKS = {
    "yolor_inference": N_("YOLOR inference"),
    "stylegan_xl_training": N_("StyleGAN-XL training"),
    "efficientnet_training": N_("EfficientNet training"),
}
QUERIES = {
    "machines": """
        SELECT m.machine, m.gpu_id, m.generation, m.cuda_cores, m.memory_gb, m.memory_bandwidth_gb_per_s, m.fp32_tflops, m.vcpus,
            m.host_memory_gb, m.storage_gb, m.subscription_usd_per_month, m.note, p.* EXCLUDE (source_id, machine, gpu_id)
        FROM guide_machine m JOIN guide_machine_price p USING (source_id, machine)
        WHERE m.source_id = 'paperspace-2022' ORDER BY p.guide_usd_per_hour, m.locator, m.machine
    """,
    "runs": """
        SELECT machine, gpu_id, task, status, seconds, guide_usd_per_run, usd_per_run, provider, price_date
        FROM guide_run_price WHERE source_id = 'paperspace-2022' ORDER BY machine, task
    """,
    "batches": """
        SELECT machine, gpu_id, task, max_batch_items, guide_usd_per_batch_item, usd_per_batch_item
        FROM guide_batch_price WHERE source_id = 'paperspace-2022' ORDER BY machine, task
    """,
}


def more(_data: Database, tables: dict[str, Rows]) -> dict[str, Any]:
    """Return the other values of the template."""
    return {"run_of": _by_machine(tables["runs"]), "batch_of": _by_machine(tables["batches"]), "tasks": TASKS}


def _by_machine(rows: list[Row]) -> dict[tuple[str, str], Row]:
    return {(row["machine"], row["task"]): row for row in rows}


def lead(tables: dict[str, Rows], as_of: dt.date) -> str:
    """Return what of the machines is for rent, and the cheapest training run then and now."""
    machines, runs = tables["machines"], tables["runs"]
    offered = sorted((row for row in machines if row["price_ratio"] is not None), key=lambda row: row["price_ratio"])
    timed = [row for row in runs if row["task"] == "efficientnet_training" and row["usd_per_run"] is not None]
    if not offered or not timed:
        return gettext(
            "At {date}, none of its {machines} machines is available as a single GPU.",
            date=day(as_of),
            machines=number(len(machines)),
        )
    then = min(
        (row for row in runs if row["task"] == "efficientnet_training" and row["guide_usd_per_run"] is not None),
        key=lambda row: row["guide_usd_per_run"],
    )
    now = min(timed, key=lambda row: row["usd_per_run"])
    return gettext(
        "At {date}, {offered} of its {machines} machines are available as a single GPU, for {low} to "
        "{high} of the 2022 price. Cheapest EfficientNet job in 2022: {gpu_then}, {usd_then}. "
        "At {date}: {gpu_now}, {usd_now}.",
        date=day(as_of),
        offered=number(len(offered)),
        machines=number(len(machines)),
        low=percent(offered[0]["price_ratio"], 0),
        high=percent(offered[-1]["price_ratio"], 0),
        gpu_then=then["machine"],
        usd_then=usd(then["guide_usd_per_run"]),
        gpu_now=now["machine"],
        usd_now=usd(now["usd_per_run"]),
    )
