"""AWS and Azure prices from the tables of Karpenter: their history, the tables themselves, and one offer in both."""

import datetime as dt

import pytest

from pipeline.gpu_identity import resolve
from pipeline.schema.prices import ObservedDay, Price
from sources import UnparsableError, discover
from tests.unit.sources.prices.support import FIXTURES, codes, parse, stored, stored_text

HISTORIES = {"karpenter-aws": "aws_gpu_2013_2026.csv", "karpenter-azure": "azure_gpu_2023_2026.csv"}
TABLES = {"karpenter-aws": "zz_generated.pricing_aws.go", "karpenter-azure": "zz_generated.pricing.go"}
OFFER = ("provider", "instance_type", "raw_gpu_name", "gpu_context", "region", "billing", "os", "price_basis", "includes_host")


def history(source_id):
    kept, refused = stored(source_id)
    prices = {locator: row for locator, row in kept.items() if isinstance(row, Price)}
    return [row for locator, row in prices.items() if locator.startswith(HISTORIES[source_id])], refused


def test_each_day_of_the_azure_table_holds_for_all_regions():
    days = {row.date for row in stored("karpenter-azure")[0].values() if isinstance(row, ObservedDay)}
    assert (len(days), min(days), max(days)) == (13, dt.date(2023, 10, 27), dt.date(2026, 6, 18))


def test_the_history_of_aws():
    rows, refused = history("karpenter-aws")
    assert (len(rows), refused) == (259, {})
    p5 = sorted(
        (row for row in rows if row.instance_type == "p5.48xlarge" and row.region == "us-east-1"), key=lambda r: r.observed_at
    )
    assert [(row.amount, row.effective_from, row.effective_to) for row in p5] == [
        (98.32, dt.date(2023, 7, 31), dt.date(2025, 4, 28)),
        (55.04, dt.date(2025, 6, 23), dt.date(2026, 7, 20)),
    ]
    assert {row.effective_from.year for row in rows if row.instance_type == "cg1.4xlarge"} == {2013}


def test_wrong_rows_of_azure_are_rejected():
    rows, refused = history("karpenter-azure")
    refused = {locator: item for locator, item in refused.items() if locator.startswith(HISTORIES["karpenter-azure"])}
    assert (len(rows), codes(refused)) == (1807, {"WINDOWS": 15, "UNKNOWN_COUNT": 59, "IMPLAUSIBLE": 2})
    assert {row.amount for row in rows if (row.instance_type, row.region) == ("Standard_NCC40ads_H100_v5", "eastus2")} == {6.98}


@pytest.mark.parametrize("source_id", HISTORIES)
def test_a_fetched_table_continues_the_offers_of_the_history(source_id):
    listed, _ = parse(source_id, TABLES[source_id], stored_text(source_id, TABLES[source_id]))
    newest = {(row.instance_type, row.region): row for row in sorted(history(source_id)[0], key=lambda row: row.observed_at)}
    assert len(listed) > 15
    for row in listed.values():
        before = newest[row.instance_type, row.region]
        assert [getattr(row, name) for name in OFFER] == [getattr(before, name) for name in OFFER]
        assert row.amount == before.amount
        meant = resolve(row.raw_gpu_name, row.gpu_context or "")
        assert not meant.gpu_id or before.gpu_count in (None, meant.gpu_count)


def test_only_accelerated_machines_are_read():
    kept, refused = parse("karpenter-aws", TABLES["karpenter-aws"], stored_text("karpenter-aws", TABLES["karpenter-aws"]))
    assert refused == {}
    assert not any(row.instance_type.startswith("c5") for row in kept.values())
    assert {row.amount for row in kept.values() if row.instance_type == "p5.48xlarge"} == {55.04}


def test_a_price_that_may_include_windows_is_rejected():
    _, refused = parse("karpenter-azure", TABLES["karpenter-azure"], stored_text("karpenter-azure", TABLES["karpenter-azure"]))
    assert codes(refused)["WINDOWS"] == 1


@pytest.mark.parametrize("source_id", HISTORIES)
def test_another_layout_is_refused(source_id):
    text = stored_text(source_id, TABLES[source_id])
    for broken in ("<html>404</html>", text.replace("// generated at", "// made at"), "// generated at 2026-07-20T13:44:30Z"):
        with pytest.raises(UnparsableError, match="layout has changed"):
            parse(source_id, TABLES[source_id], broken)


@pytest.mark.parametrize("source_id", HISTORIES)
def test_fetched_tables_are_dated_when_they_were_generated(source_id):
    raw = (FIXTURES / "raw" / source_id / TABLES[source_id]).read_bytes()
    downloads = list(discover()[source_id].fetch(lambda url, **_: raw))
    assert downloads[0].name == TABLES[source_id]
    assert {download.published_at.year for download in downloads} == {2026}
