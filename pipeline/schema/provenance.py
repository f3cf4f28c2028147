"""Tables of provenance: sources, snapshots, rejected rows, the build itself."""

import datetime as dt
from typing import Annotated, Literal, get_args

from pipeline.schema.core import Col, Record, record, row

REASON_CODES = (
    "ENCODING", "CONTROL_CHAR", "EMPTY", "NO_ROWS", "SCHEMA", "TOO_WIDE", "TOO_DEEP", "LINE_TOO_LONG", "SIZE",
    "RATIO", "CONTENT_TYPE", "PARSE", "DUP_KEY", "RANGE", "NOT_FINITE", "UNKNOWN_FORMAT", "TRUNCATED",
    "UNKNOWN_GPU", "AMBIGUOUS_GPU", "NOT_A_GPU", "NAME_NOT_ALLOWED", "IMPLAUSIBLE", "UNKNOWN_COUNT",
    "PLACEHOLDER_PRICE", "ZERO_PRICE", "HOST_ONLY", "WINDOWS", "RETIRED", "DUPLICATE", "CRASH", "TIMEOUT",
    "SOURCE_ERROR", "TERMS", "OVERLAP", "BAD_ADDRESS", "NO_RESULT",
)  # fmt: skip
Origin = Literal["fetched", "carried_over", "transcribed"]
Extent = Literal["whole", "excerpt", "compiled"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)
EXTENTS: tuple[Extent, ...] = get_args(Extent)
SOURCE_KINDS = ("guide", "specs", "throughput", "inference", "names", "prices", "rates")


@row
class Sourced(Record):
    """Base of rows that a source yields. The loader sets source, snapshot and locator."""

    source_id: Annotated[str, Col("Source that the row comes from", references="source.source_id", filled=True)] = ""
    snapshot_id: Annotated[str, Col("Stored file that contains the row", references="snapshot.snapshot_id", filled=True)] = ""
    locator: Annotated[str, Col("Place of the row in that file", filled=True)] = ""


@record("release", title="This build", group="provenance", key=("as_of",))
class Release(Record):
    """One row: the reference date of the data. Ages and staleness are counted from it."""

    as_of: Annotated[dt.date, Col("Date of the newest snapshot of a source that is refreshed, or the date that `gpuledger build --as-of` stated")]


@record("source", title="Sources", group="provenance", key=("source_id",))
class SourceRow(Record):
    """One row per source that the build reads, with its publisher, terms and parser."""

    source_id: Annotated[str, Col("Name of the source, as in `sources/`")]
    title: Annotated[str, Col("Title of the source")]
    kind: Annotated[str, Col("Kind of data", values=SOURCE_KINDS)]
    url: Annotated[str | None, Col("Address of the source")]
    terms_url: Annotated[str | None, Col("Its terms of use")]
    licence: Annotated[str | None, Col("Licence of the source, where it states one")]
    attribution: Annotated[str, Col("Attribution")]
    republish: Annotated[
        bool,
        Col(
            "Whether the licence allows to publish the stored files; where it does not say so, the site has excerpts alone",
            check="NOT republish OR licence IS NOT NULL",
        ),
    ]
    automated_access: Annotated[
        str,
        Col(
            "Whether its terms allow automated access; `not_applicable` = transcribed by hand",
            values=("allowed", "forbidden", "not_applicable"),
        ),
    ]
    own_list_of: Annotated[
        str | None, Col("Provider whose own price list this is; empty = compiled by somebody else, or no list of prices")
    ]
    parser_version: Annotated[int, Col("Version of the parser; a change reads every snapshot again", above=0)]
    stale_after_days: Annotated[
        int | None,
        Col("Age from which the source counts as stale; empty = a dated document that is never refreshed", "day"),
    ]


@record("source_problem", title="Stored files that could not be read", group="provenance", key=("path",))
class SourceProblem(Record):
    """One row per stored file of a fetched source that this build could not read; the source's other files are used."""

    source_id: Annotated[str, Col("Source", references="source.source_id")]
    path: Annotated[str, Col("Place in the project's `data/` folder")]
    problem: Annotated[str, Col("What is wrong with the file")]


@record("snapshot", title="Snapshots", group="provenance", key=("snapshot_id",))
class Snapshot(Record):
    """One row per stored file: its hash, origin and dates, and the number of rows read, accepted and rejected."""

    snapshot_id: Annotated[str, Col("SHA-256 of the stored bytes", check="length(snapshot_id) = 64")]
    source_id: Annotated[str, Col("Source that the bytes came from", references="source.source_id")]
    path: Annotated[str, Col("Place in the project's `data/` folder")]
    url: Annotated[str | None, Col("Where the bytes, or the page they were transcribed from, are published")]
    retrieved_at: Annotated[dt.datetime, Col("When the bytes were fetched or transcribed", "UTC")]
    published_at: Annotated[dt.datetime | None, Col("Publication date", "UTC")]
    origin: Annotated[
        str,
        Col("`fetched` from the address, `carried_over` from a stored copy of what it published, `transcribed` by hand", values=ORIGINS),
    ]
    extent: Annotated[
        str,
        Col("`whole` file of the publisher, `excerpt` of it in its own form, `compiled` from it into a form of ours", values=EXTENTS),
    ]
    bytes: Annotated[int, Col("Size", "byte", above=0)]
    rows_read: Annotated[int, Col("Rows of the file", check="rows_read = rows_accepted + rows_rejected")]
    rows_accepted: Annotated[int, Col("Rows of which at least one price or fact was accepted", least=0)]
    rows_rejected: Annotated[int, Col("Rows of which no price or fact was accepted", least=0)]


@record("reject", title="Rejected rows and prices", group="provenance", key=("snapshot_id", "locator", "reason_code"))
class Reject(Record):
    """One row per rejected row of a source, or rejected price of a row with several, with the reason."""

    snapshot_id: Annotated[str, Col("File that contains it", references="snapshot.snapshot_id")]
    locator: Annotated[str, Col("Place in the file: of the row, or of the price in it")]
    record: Annotated[str, Col("The row, as the source writes it; only the provider where its terms forbid more")]
    reason_code: Annotated[str, Col("Reason for the rejection, as a code", values=REASON_CODES)]
    reason: Annotated[str, Col("Reason for the rejection, in words")]
    rule_version: Annotated[int, Col("Version of the rule that rejected it", above=0)]
