"""Google's SKUs: units and nanos, GPUs apart from their host, spot told by the description where the usage type is silent."""

import datetime as dt
import json

import pytest

from pipeline.errors import BuildError
from sources import UnparsableError
from sources.prices import gcp_skus
from tests.unit.sources.prices.support import codes, normalized, parse, sample, stored, stored_text

NAME = "skus.json"


def sku(description="Nvidia L4 GPU running in Iowa", units="0", nanos=560040239, usage="OnDemand", group="GPU", **fields):
    rate = {"startUsageAmount": 0, "unitPrice": {"currencyCode": "USD", "units": units, "nanos": nanos}}
    plain = {
        "description": description,
        "category": {"resourceFamily": "Compute", "resourceGroup": group, "usageType": usage},
        "serviceRegions": ["us-central1"],
        "pricingInfo": [{"pricingExpression": {"usageUnit": "h", "tieredRates": [rate]}}],
    }
    return plain | fields


def page(*skus, after=""):
    return json.dumps({"skus": skus, "nextPageToken": after})


def test_the_committed_skus():
    kept, refused = stored("gcp_skus")
    assert refused == {}
    assert [(row.raw_gpu_name, row.billing, row.amount, row.region) for row in kept.values()] == [
        ("Nvidia Tesla T4", "on_demand", 0.35, "us-central1"),
        ("Nvidia Tesla V100", "on_demand", 2.48, "us-central1"),
        ("Nvidia L4", "on_demand", 0.560040239, "us-central1"),
        ("Nvidia B200", "on_demand", 16.11, None),
        ("Nvidia B200", "spot", 4.9542, None),
    ]
    assert {(row.price_basis, row.includes_host) for row in kept.values()} == {("per_gpu", False)}


def test_the_sample_sku():
    kept, _ = parse("gcp_skus", NAME, page(json.loads(sample("gcp/gpu_sku_shape.json"))))
    row = kept["item 0, us-central1"]
    assert (row.raw_gpu_name, row.amount, row.offer_id) == ("Nvidia H100 80GB", 12.5, "sku-h100")


@pytest.mark.parametrize(
    ("changed", "gpu", "billing", "months"),
    [
        (sku("Commitment v1: Nvidia L4 GPU running in Iowa for 1 Year", usage="Commit1Yr"), "Nvidia L4", "reserved", 12),
        (sku("Commitment v1: Nvidia L4 GPU running in Iowa for 3 Years", usage="Commit3Yr"), "Nvidia L4", "reserved", 36),
        (sku("Nvidia L4 GPU attached to Spot Preemptible VMs running in Iowa", usage="Preemptible"), "Nvidia L4", "spot", None),
        (sku("Nvidia H100 Mega 80GB GPU attached to DWS Defined Duration VMs"), "Nvidia H100 Mega 80GB", "reserved", None),
    ],
)
def test_terms(changed, gpu, billing, months):
    (row,) = parse("gcp_skus", NAME, page(changed))[0].values()
    assert (row.raw_gpu_name, row.billing, row.commitment_months) == (gpu, billing, months)


def test_one_price_per_region():
    kept, _ = parse("gcp_skus", NAME, page(sku(serviceRegions=["us-central1", "us-east1"]), sku(serviceRegions=["global"])))
    assert [(locator, row.scope) for locator, row in kept.items()] == [
        ("item 0, us-central1", "region"),
        ("item 0, us-east1", "region"),
        ("item 1, global", "global"),
    ]


def test_an_announced_figure_is_not_in_force():
    now = sku(nanos=1)["pricingInfo"][0] | {"effectiveTime": "2026-09-01T00:00:00Z"}
    later = sku(nanos=2)["pricingInfo"][0] | {"effectiveTime": "2027-01-01T00:00:00Z"}
    kept, refused = parse("gcp_skus", NAME, page(sku(pricingInfo=[now, later]), sku(pricingInfo=[later])))
    assert [(row.amount, row.effective_from) for row in kept.values()] == [(1e-9, dt.date(2026, 9, 1))]
    assert codes(refused) == {"RANGE": 1}


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        (sku("A2 Instance Core running in Iowa", group="CPU"), "HOST_ONLY"),
        (sku("A3 Instance Ram running in Iowa", group="RAM"), "HOST_ONLY"),
        (sku("N1 Predefined Instance Core running in Iowa", group="N1Standard"), "NOT_A_GPU"),
        (sku(usage="Commit5Yr"), "UNKNOWN_FORMAT"),
    ],
)
def test_other_skus_are_rejected_with_their_reason(changed, code):
    assert codes(parse("gcp_skus", NAME, page(sku(), changed))[1]) == {code: 1}


def test_a_price_of_zero_is_rejected():
    kept, refused = normalized("gcp_skus", NAME, page(sku(), sku(units="0", nanos=0)))
    assert (list(kept), refused) == (["item 0, us-central1"], {"item 1, us-central1": "ZERO_PRICE"})


def test_a_sku_named_twice_counts_once():
    assert codes(parse("gcp_skus", NAME, page(sku(skuId="A"), sku(skuId="A")))[1]) == {"DUPLICATE": 1}


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (page(), "not one item"),
        (page(sku(), after="more"), "goes on at nextPageToken"),
        (page(sku()).replace("unitPrice", "price"), "no field 'unitPrice'"),
        (page(sku(units="4^1")), "not a number"),
        ('{"error": {"code": 403}}', "no field 'skus'"),
        ("<html>Sign in</html>", "broken JSON"),
        (stored_text("gcp_skus", NAME)[:700], "broken JSON"),
    ],
)
def test_a_changed_or_broken_page_fails_as_a_whole(raw, message):
    with pytest.raises(UnparsableError, match=message):
        parse("gcp_skus", NAME, raw)


def test_fetch_needs_a_key_and_joins_all_pages(monkeypatch):
    monkeypatch.delenv("GCP_API_KEY", raising=False)
    with pytest.raises(BuildError, match="set GCP_API_KEY"):
        list(gcp_skus.fetch(lambda url, **_: b""))
    monkeypatch.setenv("GCP_API_KEY", "secret")
    answers = [page(sku(), after="two"), page(sku(units="1"))]
    asked = []

    def get(url, *, expect, params, headers):
        asked.append((params.get("pageToken"), headers))
        return answers.pop(0).encode()

    (download,) = gcp_skus.fetch(get)
    assert len(json.loads(download.raw)["skus"]) == 2
    assert asked == [(None, {"X-Goog-Api-Key": "secret"}), ("two", {"X-Goog-Api-Key": "secret"})]
    assert "secret" not in download.url
    with pytest.raises(UnparsableError, match="do not end"):
        list(gcp_skus.fetch(lambda url, **_: page(sku(), after="same").encode()))
