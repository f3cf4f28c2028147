"""Validation of a download before it is stored: it must parse, and its number of rows must be plausible."""

import datetime as dt
import hashlib
from collections.abc import Iterator

from pipeline.fetch.client import FetchError
from pipeline.fetch.session import FetchSession
from pipeline.fetch.snapshots import SnapshotRecord, StoredFile
from sources import Download, Parser, Source

MIN_ROW_RATIO = 0.5
MAX_ROW_RATIO = 10.0
MAX_DAYS_APART = 7


def validate_download(
    parser: Parser, downloads: list[Download], records: list[SnapshotRecord], session: FetchSession, day: dt.date | None
) -> None:
    """Count the rows that a build would accept and compare them with the rows of the stored snapshots.

    The download of one `day` is compared with the stored batch that is nearest in time, within MAX_DAYS_APART.
    Raises BuildError where a file cannot be parsed, where all rows are rejected, or where the number of rows is below
    MIN_ROW_RATIO times the earlier number. After a downloaded batch, more than MAX_ROW_RATIO times its rows is an error too.
    """
    source, now = parser.SOURCE, session.now()
    rows = {d.name: session.count_accepted(parser, _as_stored(source, d, now)) for d in downloads}
    if not any(rows.values()):
        raise FetchError(f"{source.source_id}: {', '.join(rows)}: no row was accepted; not stored. {_advice(source)}")
    batch = _comparison_batch(records, now.date(), day)
    is_downloaded = bool(batch) and batch[-1].is_downloaded
    before = {r.path.name: count for r in batch if (count := _stored_rows(parser, r, session)) is not None}
    for subject, accepted, earlier in _comparisons(rows, before, is_whole=is_downloaded and len(before) == len(batch)):
        if accepted < MIN_ROW_RATIO * earlier or (is_downloaded and accepted > MAX_ROW_RATIO * earlier):
            raise FetchError(
                f"{source.source_id}: {subject}: {accepted} rows where there were {earlier}; not stored. {_advice(source)}"
            )


def _comparisons(rows: dict[str, int], before: dict[str, int], *, is_whole: bool) -> Iterator[tuple[str, int, int]]:
    """Yield subject, rows now and rows before of each file with a predecessor, and of all files together."""
    yield from ((name, accepted, before[name]) for name, accepted in rows.items() if before.get(name))
    if is_whole and any(before.values()):
        yield "all files together", sum(rows.values()), sum(before.values())


def _advice(source: Source) -> str:
    page = source.url or "the source"
    return f"Look at {page}; if it is right, save it below data/{source.snapshot_folder} and `gpuledger seal` it"


def _comparison_batch(records: list[SnapshotRecord], today: dt.date, day: dt.date | None) -> list[SnapshotRecord]:
    """Return the snapshots of the fetch that is nearest in time; else files saved by hand, each possibly a part of the whole."""
    if not records or not records[-1].is_downloaded:
        return [record for record in records if not record.is_downloaded]
    target = day or today
    downloaded = [record for record in records if record.is_downloaded]
    nearest = min(reversed(downloaded), key=lambda record: abs(record.observed_on - target))
    if day and abs(nearest.observed_on - day) > dt.timedelta(days=MAX_DAYS_APART):
        return []
    if _is_daily(nearest):
        return [nearest]
    return [record for record in downloaded if record.last_seen == nearest.last_seen and not _is_daily(record)]


def _is_daily(record: SnapshotRecord) -> bool:
    """True for the list of one day, which is a whole batch by itself."""
    url = record.source.daily_url
    return bool(url) and record.facts.get("url") == url.format(day=record.observed_on)


def _stored_rows(parser: Parser, record: SnapshotRecord, session: FetchSession) -> int | None:
    """Count the rows of a stored snapshot; None where today's parser, written for a newer layout, cannot read it."""
    file = record.read(session.data)
    try:
        return session.count_accepted(parser, file)
    except Exception:  # the parser may fail in any way on an older layout
        return None


def _as_stored(source: Source, download: Download, now: dt.datetime) -> StoredFile:
    path = f"data/{source.snapshot_folder}/{now:%Y-%m-%d}/{download.name}"
    published = to_naive_utc(download.published_at)
    size, sha256 = len(download.raw), hashlib.sha256(download.raw).hexdigest()
    return StoredFile(source.source_id, path, download.raw, size, sha256, download.url, now, published, "fetched", "whole")


def to_naive_utc(moment: dt.datetime | None) -> dt.datetime | None:
    """Convert a time with a zone to naive UTC."""
    return moment.astimezone(dt.UTC).replace(tzinfo=None) if moment and moment.tzinfo else moment
