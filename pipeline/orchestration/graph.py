"""The whole graph: assets, checks, jobs, the daily schedule and the sensors."""

import dagster as dg

from pipeline.orchestration import automation, jobs
from pipeline.orchestration.inbox import inbox_sensor, ingest_inbox
from pipeline.orchestration.publication_assets import database, publication, site
from pipeline.orchestration.source_assets import source_assets
from pipeline.orchestration.table_assets import table_assets


def make_definitions(build: object) -> dg.Definitions:
    """Return the graph over the build folder of `build`, a BuildResource.

    One process runs all steps of a run, since DuckDB takes one writer.
    """
    return dg.Definitions(
        assets=[*source_assets(), *table_assets(), database, site, publication],
        jobs=[jobs.build_job, jobs.fetch_job, ingest_inbox],
        schedules=[jobs.daily_schedule],
        sensors=[automation.refresh_sensor(), inbox_sensor],
        resources={"build": build},
        executor=dg.in_process_executor,
    )
