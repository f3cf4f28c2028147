"""Euro reference rates of the European Central Bank: daily XML and CSV, 90 days as XML, the full history as zipped CSV."""

import datetime as dt
import io
import re
import zipfile
from collections.abc import Iterator

from pipeline.readers import RefusedError, strict_xml
from pipeline.schema.rates import ExchangeRate
from sources import Accepted, Document, Download, Get, Rejected, Source, UnparsableError

FOLDER = "https://www.ecb.europa.eu/stats/eurofxref"
SOURCE = Source(
    source_id="ecb",
    title="Euro foreign exchange reference rates",
    kind="rates",
    yields=(ExchangeRate,),
    attribution="European Central Bank, euro foreign exchange reference rates",
    url=f"{FOLDER}/eurofxref-hist.zip",
    terms_url="https://www.ecb.europa.eu/services/using-our-site/disclaimer/html/index.en.html",
    licence="free reuse with the source named",
    republish=True,
    automated_access="allowed",
)

MAX_BYTES = 20_000_000
_CODE = re.compile(r"[A-Z]{3}")
_RATE = re.compile(r"\d+(\.\d+)?")


def fetch(get: Get) -> Iterator[Download]:
    """Download the last 90 days; the full history, SOURCE.url, can be read from a stored file."""
    url = f"{FOLDER}/eurofxref-hist-90d.xml"
    yield Download(name="eurofxref-hist-90d.xml", raw=get(url, expect="xml"), url=url)


def parse(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield one rate per day and currency. A row of the file is a day; `N/A` marks a currency without a rate that day."""
    is_xml = document.raw.lstrip().startswith(b"<")
    yield from _archive(document) if document.raw.startswith(b"PK") else _xml(document) if is_xml else _csv(document)
    if not document.rows_read:
        raise UnparsableError(f"{document.path}: not one day of rates; the file is empty or its layout has changed")


def _archive(document: Document) -> Iterator[Accepted | Rejected]:
    """Yield the rates of the one CSV file in the archive; its rows are counted for the archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(document.raw)) as archive:
            (member,) = archive.infolist()
            if member.file_size > MAX_BYTES:
                raise UnparsableError(f"{document.path}: {member.file_size} bytes unpacked; expected less than {MAX_BYTES}")
            inner = Document(document.path, archive.read(member), document.observed_on)
    except (zipfile.BadZipFile, ValueError) as error:
        raise UnparsableError(f"{document.path}: not an archive of one file ({error})") from None
    yield from _csv(inner)
    document.rows_read += inner.rows_read


def _csv(document: Document) -> Iterator[Accepted | Rejected]:
    rows = document.csv_rows(skip_spaces=True)
    _, header = next(rows, (1, []))
    codes = header[1:-1] if header and not header[-1].strip() else header[1:]
    if header[:1] != ["Date"] or "USD" not in codes or not all(map(_CODE.fullmatch, codes)):
        raise document.error(1, f"the header begins {','.join(header)[:60]!r}; expected Date,USD,JPY,...")
    for number, cells in rows:
        document.rows_read += 1
        place = f"line {number}"
        yield from _day(document, place, cells[0], dict(zip(codes, cells[1:], strict=False)))


def _day(document: Document, place: str, day: str, quoted: dict[str, str]) -> Iterator[Accepted | Rejected]:
    rates = {code: rate for code, rate in quoted.items() if rate != "N/A"}
    if not rates:
        yield Rejected(place, day, "EMPTY", "no currency is quoted on this day")
    for code, rate in rates.items():
        if not _RATE.fullmatch(rate) or float(rate) <= 0:
            raise UnparsableError(f"{document.path} {place}: {code} = {rate!r} is not a rate")
        row = ExchangeRate(date=_date(document, place, day), currency=code, units_per_eur=float(rate))
        yield Accepted(f"{place}, {code}", row)


def _date(document: Document, place: str, text: str) -> dt.date:
    """Parse a date: `2026-04-13` in the history, `13 April 2026` in the daily file."""
    for form in ("%Y-%m-%d", "%d %B %Y"):
        try:
            return dt.datetime.strptime(text, form).replace(tzinfo=dt.UTC).date()
        except ValueError:
            continue
    raise UnparsableError(f"{document.path} {place}: {text!r} is not a date")


def _xml(document: Document) -> Iterator[Accepted | Rejected]:
    days: dict[str, dict[str, str]] = {}
    parser = strict_xml.strict_parser(separator=" ")

    def start(name: str, attributes: dict[str, str]) -> None:
        if name.endswith(" Cube") and "time" in attributes:
            days.setdefault(attributes["time"], {})
        if name.endswith(" Cube") and "currency" in attributes:
            days[next(reversed(days))][attributes["currency"]] = attributes["rate"]

    parser.StartElementHandler = start
    try:
        strict_xml.feed(parser, document.text())
    except RefusedError as refused:
        raise document.error(refused.line or 1, refused.reason) from None
    except (KeyError, StopIteration) as error:
        raise UnparsableError(f"{document.path}: a rate without its day or its figure ({error})") from None
    for place, (day, quoted) in document.rows(days.items(), "day"):
        yield from _day(document, place, day, quoted)
