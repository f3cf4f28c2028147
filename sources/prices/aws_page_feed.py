"""The feed behind the AWS price calculator: on-demand EC2 machines, one document per region."""

import datetime as dt
import gzip
import io
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from pipeline.schema.prices import Price
from sources import Accepted, Document, Download, Get, Rejected, Source, UnparsableError
from sources.prices.parsing import INSTANCE_BY_HOUR, Item, counted_rows, first_refusal, gb_of_gib, parse_number

SOURCE = Source(
    source_id="aws_page_feed",
    title="AWS price calculator: EC2 on demand",
    attribution="Amazon Web Services, EC2 on-demand prices of the AWS price calculator",
    url="https://b0.p.awsstatic.com/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel",
    terms_url="https://aws.amazon.com/terms/",
    automated_access="allowed",
    own_list_of="aws",
)

REGIONS = {"us-east-1": "US East (N. Virginia)", "us-west-2": "US West (Oregon)", "eu-west-1": "EU (Ireland)"}
ACCELERATED = ("GPU instance", "Machine Learning ASIC Instances")
OPERATING_SYSTEMS = {"Linux": "linux", "Windows": "windows"}
MAX_BYTES = 200_000_000


def fetch(get: Get) -> Iterator[Download]:
    """Download the Linux prices of some large regions; the document contains its publication date."""
    for code, region in REGIONS.items():
        url = f"{SOURCE.url}/{quote(region)}/Linux/index.json"
        raw = get(url, expect="json")
        yield Download(name=f"{code}.json", raw=raw, url=url, published_at=_published(url, raw))


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one price per machine and region. The keys of the rows in the feed are not stable and are not read."""
    for locator, fields in counted_rows(document, _machines(document.path, _envelope(document.path, document.raw))):
        item = Item(document, locator, fields)
        yield _refused(item) or Accepted(locator, _price(item))


def _envelope(name: str, raw: bytes) -> dict[str, Any]:
    """Return the feed as an object. The host gzips it without declaring so, and it may be stored in that form."""
    plain = _unpacked(name, raw) if raw.startswith(b"\x1f\x8b") else raw
    found = Document(name, plain, dt.date.min).json()
    if not isinstance(found, dict) or not isinstance(found.get("regions"), dict):
        raise UnparsableError(f"{name}: no field 'regions'; the response is an error or its layout has changed")
    return found


def _unpacked(name: str, raw: bytes) -> bytes:
    try:
        plain = gzip.GzipFile(fileobj=io.BytesIO(raw)).read(MAX_BYTES + 1)
    except (OSError, EOFError) as error:
        raise UnparsableError(f"{name}: broken gzip ({error})") from None
    if len(plain) > MAX_BYTES:
        raise UnparsableError(f"{name}: more than {MAX_BYTES} bytes unpacked")
    return plain


def _machines(name: str, envelope: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for region, machines in envelope["regions"].items():
        if not isinstance(machines, dict) or not all(isinstance(machine, dict) for machine in machines.values()):
            raise UnparsableError(f"{name}: {region} holds no machines; the form of the feed has changed")
        yield from machines.values()


def _published(name: str, raw: bytes) -> dt.datetime | None:
    manifest = _envelope(name, raw).get("manifest") or {}
    try:
        return dt.datetime.fromisoformat(manifest["hawkFilePublicationDate"]).replace(tzinfo=None)
    except (KeyError, TypeError, ValueError):
        return None


def _refused(item: Item) -> Rejected | None:
    system, software = item.text("Operating System"), item.text_or_none("Pre Installed S/W")
    rules = (
        (item.text("Instance Family") not in ACCELERATED, "NOT_A_GPU", f"a {item.text('Instance Family')} machine"),
        (system not in OPERATING_SYSTEMS, "DUPLICATE", f"includes a licence of {system}; the plain machine is listed too"),
        (software not in (None, "NA"), "DUPLICATE", f"includes a licence of {software}; the plain machine is listed too"),
    )
    return first_refusal(item.reject, rules)


def _price(item: Item) -> Price:
    machine = item.text("Instance Type")
    return Price(
        observed_at=item.document.observed_on,
        provider="aws",
        offer_id=item.text_or_none("rateCode"),
        instance_type=machine,
        raw_gpu_name=machine,
        gpu_context=item.text("Instance Family"),
        region=item.text("Location"),
        scope="region",
        **INSTANCE_BY_HOUR,
        billing="on_demand",
        os=OPERATING_SYSTEMS[item.text("Operating System")],
        tenancy="shared",
        vcpus=item.number_or_none("vCPU"),
        host_memory_gb=gb_of_gib(parse_number((item.text_or_none("Memory") or "").removesuffix(" GiB"))),
        price_raw=item.text("price"),
        amount=item.number("price"),
        currency="USD",
    )
