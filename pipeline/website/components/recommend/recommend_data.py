"""Tables that the rules of `recommend` read, as one script that the form of the home page loads when it is used.

The rules are in `pipeline/metrics/value/scenario_rank.sql` and, for the browser, in `site/docs/assets/recommend.js`. The answers
are rendered in `pipeline/website/components/recommend/recommend_form.py`.
"""

from pipeline.recommend.to_buy import LAST_KNOWN
from pipeline.warehouse.connection import column_names
from pipeline.website.writing.database import Database
from pipeline.website.writing.escape import script_json
from pipeline.website.writing.links import Sellers, provider_name, slug
from pipeline.website.writing.page_writer import PageWriter

PATH = "assets/recommend-data.js"
# only the first offer of a GPU, provider, billing and number of GPUs can be chosen, so the others are left out
_TABLES = {
    "gpu": """
        SELECT gpu_id, name, vendor, segment, memory_gb, tdp_w, slot_width, min_cuda_version, max_cuda_version,
            is_module(slot_width, form_factor) AS is_module, is_alone_in_machine(form_factor, architecture) AS is_alone
        FROM gpu ORDER BY gpu_id
    """,
    "workload_time": """
        SELECT gpu_id, workload, kind, family, precision, status, basis, seconds, seconds_low, seconds_high
        FROM workload_time ORDER BY workload, gpu_id
    """,
    "workload_memory": """
        SELECT workload, ran_memory_gb FROM workload_memory
        WHERE workload IN (SELECT workload FROM workload_time WHERE kind IN ('task', 'job')) ORDER BY workload
    """,
    "offer_current": """
        SELECT DISTINCT ON (least_gpu_id, acquisition, provider, billing, min_gpus)
            least_gpu_id AS gpu_id, gpu_id IS NULL AS open_variant, acquisition, provider, kind, billing, commitment_months,
            min_gpus, usd,
            price_date, stale, in_purchase_range
        FROM offer_current ORDER BY least_gpu_id, acquisition, preference, price_rank
    """,
    "gpu_interconnect": "SELECT gpu_id, interconnect FROM gpu_interconnect ORDER BY gpu_id",
    "scaling_efficiency": """
        SELECT interconnect, gpu_count, family, precision, efficiency, ci_low, ci_high FROM scaling_efficiency ORDER BY ALL
    """,
    "base_system_cost": "SELECT gpu_count, base_cost_usd FROM base_system_cost ORDER BY gpu_count",
    "purchase": LAST_KNOWN,
    "assumption": """
        SELECT assumption_id, value FROM assumption
        WHERE assumption_id IN ('host_w', 'gpus_per_host_w', 'usd_per_kwh') ORDER BY 1
    """,
}


def write(writer: PageWriter) -> None:
    """Write the script: each table as columns, with addresses of providers. Other tables name a GPU by its position in `gpu`."""
    tables = {name: as_columns(writer.data, sql) for name, sql in _TABLES.items()}
    place = {gpu_id: at for at, gpu_id in enumerate(tables["gpu"]["gpu_id"])}
    for name, columns in tables.items():
        if name != "gpu" and "gpu_id" in columns:
            columns["gpu_id"] = [place.get(gpu_id) for gpu_id in columns["gpu_id"]]
    sellers = sorted({str(name) for name in tables["offer_current"]["provider"]})
    tables["provider"] = provider_columns(sellers, writer.data.sellers)
    writer.write_text(PATH, f"window.gpuledger.recommendData = {script_json(tables)};\n")


def provider_columns(providers: list[str], sellers: Sellers) -> dict[str, list[object]]:
    """Return the table of providers for scripts: id, name, path of the page, address of the prices."""
    found = [sellers.get(provider) for provider in providers]
    return {
        "provider": list(providers),
        "name": [provider_name(provider, sellers) for provider in providers],
        "slug": [slug(provider) for provider in providers],
        "url": [seller.url if seller else None for seller in found],
    }


def as_columns(data: Database, sql: str, parameters: object = None) -> dict[str, list[object]]:
    """Return the result of a query by columns, which are smaller than rows."""
    result = data.connection.execute(sql, parameters)
    rows = result.fetchall()
    return {name: [row[at] for row in rows] for at, name in enumerate(column_names(result))}
