"""AWS bulk price list of EC2 as CSV, one file per region: on demand and reserved.

A region's file is too large to keep: `fetch` stores its head and the lines of machines with accelerators,
unchanged. `parse` reads either.
"""

import datetime as dt
import functools
import io
import re
from collections.abc import Iterator
from typing import Any

from pipeline.readers import RefusedError, strict_csv
from pipeline.schema.prices import Price
from sources import Accepted, Document, Download, Get, Line, Rejected, Source, UnparsableError
from sources.prices.parsing import first_refusal, gb_of_gib, parse_number

SOURCE = Source(
    source_id="aws_bulk",
    title="AWS price list: EC2, machines with accelerators",
    attribution="Amazon Web Services, AWS Price List bulk API",
    url="https://pricing.us-east-1.amazonaws.com/offers/v1.0/aws/AmazonEC2/current",
    terms_url="https://aws.amazon.com/terms/",
    automated_access="allowed",
    own_list_of="aws",
)

REGIONS = ("us-east-1", "us-west-2", "eu-west-1")
METADATA_LINES = 5
COLUMNS = (
    "SKU", "OfferTermCode", "TermType", "EffectiveDate", "Unit", "PricePerUnit", "Currency", "LeaseContractLength",
    "PurchaseOption", "OfferingClass", "Product Family", "Instance Type", "Instance Family", "vCPU", "Memory",
    "Tenancy", "Operating System", "Pre Installed S/W", "CapacityStatus", "GPU", "Region Code",
)  # fmt: skip
OPTIONAL = ("MarketOption", "License Model")
OPERATING_SYSTEMS = {"Linux": "linux", "Windows": "windows"}
HOURS_PER_YEAR = 8760
LEASE = re.compile(r"(\d+) ?yr")
SHOWN = ("SKU", "OfferTermCode", "TermType", "Instance Type", "Operating System", "Tenancy", "Unit", "PricePerUnit")


def fetch(get: Get) -> Iterator[Download]:
    """Download some large regions, each reduced to its machines with accelerators."""
    for region in REGIONS:
        url = f"{SOURCE.url}/{region}/index.csv"
        raw, published = reduced(url, get(url, expect="csv"))
        yield Download(name=f"{region}.csv", raw=raw, url=url, published_at=published)


def reduced(name: str, raw: bytes) -> tuple[bytes, dt.datetime | None]:
    """Return the metadata, the header and the lines with a GPU, and the publication date of the metadata.

    Raises UnparsableError without a column GPU, or with a quote that a line leaves open.
    """
    lines = io.BytesIO(raw)
    head = [lines.readline() for _ in range(METADATA_LINES + 1)]
    try:
        *metadata, header = map(_cells, head)
        if "GPU" not in header:
            raise UnparsableError(f"{name}: the header lacks 'GPU'; the layout has changed or this is an error page")
        place = header.index("GPU")
        kept = [line for line in lines if len(cells := _cells(line)) > place and cells[place] not in ("", "NA")]
    except RefusedError as refused:
        raise UnparsableError(f"{name}: {refused.reason}; the layout has changed or the file is cut off") from None
    dates = [cells[1] for cells in metadata if cells[:1] == ["Publication Date"] and len(cells) > 1]
    published = dt.datetime.fromisoformat(dates[0]).replace(tzinfo=None) if dates else None
    return b"".join(head + kept), published


def _cells(line: bytes) -> list[str]:
    return strict_csv.split_line(line.decode("utf-8", "replace"))


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield on-demand prices row by row. A partly upfront commitment has two rows, which are combined to one price."""
    halves: dict[tuple[str, str], Line] = {}
    for line in document.selected(COLUMNS, OPTIONAL, skip=METADATA_LINES):
        if refused := _refused(line):
            yield refused
        elif line.fields["TermType"] == "OnDemand" or line.fields["PurchaseOption"] == "No Upfront":
            yield Accepted(line.locator, _price(line, _hourly(line)))
        elif other := halves.pop(_term(line), None):
            yield from _joined(line, other)
        else:
            halves[_term(line)] = line
    for line in halves.values():
        yield _reject(line, "TRUNCATED", "the other of the two rows of this commitment is missing")


def _reject(line: Line, code: str, reason: str) -> Rejected:
    return Rejected(line.locator, ", ".join(line.fields[name] for name in SHOWN), code, reason)


def _refused(line: Line) -> Rejected | None:
    """Reject rows that are not an ordinary offer of a whole machine; the file lists each machine many times."""
    cell = line.fields
    rules = (
        (cell["GPU"] in ("", "NA"), "NOT_A_GPU", "no accelerator"),
        (not cell["Product Family"].startswith("Compute Instance"), "NOT_A_GPU", "no machine"),
        (cell["TermType"] not in ("OnDemand", "Reserved"), "UNKNOWN_FORMAT", "a kind of term that is not known"),
        (cell["Unit"] not in ("Hrs", "Quantity"), "UNKNOWN_FORMAT", f"priced per {cell['Unit']}"),
        (cell["MarketOption"] not in ("", "OnDemand"), "PLACEHOLDER_PRICE", "a capacity block is priced when it is bought"),
        (cell["Tenancy"] != "Shared", "DUPLICATE", "tenancy of its own; the shared machine is listed too"),
        (cell["Operating System"] not in OPERATING_SYSTEMS, "DUPLICATE", "includes a licence; plain Linux is listed too"),
        (cell["Pre Installed S/W"] not in ("", "NA"), "DUPLICATE", "includes software; the plain machine is listed too"),
        (cell["CapacityStatus"] != "Used", "DUPLICATE", "capacity held, not used; the machine in use is listed too"),
        (cell["License Model"].startswith("Bring"), "DUPLICATE", "licence brought along; the plain machine is listed too"),
    )
    return first_refusal(functools.partial(_reject, line), rules)


def _term(line: Line) -> tuple[str, str]:
    return line.text("SKU"), line.text("OfferTermCode")


def _years(line: Line) -> int:
    if not (match := LEASE.fullmatch(line.fields["LeaseContractLength"])):
        raise line.fail("LeaseContractLength", "a term such as 3yr")
    return int(match[1])


def _hourly(line: Line) -> dict[str, Any]:
    terms: dict[str, Any] = {"billing": "on_demand"}
    if line.fields["TermType"] == "Reserved":
        terms = {"billing": "reserved", "commitment_months": 12 * _years(line), "tier": line.text_or_none("OfferingClass")}
    if line.fields["Unit"] != "Hrs":
        raise line.fail("Unit", "Hrs, as it is for prices without a payment at the start")
    raw = line.text("PricePerUnit")
    return terms | {"price_raw": raw, "amount": line.number("PricePerUnit"), "price_unit": "hour"}


def _joined(line: Line, other: Line) -> Iterator[Accepted | Rejected]:
    """Return one price for the whole term: the upfront part plus the hours of the term."""
    halves = {half.fields["Unit"]: half for half in (line, other)}
    if set(halves) != {"Hrs", "Quantity"}:
        yield from (_reject(half, "DUPLICATE", "the same half of a commitment stands twice") for half in (line, other))
        return
    start, hourly = halves["Quantity"], halves["Hrs"]
    upfront, rate = start.number("PricePerUnit"), hourly.number("PricePerUnit")
    terms = {
        "billing": "reserved",
        "commitment_months": 12 * _years(start),
        "tier": start.text_or_none("OfferingClass"),
        "price_raw": f"{start.text('PricePerUnit')} + {hourly.text('PricePerUnit')} / h",
        "amount": upfront + rate * HOURS_PER_YEAR * _years(start),
        "price_unit": "term_total",
        "upfront_usd": upfront if start.fields["Currency"] == "USD" else None,
    }
    yield Accepted(start.locator, _price(start, terms))
    yield _reject(hourly, "DUPLICATE", f"the hourly half of the commitment in {start.locator}, counted there")


def _price(line: Line, terms: dict[str, Any]) -> Price:
    machine = line.text("Instance Type")
    return Price(
        observed_at=line.document.observed_on,
        effective_from=line.day("EffectiveDate") if line.fields["EffectiveDate"] else None,
        provider="aws",
        offer_id=line.text_or_none("SKU"),
        instance_type=machine,
        raw_gpu_name=machine,
        gpu_context=line.text_or_none("Instance Family"),
        region=line.text("Region Code"),
        scope="region",
        kind="cloud_rental",
        os=OPERATING_SYSTEMS[line.fields["Operating System"]],
        tenancy="shared",
        vcpus=line.number_or_none("vCPU"),
        host_memory_gb=gb_of_gib(parse_number(line.fields["Memory"].removesuffix(" GiB"))),
        currency=line.text("Currency"),
        price_basis="per_instance",
        includes_host=True,
        **_gpus(line),
        **terms,
    )


def _gpus(line: Line) -> dict[str, Any]:
    """Parse the field GPU, the number of GPUs; the smallest machines of some families have a fraction of one."""
    gpus = line.number("GPU")
    if gpus >= 1:
        return {"gpu_count": line.integer("GPU")}
    return {"gpu_fraction": gpus, "partition": "fraction"}
