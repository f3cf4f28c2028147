"""Page of AutoDL's help of 2022: GPU list beside vendors' figures, and its rules on cores and counts applied to offers."""

import datetime as dt

from pipeline.website.i18n.language import N_, gettext
from pipeline.website.writing.database import Rows
from pipeline.website.writing.numbers import day, number, usd

SOURCE_ID = "autodl-2022"
TITLE = N_("The AutoDL GPU list of 2022, with current prices")
_GPUS = """
    SELECT m.machine, m.gpu_id, m.generation, m.memory_gb, m.fp32_tflops, m.half_precision_tflops, m.min_cuda_major, m.note,
        p.vendor_memory_gb, p.vendor_fp32_tflops, p.vendor_half_precision_tflops, p.vendor_min_cuda,
        p.usd_per_gpu_hour, p.provider,
        p.price_date, t.days_on_one, t.basis, t.gpus_in_24_hours
    FROM guide_machine m JOIN guide_machine_price p USING (source_id, machine) LEFT JOIN training_job t ON t.gpu_id = m.gpu_id
    WHERE m.source_id = 'autodl-2022' ORDER BY m.locator, m.machine
"""
QUERIES = {
    "gpus": _GPUS,
    "by_count": """
        SELECT subject, gpu_count, n_offers, n_providers, n_gpus, usd_per_hour, gpu_name, provider, price_date
        FROM guide_gpu_count ORDER BY gpu_count
    """,
    "prices": """
        SELECT m.machine, c.* FROM guide_count_price c JOIN guide_machine m USING (gpu_id)
        WHERE m.source_id = 'autodl-2022' ORDER BY m.locator, c.gpu_count
    """,
    "cores": """
        SELECT gpu_name, n_stated, n_below, n_within, n_above, vcpus_per_gpu_low, vcpus_per_gpu_high, host_gb_per_gpu_low,
            host_gb_per_gpu_high
        FROM guide_cpu_rule ORDER BY n_stated DESC, gpu_model_id
    """,
    "figures": """
        SELECT subject, quantity, unit, published_text, recomputed_shown FROM audit
        WHERE source_id = 'autodl-2022' AND role <> 'spec' AND quantity <> 'min_cuda_major' ORDER BY figure_id
    """,
}


def lead(tables: dict[str, Rows], as_of: dt.date) -> str:
    """Return how many of the GPUs are for rent, the cheapest of them, and how offers follow the rule on cores."""
    gpus, cores = tables["gpus"], tables["cores"]
    offered = [row for row in gpus if row["usd_per_gpu_hour"] is not None]
    cheapest = min(offered, key=lambda row: row["usd_per_gpu_hour"], default=None)
    if cheapest is None:
        return gettext(
            "{gpus} GPUs with notes. At {date}, no provider rents out a single one of them.",
            gpus=number(len(gpus)),
            date=day(as_of),
        )
    return gettext(
        "At {date}, {offered} of its {gpus} GPUs are available as a single GPU. Cheapest: {gpu}, {usd}"
        " an hour. {below} of {machines} machines with stated processors have fewer cores per GPU"
        " than the guide recommends.",
        date=day(as_of),
        offered=number(len(offered)),
        gpus=number(len(gpus)),
        gpu=cheapest["machine"],
        usd=usd(cheapest["usd_per_gpu_hour"]),
        machines=number(sum(row["n_stated"] for row in cores)),
        below=number(sum(row["n_below"] for row in cores)),
    )
