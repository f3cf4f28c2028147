"""Jobs and the daily schedule."""

import dagster as dg

from pipeline.orchestration.resources import BuildResource
from pipeline.orchestration.source_assets import fetched_keys

EVERY_STEP = dg.AssetSelection.all() - dg.AssetSelection.groups("daily_lists")  # of a build
build_job = dg.define_asset_job(
    "build", EVERY_STEP, description="Everything from the stored bytes to the published site. It never fetches."
)
fetch_job = dg.define_asset_job(
    "fetch",
    dg.AssetSelection.assets(*fetched_keys()),
    config=dg.RunConfig(resources={"build": BuildResource(fetch=True)}),
    description="New snapshots of every source whose terms allow automated access. Each source is a step of its own.",
)
daily_schedule = dg.ScheduleDefinition(
    name="daily",
    job=fetch_job,
    cron_schedule="15 5 * * *",
    execution_timezone="UTC",
    description="Starts the job `fetch`. The sensor `refresh` then materializes what depends on changed bytes.",
)
