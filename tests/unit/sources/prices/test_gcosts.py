"""gcosts: machines by region, four terms each."""

import pytest

from sources import UnparsableError
from tests.unit.sources.prices.support import parse, sample, stored_text

SOURCE = "gcosts"


def test_the_upstream_form():
    kept, refused = parse(SOURCE, "pricing.yml", stored_text(SOURCE, "pricing.yml"))
    assert (len(kept), len(refused)) == (12, 0)
    row = kept["offer 1, month_3y"]
    assert (row.region, row.billing, row.commitment_months, row.price_unit) == ("asia-east1", "reserved", 36, "month")
    assert row.amount == 968.40125307


def test_the_sample_reads_the_same():
    kept, refused = parse(SOURCE, "pricing.yml", sample("gcp/gcosts_pricing_yml_excerpt.yml"))
    assert (len(kept), len(refused)) == (12, 0)


def test_a_machine_without_a_price_is_rejected_and_zero_is_no_price():
    text = stored_text(SOURCE, "pricing.yml").replace("hour_spot: 0.7563096", "hour_spot: 0")
    kept, refused = parse(SOURCE, "pricing.yml", text)
    assert (len(kept), len(refused)) == (11, 0)
    none = "compute: {instance: {a2-highgpu-1g: {a100: 1, cost: {asia-east1: {hour: 0}}}}}"
    kept, refused = parse(SOURCE, "pricing.yml", none)
    assert [item.reason_code for item in refused.values()] == ["ZERO_PRICE"]


@pytest.mark.parametrize("text", ["<html>moved</html>", "compute: {storage: {}}", "compute: [", ""])
def test_another_form_is_refused(text):
    with pytest.raises(UnparsableError, match="layout has changed"):
        parse(SOURCE, "pricing.yml", text)
