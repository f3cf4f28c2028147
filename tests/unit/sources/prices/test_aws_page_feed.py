"""The calculator feed of AWS: rows are named by their field Instance Type, packed bodies are read."""

import datetime as dt
import gzip
import json

import pytest

from sources import UnparsableError
from sources.prices import aws_page_feed
from tests.unit.sources.prices.support import codes, normalized, parse, sample, stored, stored_text

NAME = "us-east-1.json"
P5 = "p5 48xlarge US East N. Virginia Linux"


def feed(**changes):
    """The committed feed with fields of its p5.48xlarge changed."""
    found = json.loads(stored_text("aws_page_feed", NAME))
    found["regions"]["US East (N. Virginia)"][P5] |= changes
    return json.dumps(found)


def check(kept):
    prices = {row.raw_gpu_name: row for row in kept.values()}
    p5 = prices["p5.48xlarge"]
    assert (p5.amount, p5.price_raw, p5.price_basis, p5.gpu_count) == (55.04, "55.0400000000", "per_instance", None)
    assert (p5.vcpus, p5.os, p5.region) == (192, "linux", "US East (N. Virginia)")
    assert p5.host_memory_gb == pytest.approx(2048 * 1.073741824)
    assert (prices["p6-b300.48xlarge"].amount, prices["g6e.xlarge"].amount) == (142.416, 1.861)


def test_the_committed_feed():
    kept, refused = stored("aws_page_feed")
    assert (len(kept), codes(refused)) == (10, {})
    assert {row.observed_at for row in kept.values()} == {dt.date(2026, 9, 10)}
    check(kept)


def test_the_sample_feed():
    kept, refused = parse("aws_page_feed", NAME, sample("aws/ec2_calculator_feed_us_east_1.json"))
    assert (len(kept), codes(refused)) == (10, {})
    check(kept)


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"Instance Family": "General purpose", "Instance Type": "m7i.large"}, "NOT_A_GPU"),
        ({"Operating System": "RHEL"}, "DUPLICATE"),
        ({"Pre Installed S/W": "SQL Std"}, "DUPLICATE"),
    ],
)
def test_other_rows_are_rejected_with_their_reason(changes, code):
    kept, refused = parse("aws_page_feed", NAME, feed(**changes))
    assert (len(kept), codes(refused)) == (9, {code: 1})


def test_a_price_of_zero_is_rejected():
    zero = feed(price="0.0000000000")
    (place,) = (place for place, row in parse("aws_page_feed", NAME, zero)[0].items() if not row.amount)
    kept, refused = normalized("aws_page_feed", NAME, zero)
    assert (place in kept, refused[place]) == (False, "ZERO_PRICE")


def test_windows_is_kept_as_windows():
    kept, _ = parse("aws_page_feed", NAME, feed(**{"Operating System": "Windows"}))
    assert [row.raw_gpu_name for row in kept.values() if row.os == "windows"] == ["p5.48xlarge"]


def test_a_packed_body_is_read_and_fetched_with_its_day():
    packed = gzip.compress(feed().encode())
    check(parse("aws_page_feed", NAME, packed)[0])
    first = next(aws_page_feed.fetch(lambda url, *, expect, **_: packed))
    assert first.published_at == dt.datetime(2026, 9, 10, 19, 55, 14)
    assert first.url.endswith("/US%20East%20%28N.%20Virginia%29/Linux/index.json")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (feed(price="55.04^1"), "'55.04\\^1' is not a number"),
        (feed().replace('"price"', '"Price"'), "no field 'price'"),
        (feed().replace('"Instance Type"', '"Type"'), "no field 'Instance Type'"),
        ('{"regions": {}}', "not one item"),
        ('{"regions": {"US East (N. Virginia)": []}}', "holds no machines"),
        ('{"message": "Forbidden"}', "no field 'regions'"),
        ("<html>Access Denied</html>", "broken JSON"),
        (feed()[:3000], "broken JSON"),
        (gzip.compress(feed().encode())[:300], "broken gzip"),
    ],
)
def test_a_changed_or_broken_feed_fails_as_a_whole(raw, message):
    with pytest.raises(UnparsableError, match=message):
        parse("aws_page_feed", NAME, raw)
