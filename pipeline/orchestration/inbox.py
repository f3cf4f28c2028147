"""The job and the sensor that ingest files from the inbox of uploads.

The job materializes `accepted_uploads`. The sensor `refresh` then materializes the tables of uploads.
"""

import hashlib
import time
from collections import Counter

import dagster as dg

from pipeline import paths
from pipeline.orchestration.materialize import one_line_errors
from pipeline.orchestration.resources import BuildResource
from pipeline.uploads import inbox

RETRY_S = 3600  # files that a failed run left in the inbox are tried again after this time


ingest_inbox = dg.define_asset_job(
    "ingest_inbox",
    dg.AssetSelection.assets("accepted_uploads"),
    config=dg.RunConfig(resources={"build": BuildResource(ingest=True)}),
    description="Ingest uploads from data/uploads/inbox/.",
)


def read_inbox(context: dg.AssetExecutionContext, build: BuildResource) -> None:
    """Ingest the files of the inbox, as `gpuledger ingest` does."""
    with one_line_errors("inbox", again="start the job `ingest_inbox` again"):
        counts = Counter(outcome.status for outcome in inbox.drain(build.workspace.data))
    context.log.info(f"Files of the inbox: {', '.join(f'{n} {status}' for status, n in counts.items()) or 'none'}.")


@dg.sensor(
    name="inbox",
    job=ingest_inbox,
    minimum_interval_seconds=30,
    description="Starts the job `ingest_inbox` when files in data/uploads/inbox/ are complete.",
)
def inbox_sensor() -> dg.RunRequest | dg.SkipReason:
    """Request a run when files in the inbox are complete. A file that changed or failed earlier is requested again."""
    files = [file for group in inbox.pending(inbox.folder(paths.DATA)) for file in group.files]
    if not files:
        return dg.SkipReason("nothing in the inbox, or still being written")
    names = "\0".join(sorted(f"{file}:{file.lstat().st_mtime_ns}" for file in files))
    return dg.RunRequest(run_key=hashlib.sha256(f"{names}\0{time.time() // RETRY_S}".encode()).hexdigest())
