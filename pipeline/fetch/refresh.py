"""New snapshots from the sources' hosts: asked for, tried out, and only then stored.

What the parser cannot read, or reads as far fewer or far more rows than last time, is not stored: the last good
snapshot stays and grows old, which the published data show. How hosts are asked belongs in `client`, where the
bytes lie in `snapshots`.
"""

import datetime as dt
import enum
import hashlib
import re
import tempfile
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx

from pipeline import paths
from pipeline.errors import BuildError
from pipeline.fetch import lock, snapshots
from pipeline.fetch.client import Client, FetchError, Known, Limits, Validators, Web
from pipeline.fetch.snapshots import Entry, NewFile, StoredFile
from pipeline.schema.prices import Price
from pipeline.warehouse.workspace import Workspace
from sources import Download, Parser, Source, discover

__all__ = ["FetchError", "Limits", "Outcome", "Run", "Status", "UnknownSourceError", "Web", "choose", "fetch"]

SHRUNK = 0.5
GROWN = 10.0
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}")


class UnknownSourceError(BuildError):
    """A source that no module below `sources/` declares."""


class Status(enum.StrEnum):
    """What came of one source."""

    stored = enum.auto()
    unchanged = enum.auto()
    failed = enum.auto()
    refused = enum.auto()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one source: the files stored, or in words why there are none."""

    source_id: str
    status: Status
    reason: str
    files: tuple[Path, ...] = ()


def _now() -> dt.datetime:
    return dt.datetime.now(dt.UTC).replace(microsecond=0, tzinfo=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one run of `fetch` works with. `watch` is told a source's name and the bytes read so far."""

    web: Web = field(default_factory=lambda: Web(http=httpx.Client()))
    data: Path = paths.DATA
    parsers: Mapping[str, Parser] = field(default_factory=discover)
    now: Callable[[], dt.datetime] = _now
    watch: Callable[[str, int], None] = lambda _source, _bytes: None


def choose(source_ids: Collection[str], accept_terms: Collection[str], parsers: Mapping[str, Parser]) -> list[str]:
    """The sources to fetch: those named, or else all whose terms allow it and those whose terms were accepted.

    Raises UnknownSourceError with the names that exist.
    """
    if unknown := sorted({*source_ids, *accept_terms} - parsers.keys()):
        raise UnknownSourceError(f"no source {unknown[0]!r}; known are {', '.join(parsers)}")
    if source_ids:
        return list(dict.fromkeys(source_ids))
    return [name for name, p in parsers.items() if p.SOURCE.automated_access == "allowed" or name in accept_terms]


def fetch(source_ids: Collection[str], accept_terms: Collection[str] = (), run: Run | None = None) -> Iterator[Outcome]:
    """Fetch each source in turn; one that fails leaves its snapshots as they are and does not stop the others.

    Raises BuildLockedError where a build or another fetch is at work.
    """
    run = run or Run()
    with lock.hold(run.data / "build"):
        for source_id in source_ids:
            parser = run.parsers[source_id]
            refusal = _refusal(parser.SOURCE, accept_terms)
            yield Outcome(source_id, Status.refused, refusal) if refusal else _attempt(parser, run)


def _refusal(source: Source, accept_terms: Collection[str]) -> str:
    name = source.source_id
    if source.automated_access == "allowed" or (source.automated_access == "forbidden" and name in accept_terms):
        return ""
    if source.automated_access == "forbidden":
        terms = source.terms_url or "its publisher's terms"
        return f"{name}: its terms forbid programs to read it; read {terms}, then add --accept-terms {name}"
    return f"{name}: transcribed by hand, not fetched; add a file below data/{source.snapshot_folder}, then `gpuledger seal` it"


def _attempt(parser: Parser, run: Run) -> Outcome:
    """One source from start to end, whatever goes wrong in it."""
    name = parser.SOURCE.source_id
    try:
        return _refreshed(parser, run)
    except BuildError as error:
        reason = str(error)
    except OSError as error:
        reason = f"could not be stored ({error}); nothing was kept"
    except Exception as error:  # a fault in one module must not stop the others
        reason = f"its module broke ({type(error).__name__}: {str(error)[:200]}); mend it in sources/"
    return Outcome(name, Status.failed, reason if reason.startswith(f"{name}: ") else f"{name}: {reason}")


def _refreshed(parser: Parser, run: Run) -> Outcome:
    source, now = parser.SOURCE, run.now()
    stored = snapshots.entries(source, run.data)
    known = {url: Known(v, partial(_bytes, entry, run)) for entry in stored for url, v in _validators_of(entry)}
    client = Client(source.source_id, run.web, source.url, known, partial(run.watch, source.source_id))
    files: dict[str, Download] = {}
    for download in _downloads(parser, client, stored, now):
        files.setdefault(_sha256(download.raw), download)
    kept = {sha256: entry for entry in stored if (sha256 := str(entry.facts["sha256"])) in files}
    if files.keys() - kept.keys() or any(_came_back(entry, stored) for entry in kept.values()):
        _try_out(parser, list(files.values()), stored, run, now)
    new = [_new(source, d, client.seen.get(sha256)) for sha256, d in files.items() if sha256 not in kept]
    added = snapshots.store(source, run.data, new, now) if new else []
    for sha256, entry in kept.items():
        returned = {"returned_at": now.isoformat()} if _came_back(entry, stored) else {}
        snapshots.confirm(entry, run.data, _facts(client.seen.get(sha256)) | returned, now)
    return _outcome(source, added, list(kept.values()), stored)


def _came_back(entry: Entry, stored: list[Entry]) -> bool:
    """Whether other bytes of the same file were seen since these: then this is a new observation of the old ones."""
    return any(other.path.name == entry.path.name and other.last_seen > entry.last_seen for other in stored)


def _outcome(source: Source, added: list[Path], repeated: list[Entry], stored: list[Entry]) -> Outcome:
    name = source.source_id
    if added:
        same = f", {len(repeated)} unchanged" if repeated else ""
        return Outcome(name, Status.stored, f"{name}: {len(added)} new{same}", tuple(added))
    since = min(str(entry.facts["retrieved_at"])[:10] for entry in repeated)
    if any(_came_back(entry, stored) for entry in repeated):
        return Outcome(name, Status.unchanged, f"{name}: back to the bytes of {since}, which are stored already")
    return Outcome(name, Status.unchanged, f"{name}: unchanged since {since}")


def _validators_of(entry: Entry) -> Iterator[tuple[str, Validators]]:
    """Address and validators of a snapshot, where its host gave any."""
    validators = Validators(entry.facts.get("etag"), entry.facts.get("last_modified"))
    if validators.headers and (url := entry.facts.get("url")):
        yield url, validators


def _bytes(entry: Entry, run: Run) -> bytes:
    return entry.read(run.data).raw


def _downloads(parser: Parser, client: Client, stored: list[Entry], now: dt.datetime) -> list[Download]:
    """Everything that the source gives, or nothing: a module that breaks off half-way raises."""
    own = getattr(parser, "fetch", None)
    found: list[Download] = list(own(client)) if own else [_single(parser.SOURCE, client, stored)]
    names = [download.name for download in found]
    if not found:
        raise FetchError(f"{parser.SOURCE.source_id}: its module gave no file; mend `fetch` in sources/")
    for name in names:
        if not _NAME.fullmatch(name) or names.count(name) > 1 or f"{name}.json" in names:
            raise FetchError(f"{parser.SOURCE.source_id}: {name!r} is no file name of its own; mend `fetch` in sources/")
    for download in found:
        if (day := _utc(download.published_at)) and day > now + dt.timedelta(days=1):
            raise FetchError(f"{parser.SOURCE.source_id}: {download.name} is dated {day}, in the future; not stored")
    return found


def _single(source: Source, client: Client, stored: list[Entry]) -> Download:
    """The one file at SOURCE.url, under the name that it had before, or else the last part of the address."""
    if not source.url:
        raise FetchError(f"{source.source_id}: no url and no `fetch`; add one of them to its module")
    before = [entry for entry in stored if entry.facts.get("url") == source.url]
    name = before[-1].path.name if before else httpx.URL(source.url).path.rstrip("/").rpartition("/")[2] or "index.html"
    expect = "html" if name.endswith((".html", ".htm")) else ""
    return Download(name=name, raw=client(source.url, expect=expect), url=source.url)


def _try_out(parser: Parser, files: list[Download], stored: list[Entry], run: Run, now: dt.datetime) -> None:
    """Read the files as a build would. Raises BuildError where that fails or gives an unlikely number of rows."""
    source = parser.SOURCE
    with tempfile.TemporaryDirectory() as scratch:
        rows = {f.name: _accepted(parser, _as_stored(source, f, now), Path(scratch), run) for f in files}
    if not any(rows.values()):
        raise FetchError(f"{source.source_id}: {', '.join(rows)}: no row was accepted; not stored. {_advice(source)}")
    last = _last_batch(stored)
    fetched = bool(last) and last[-1].fetched
    before = {e.path.name: n for e in last if (n := _rows(parser, e, run)) is not None}
    pairs = [(name, accepted, before[name]) for name, accepted in rows.items() if name in before]
    if fetched and len(before) == len(last):
        pairs.append(("all files together", sum(rows.values()), sum(before.values())))
    for what, accepted, then in pairs:
        if then and (accepted < SHRUNK * then or (fetched and accepted > GROWN * then)):
            raise FetchError(
                f"{source.source_id}: {what}: {accepted} rows where there were {then}; not stored. {_advice(source)}"
            )


def _advice(source: Source) -> str:
    page = source.url or "the source"
    return f"Look at {page}; if it is right, save it below data/{source.snapshot_folder} and `gpuledger seal` it"


def _last_batch(stored: list[Entry]) -> list[Entry]:
    """What the last fetch gave; else what was saved by hand, of which each file may be a part of the whole."""
    if stored and stored[-1].fetched:
        return [entry for entry in stored if entry.fetched and entry.last_seen == stored[-1].last_seen]
    return [entry for entry in stored if not entry.fetched]


def _rows(parser: Parser, entry: Entry, run: Run) -> int | None:
    """Rows of a stored snapshot as the parser reads it today; None where it no longer can."""
    file = entry.read(run.data)
    try:
        return _accepted(parser, file, run.data / "build" / "lake", run)
    except Exception:  # the parser has moved on to a new layout: nothing to compare with
        return None


def _accepted(parser: Parser, file: StoredFile, folder: Path, run: Run) -> int:
    """Rows that a build would keep: prices are judged too, so that a list of unknown cards counts for nothing."""
    # Polars is slow to import; other commands do without
    from pipeline.orchestration import steps  # noqa: PLC0415
    from pipeline.prices import normalize  # noqa: PLC0415
    from pipeline.warehouse import parsed_cache  # noqa: PLC0415

    rows = parsed_cache.parse(parser, file, folder)
    if Price not in parser.SOURCE.yields:
        return rows.rows_accepted
    rates = steps.lake_files(Workspace(run.data, run.data / "build"), "exchange_rate")
    return normalize.judge(parser.SOURCE, rows, rates).rows_accepted


def _as_stored(source: Source, file: Download, now: dt.datetime) -> StoredFile:
    path = f"data/{source.snapshot_folder}/{now:%Y-%m-%d}/{file.name}"
    published = _utc(file.published_at)
    return StoredFile(source.source_id, path, file.raw, len(file.raw), _sha256(file.raw), file.url, now, published)


def _new(source: Source, file: Download, validators: Validators | None) -> NewFile:
    published = _utc(file.published_at)
    facts = {"url": file.url, "published_at": published.isoformat() if published else None, "licence": source.licence}
    return NewFile(name=file.name, raw=file.raw, facts=facts | _facts(validators))


def _facts(given: Validators | None) -> dict[str, str | None]:
    return {"etag": given.etag, "last_modified": given.last_modified} if given else {}


def _utc(moment: dt.datetime | None) -> dt.datetime | None:
    return moment.astimezone(dt.UTC).replace(tzinfo=None) if moment and moment.tzinfo else moment


def _sha256(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()
