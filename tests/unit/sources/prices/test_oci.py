"""Oracle: per GPU or per node, commitments by name, nothing that is no rental of a GPU."""

import json

import pytest

from sources import UnparsableError
from tests.unit.sources.prices.support import codes, normalized, parse, sample, stored, stored_text

NAME = "products.json"


def product(value=10, currency="USD", model="PAY_AS_YOU_GO", **fields):
    plain = {
        "partNumber": "B98415",
        "displayName": "OCI - Compute - GPU - H100",
        "metricName": "GPU Per Hour",
        "serviceCategory": "Compute - GPU",
        "currencyCodeLocalizations": [{"currencyCode": currency, "prices": [{"model": model, "value": value}]}],
    }
    return plain | fields


def listing(*items):
    return json.dumps({"items": items, "lastUpdated": "2026-10-01T14:18:05.193Z"})


def check(kept, refused):
    assert (len(kept), codes(refused)) == (19, {"PLACEHOLDER_PRICE": 1, "UNKNOWN_FORMAT": 1})
    rows = {row.offer_id: row for row in kept.values()}
    assert (rows["B98415"].amount, rows["B98415"].price_basis, rows["B98415"].billing) == (10, "per_gpu", "on_demand")
    assert rows["B95909"].raw_gpu_name == "Compute  - GPU - A10"
    monthly, yearly = rows["B108806"], rows["B108807"]
    assert (monthly.amount, monthly.price_basis, monthly.gpu_count, monthly.commitment_months) == (16, "per_node", None, 1)
    assert (yearly.amount, yearly.billing, yearly.commitment_months, yearly.tier) == (13, "reserved", 12, "VMware")
    assert all(row.amount > 1 for row in kept.values())


def test_the_committed_list():
    check(*stored("oci"))


def test_the_sample_list():
    check(*parse("oci", NAME, sample("oci/products.json")))


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        (product(serviceCategory="Compute - Virtual Machine", displayName="Compute - Standard - E5"), "NOT_A_GPU"),
        (product(displayName="Compute Cloud@Customer - GPU.L40S"), "PLACEHOLDER_PRICE"),
        (product(metricName="Resource Possession Per Day"), "UNKNOWN_FORMAT"),
        (product(currency="EUR"), "EMPTY"),
        (product(model="MONTHLY_FLEX"), "UNKNOWN_FORMAT"),
    ],
)
def test_other_rows_are_rejected_with_their_reason(changed, code):
    kept, refused = parse("oci", NAME, listing(product(), changed))
    assert (list(kept), codes(refused)) == (["item 0, PAY_AS_YOU_GO"], {code: 1})


def test_a_price_of_zero_is_rejected():
    kept, refused = normalized("oci", NAME, listing(product(), product(0)))
    assert (kept, refused) == ({"item 0, PAY_AS_YOU_GO": 10}, {"item 1, PAY_AS_YOU_GO": "ZERO_PRICE"})


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (listing(), "not one item"),
        (listing(product()).replace("metricName", "metric"), "no field 'metricName'"),
        (listing(product()).replace('"value"', '"amount"'), "no field 'value'"),
        (listing(product("10^1")), "not a number"),
        ('{"error": "maintenance"}', "no field 'items'"),
        ("<html>Sign in</html>", "broken JSON"),
        (stored_text("oci", NAME)[:2000], "broken JSON"),
    ],
)
def test_a_changed_or_broken_list_fails_as_a_whole(raw, message):
    with pytest.raises(UnparsableError, match=message):
        parse("oci", NAME, raw)
