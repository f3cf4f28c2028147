"""The job and the sensor that ingest files from the inbox of uploads."""

import hashlib
import time
from collections import Counter

import dagster as dg

from pipeline import paths
from pipeline.uploads import inbox

RETRY_S = 3600  # files that a failed run left in the inbox are tried again after this time


@dg.op
def read_inbox(context: dg.OpExecutionContext) -> None:
    """Ingest the files of the inbox, as `gpuledger ingest` does; the next build loads the accepted ones."""
    counts = Counter(outcome.status for outcome in inbox.drain(paths.DATA))
    context.add_output_metadata({"files": sum(counts.values()), **counts})


@dg.job(description="Ingest uploads from data/uploads/inbox/.")
def ingest_inbox() -> None:
    read_inbox()


@dg.sensor(name="inbox", job=ingest_inbox, minimum_interval_seconds=30)
def inbox_sensor() -> dg.RunRequest | dg.SkipReason:
    """Request a run when files in the inbox are complete. A file that changed or failed earlier is requested again."""
    files = [file for group in inbox.pending(inbox.folder(paths.DATA)) for file in group.files]
    if not files:
        return dg.SkipReason("nothing in the inbox, or still being written")
    names = "\0".join(sorted(f"{file}:{file.lstat().st_mtime_ns}" for file in files))
    return dg.RunRequest(run_key=hashlib.sha256(f"{names}\0{time.time() // RETRY_S}".encode()).hexdigest())
