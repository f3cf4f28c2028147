"""Refresh one source: download its files, validate them and store what is new.

A download that cannot be parsed, or that has far fewer or far more rows than the last one, is not stored. The last
good snapshot stays, and the published data show its age. Requests belong in `client`, row limits in `validation`,
stored files in `snapshots`. The caller holds the build lock.
"""

import datetime as dt
import enum
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx

from pipeline.errors import BuildError, suggest
from pipeline.fetch import snapshots
from pipeline.fetch.client import Client, FetchError, StoredBody, Validators
from pipeline.fetch.session import FetchSession
from pipeline.fetch.snapshots import Facts, SnapshotRecord
from pipeline.fetch.validation import to_naive_utc, validate_download
from sources import Download, Parser, Source

_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")


class UnknownSourceError(BuildError):
    """A source that no module below `sources/` declares."""


class Status(enum.StrEnum):
    """Result of fetching one source."""

    stored = enum.auto()
    unchanged = enum.auto()
    failed = enum.auto()
    refused = enum.auto()


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of fetching one source, the stored files, and the reason in one line."""

    source_id: str
    status: Status
    reason: str
    files: tuple[Path, ...] = ()


def unknown_source(name: str, source_ids: Iterable[str]) -> str:
    """Return the error of a source that does not exist."""
    return f"no source {name!r}; {suggest(name, source_ids, '`gpuledger sources`')}"


def select_sources(source_ids: Collection[str], accept_terms: Collection[str], parsers: Mapping[str, Parser]) -> list[str]:
    """List the sources to fetch: the named ones, or else all whose terms allow it or were accepted.

    Raises UnknownSourceError with the nearest names.
    """
    if unknown := sorted({*source_ids, *accept_terms} - parsers.keys()):
        raise UnknownSourceError(unknown_source(unknown[0], parsers))
    if source_ids:
        return list(dict.fromkeys(source_ids))
    return [name for name, p in parsers.items() if p.SOURCE.automated_access == "allowed" or name in accept_terms]


def fetch_source(parser: Parser, session: FetchSession, day: dt.date | None = None) -> Outcome:
    """Fetch one source, or the list of one day of a source that declares `daily_from`. Never raises.

    A failure leaves the stored snapshots as they are. The caller holds the lock of the build folder.
    """
    name = parser.SOURCE.source_id
    try:
        if refusal := _refusal(parser.SOURCE, session, day):
            return Outcome(name, Status.refused, refusal)
        return _refresh(parser, session, day)
    except BuildError as error:
        reason = str(error)
    except OSError as error:
        reason = f"could not be stored ({error}); nothing was kept"
    except Exception as error:  # a fault in one module must not stop the others
        reason = f"its module broke ({type(error).__name__}: {str(error)[:200]}); fix it in sources/"
    return Outcome(name, Status.failed, reason if reason.startswith(f"{name}: ") else f"{name}: {reason}")


def _refusal(source: Source, session: FetchSession, day: dt.date | None) -> str:
    """Return the reason why the source or the day must not be requested, or ""."""
    name = source.source_id
    if source.automated_access == "forbidden" and name not in session.accept_terms:
        terms = source.terms_url or "its publisher's terms"
        return f"{name}: its terms forbid automated access; read {terms}, then add --accept-terms {name}"
    if source.automated_access not in ("allowed", "forbidden"):
        return (
            f"{name}: transcribed by hand, not fetched; add a file below data/{source.snapshot_folder}, then `gpuledger seal` it"
        )
    if day is None:
        return ""
    if source.daily_from is None:
        return f"{name}: publishes no list by day; fetch it without a date"
    if not source.daily_from <= day <= session.now().date():
        return f"{name}: no list of {day}; choose a date from {source.daily_from} to today"
    return ""


def _refresh(parser: Parser, session: FetchSession, day: dt.date | None) -> Outcome:
    source, now = parser.SOURCE, session.now()
    records = snapshots.list_snapshots(source, session.data)
    client = _make_client(source, session, records, day)
    downloads: dict[str, Download] = {}
    for download in _download(parser, client, records, now, day):
        downloads.setdefault(hashlib.sha256(download.raw).hexdigest(), download)
    repeated = {sha256: record for record in records if (sha256 := str(record.facts["sha256"])) in downloads}
    returned = [record for record in repeated.values() if day is None and is_reappearance(record, records)]
    if returned or downloads.keys() - repeated.keys():
        validate_download(parser, list(downloads.values()), records, session, day)
    fresh = {sha256: download for sha256, download in downloads.items() if sha256 not in repeated}
    new = [(download, _facts(source, download, client.validators.get(sha256, {}))) for sha256, download in fresh.items()]
    added = snapshots.store(source, session.data, new, now) if new else []
    for sha256, record in repeated.items():
        facts = client.validators.get(sha256, {}) | ({"returned_at": now.isoformat()} if record in returned else {})
        snapshots.record_unchanged(record, facts, now)
    return _outcome(source, added, list(repeated.values()), returned)


def is_reappearance(record: SnapshotRecord, records: list[SnapshotRecord]) -> bool:
    """True where other bytes of the same file name were seen later: the old bytes are then a new observation."""
    return any(other.path.name == record.path.name and other.last_seen > record.last_seen for other in records)


def _outcome(source: Source, added: list[Path], repeated: list[SnapshotRecord], returned: list[SnapshotRecord]) -> Outcome:
    name = source.source_id
    if added:
        unchanged = f", {len(repeated)} unchanged" if repeated else ""
        return Outcome(name, Status.stored, f"{name}: {len(added)} new{unchanged}", tuple(added))
    since = min(str(record.facts["retrieved_at"])[:10] for record in repeated)
    if returned:
        return Outcome(name, Status.unchanged, f"{name}: back to the bytes of {since}, which are stored already")
    return Outcome(name, Status.unchanged, f"{name}: unchanged since {since}")


def _make_client(source: Source, session: FetchSession, records: list[SnapshotRecord], day: dt.date | None) -> Client:
    stored: dict[str, StoredBody] = {}
    for record in records:
        validators = {name: record.facts.get(name) for name in ("etag", "last_modified")}
        if (url := record.facts.get("url")) and any(validators.values()):
            stored[url] = StoredBody(validators, partial(_read_bytes, record, session.data))
    home = source.daily_url if day else source.url
    return Client(source.source_id, session.web, home, stored, partial(session.on_progress, source.source_id))


def _read_bytes(record: SnapshotRecord, data: Path) -> bytes:
    return record.read(data).raw


def _download(
    parser: Parser, client: Client, records: list[SnapshotRecord], now: dt.datetime, day: dt.date | None
) -> list[Download]:
    """Download every file of the source; a module that fails half-way raises, so that nothing is stored."""
    source, fetch = parser.SOURCE, getattr(parser, "fetch", None)
    if day:
        downloads = [_daily_file(source, client, day)]
    else:
        downloads = list(fetch(client)) if fetch else [_single_file(source, client, records)]
    _check_downloads(source, downloads, now)
    return downloads


def _check_downloads(source: Source, downloads: list[Download], now: dt.datetime) -> None:
    names = [download.name for download in downloads]
    if not downloads:
        raise FetchError(f"{source.source_id}: its module returned no file; fix `fetch` in sources/")
    for name in names:
        if not _FILE_NAME.fullmatch(name) or names.count(name) > 1 or f"{name}.json" in names:
            raise FetchError(f"{source.source_id}: {name!r} is not a valid, unique file name; fix `fetch` in sources/")
    for download in downloads:
        if (published := to_naive_utc(download.published_at)) and published > now + dt.timedelta(days=1):
            problem = f"{download.name} is dated {published}, in the future; not stored"
            raise FetchError(f"{source.source_id}: {problem}. Check this machine's clock, or fetch again later")


def _single_file(source: Source, client: Client, records: list[SnapshotRecord]) -> Download:
    """Download SOURCE.url, under the name of its last snapshot or else the last part of the address."""
    if not source.url:
        raise FetchError(f"{source.source_id}: no url and no `fetch`; add one of them to its module")
    before = [record for record in records if record.facts.get("url") == source.url]
    name = before[-1].path.name if before else _last_part(source.url) or "index.html"
    expect = "html" if name.endswith((".html", ".htm")) else ""
    return Download(name=name, raw=client(source.url, expect=expect), url=source.url)


def _daily_file(source: Source, client: Client, day: dt.date) -> Download:
    url = source.daily_url.format(day=day)
    published_at = dt.datetime.combine(day, dt.time())
    return Download(name=_last_part(url), raw=client(url, expect=""), url=url, published_at=published_at)


def _last_part(url: str) -> str:
    return httpx.URL(url).path.rstrip("/").rpartition("/")[2]


def _facts(source: Source, download: Download, validators: Validators) -> Facts:
    published = to_naive_utc(download.published_at)
    facts = {"url": download.url, "published_at": published.isoformat() if published else None, "licence": source.licence}
    return facts | validators
