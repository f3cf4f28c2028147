"""The guides' timed runs at today's price of the same GPU, for the home page."""

from pipeline.website.components.queries import Query, run_query
from pipeline.website.writing.database import Database
from pipeline.website.writing.labels import short_gpu
from pipeline.website.writing.links import provider_name

_RUNS = """
    SELECT r.source_id, r.task, r.machine, r.status, r.seconds, r.gpu_id, g.name, r.generation, r.current,
        r.usd_per_hour, r.usd_per_run, r.is_pareto_optimal, r.price_date AS observed_at, r.provider, r.min_gpus,
        r.usd_per_hour_median AS usd_median, r.n_offers, r.n_providers, r.guide_usd_per_hour, r.guide_usd_per_run, r.guide_date
    FROM guide_run_price r
    LEFT JOIN gpu g USING (gpu_id)
    ORDER BY g.release_date NULLS FIRST, r.machine, r.task
"""


def priced_guide_runs(data: Database) -> Query:
    """Return the rows of table guide_run_price with the name of the GPU, or of the machine where the GPU is not known."""
    query = run_query(data, _RUNS)
    rows = [
        row
        | {
            "gpu": short_gpu(row["name"], row["machine"]),
            "provider": row["provider"] and provider_name(row["provider"], data.sellers),
        }
        for row in query.rows
    ]
    return Query(query.sql, rows)
