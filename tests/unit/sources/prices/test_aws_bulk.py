"""The bulk list of AWS: columns by name, commitments of two rows as one price, everything else rejected with a reason."""

import csv
import datetime as dt
import io
import tracemalloc

import pytest

from sources import Document, UnparsableError
from sources.prices import aws_bulk
from sources.prices.aws_bulk import COLUMNS
from tests.unit.sources.prices.support import DAY, codes, normalized, parse, sample, stored

NAME = "us-east-1.csv"
PLAIN = {
    "SKU": "3D4V8UAYEMB38GU2", "OfferTermCode": "JRTCKXETXF", "TermType": "OnDemand", "EffectiveDate": "2025-09-01",
    "Unit": "Hrs", "PricePerUnit": "55.0400000000", "Currency": "USD", "Product Family": "Compute Instance",
    "Instance Type": "p5.48xlarge", "Instance Family": "GPU instance", "vCPU": "192", "Memory": "2048 GiB",
    "Tenancy": "Shared", "Operating System": "Linux", "Pre Installed S/W": "NA", "CapacityStatus": "Used", "GPU": "8",
    "Region Code": "us-east-1", "MarketOption": "OnDemand", "License Model": "No License required",
    "Location": "US East (N. Virginia)",
}  # fmt: skip
RESERVED = {"TermType": "Reserved", "LeaseContractLength": "1yr", "OfferingClass": "standard", "MarketOption": "OnDemand"}


ALL = (*reversed(COLUMNS), "Location", "MarketOption", "License Model")


def bulk(*changes, columns=ALL):
    """A file whose columns are in another order than in this project."""
    out = io.StringIO()
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    for head in ("FormatVersion", "Disclaimer", "Publication Date", "Version", "OfferCode"):
        writer.writerow([head, "2025-09-12T22:53:08Z" if head == "Publication Date" else 'say "so", twice'])
    writer.writerow(columns)
    writer.writerows([(PLAIN | change).get(name, "") for name in columns] for change in changes)
    return out.getvalue()


def halves(option, upfront, hourly, **more):
    term = RESERVED | {"OfferTermCode": option, "PurchaseOption": option} | more
    return term | {"Unit": "Quantity", "PricePerUnit": upfront}, term | {"Unit": "Hrs", "PricePerUnit": hourly}


def test_the_committed_files_hold_the_change_of_price():
    kept, refused = stored("aws_bulk")
    assert refused == {}
    found = {row.observed_at: (row.raw_gpu_name, row.gpu_count, row.amount, row.region) for row in kept.values()}
    assert found == {
        dt.date(2025, 6, 4): ("p5.48xlarge", 8, 98.32, "us-east-1"),
        dt.date(2025, 6, 5): ("p5.48xlarge", 8, 55.04, "us-east-1"),
    }


def test_the_sample_header_is_refused_since_it_is_cut_off():
    with pytest.raises(UnparsableError, match=r"the header lacks .*Tenancy, Operating System"):
        parse("aws_bulk", NAME, sample("aws/bulk_index_csv_header.csv"))


def test_commitments_of_two_rows_are_one_price_of_the_term():
    quantity, hours = halves("All Upfront", "300000", "0.0000000000")
    partly, per_hour = halves("Partial Upfront", "150000", "17.5", LeaseContractLength="3yr")
    kept, refused = parse("aws_bulk", NAME, bulk(hours, {}, partly, quantity, per_hour))
    assert codes(refused) == {"DUPLICATE": 2}
    whole, part = kept["line 10"], kept["line 9"]
    assert (whole.amount, whole.upfront_usd, whole.price_unit, whole.commitment_months) == (300000, 300000, "term_total", 12)
    assert (part.amount, part.upfront_usd, part.commitment_months) == (150000 + 17.5 * 8760 * 3, 150000, 36)
    assert (part.price_raw, part.tier, part.billing) == ("150000 + 17.5 / h", "standard", "reserved")


def test_a_commitment_without_upfront_stays_hourly_and_half_a_one_is_rejected():
    alone = RESERVED | {"PurchaseOption": "No Upfront", "PricePerUnit": "40.1"}
    kept, refused = parse("aws_bulk", NAME, bulk(alone, halves("All Upfront", "300000", "0")[1]))
    (row,) = kept.values()
    assert (row.amount, row.price_unit, row.commitment_months, row.upfront_usd) == (40.1, "hour", 12, None)
    assert codes(refused) == {"TRUNCATED": 1}


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"GPU": ""}, "NOT_A_GPU"),
        ({"Product Family": "Data Transfer"}, "NOT_A_GPU"),
        ({"Tenancy": "Dedicated"}, "DUPLICATE"),
        ({"Operating System": "SUSE"}, "DUPLICATE"),
        ({"Pre Installed S/W": "SQL Ent"}, "DUPLICATE"),
        ({"CapacityStatus": "UnusedCapacityReservation"}, "DUPLICATE"),
        ({"License Model": "Bring your own license", "Operating System": "Windows"}, "DUPLICATE"),
        ({"MarketOption": "CapacityBlock", "PricePerUnit": "0"}, "PLACEHOLDER_PRICE"),
        ({"Unit": "GB-Mo"}, "UNKNOWN_FORMAT"),
    ],
)
def test_other_rows_are_rejected_with_their_reason(change, code):
    kept, refused = parse("aws_bulk", NAME, bulk({}, change))
    assert (list(kept), codes(refused)) == (["line 7"], {code: 1})


def test_a_price_of_zero_is_rejected_and_of_a_commitment_only_with_both_halves_zero():
    zero = {"PricePerUnit": "0.0000000000"}
    free, paid = halves("All Upfront", "0", "0"), halves("Partial Upfront", "0", "17.5")
    raw = bulk({}, zero, RESERVED | zero | {"PurchaseOption": "No Upfront"}, *free, *paid)
    kept, _ = parse("aws_bulk", NAME, raw)
    assert {locator: row.amount for locator, row in kept.items() if row.amount} == {"line 7": 55.04, "line 12": 17.5 * 8760}
    _, refused = normalized("aws_bulk", NAME, raw)
    assert [place for place, code in refused.items() if code == "ZERO_PRICE"] == ["line 8", "line 9", "line 10"]
    assert {refused["line 11"], refused["line 13"]} == {"DUPLICATE"}


def test_windows_is_kept_as_windows_and_a_part_of_a_gpu_as_a_part():
    windows, part = {"Operating System": "Windows"}, {"Instance Type": "g6f.large", "GPU": "0.125"}
    kept, _ = parse("aws_bulk", NAME, bulk(windows, part))
    assert (kept["line 7"].os, kept["line 7"].gpu_count) == ("windows", 8)
    assert (kept["line 8"].gpu_count, kept["line 8"].gpu_fraction, kept["line 8"].partition) == (None, 0.125, "fraction")


def test_columns_may_be_missing_in_older_files():
    kept, _ = parse("aws_bulk", NAME, bulk({}, columns=COLUMNS))
    assert kept["line 7"].amount == 55.04


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (bulk({}).replace("PricePerUnit", "Price"), "header lacks PricePerUnit;"),
        (bulk(), "the table is empty"),
        (bulk({}, {})[:-30], "broken CSV|fields where"),
        ("<html>\n" * 9, "the header lacks"),
        (bulk({"PricePerUnit": "55.04^1"}), "not a number"),
        (bulk({"EffectiveDate": "soon"}), "not a date"),
        (bulk(halves("All Upfront", "3", "0", LeaseContractLength="")[0], *halves("All Upfront", "3", "0")[1:]), "not a term"),
    ],
)
def test_a_changed_or_broken_file_fails_as_a_whole(raw, message):
    with pytest.raises(UnparsableError, match=message):
        parse("aws_bulk", NAME, raw)


def test_fetch_keeps_the_lines_of_machines_with_accelerators_unchanged():
    raw = bulk({"GPU": ""}, {}, {"GPU": "NA"}).encode()
    download = next(aws_bulk.fetch(lambda url, *, expect, **_: raw))
    assert download.published_at == dt.datetime(2025, 9, 12, 22, 53, 8)
    assert download.raw.splitlines() == [line for n, line in enumerate(raw.splitlines()) if n not in (6, 8)]
    with pytest.raises(UnparsableError, match="lacks 'GPU'"):
        list(aws_bulk.fetch(lambda url, *, expect, **_: b"<html>\n" * 20))
    with pytest.raises(UnparsableError, match=r"broken CSV .*the file is cut off"):
        list(aws_bulk.fetch(lambda url, *, expect, **_: raw + b'"A","'))


@pytest.mark.slow
def test_a_large_file_is_read_line_by_line():
    head, row = bulk().encode(), bulk({}).encode().splitlines(keepends=True)[-1]
    document = Document(NAME, head + row * 20_000, DAY)
    tracemalloc.start()
    assert sum(1 for _ in aws_bulk.parse(document)) == 20_000
    assert tracemalloc.get_traced_memory()[1] < 2_000_000 < len(document.raw)
    tracemalloc.stop()
