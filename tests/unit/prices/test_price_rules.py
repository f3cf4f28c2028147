"""The SQL files of price normalization by given rows: conversion to USD, reject rules, and what tables depend on."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

import duckdb
import pytest

from pipeline.prices import normalize
from pipeline.prices.queries import query, table_query, tables_read
from pipeline.warehouse import connection, sql_models
from tests.unit.prices.price_rows import AS_OF as DAY
from tests.unit.prices.price_rows import add, august, create_parsed, normalized_price

LABEL = {"raw_gpu_name": "L40", "gpu_context": "", "scope": "one", "gpu_id": "nvidia-l40-48gb"}
RELEASED = august(1)
OPEN_VARIANT = {"gpu_id": None, "gpu_model_id": "nvidia-h100", "unstated": "memory", "candidates": "a,b", "reason": "?"}
PURCHASE = {"kind": "purchase_new", "price_unit": "unit", "billing": None}


@pytest.fixture(scope="module")
def rules() -> Iterator[duckdb.DuckDBPyConnection]:
    """A database with constants and empty inputs."""
    with connection.connect_in_memory() as con:
        con.execute(query("constants"))
        for name in normalize.CALLED:
            con.execute(sql_models.macros()[name].ddl())
        con.execute("CREATE TABLE provider_alias AS SELECT 'acme inc' AS alias, 'acme' AS provider")
        for table, names in normalize.REFERENCES.items():
            con.execute(f"CREATE TABLE {table}({names})")
        con.execute(f"CREATE TABLE gpu_release AS SELECT '{LABEL['gpu_id']}' AS gpu_id, DATE '{RELEASED}' AS released_on")
        for view in ("usd_rate", "machine", "provider_host", "marketplace", "retired_machine"):
            con.execute(f"CREATE VIEW {view} AS {query(view)}")
        create_parsed(con)
        yield con


@pytest.fixture
def con(rules: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
    """That database, to which a test may add what it likes: nothing of it stays."""
    rules.begin()
    yield rules
    rules.rollback()


@pytest.mark.parametrize(
    ("terms", "usd_per_gpu_hour", "hours"),
    [
        ({}, 2.0, 1),
        ({"price_basis": "per_instance"}, 1.0, 1),
        ({"price_basis": "per_instance", "partition": "fraction", "gpu_fraction": 0.5}, 4.0, 1),
        ({"price_unit": "month", "amount": 730.0}, 1.0, 730),
        ({"price_unit": "second", "amount": 0.001}, 3.6, 1 / 3600),
        ({"price_unit": "term_total", "amount": 17520.0, "commitment_months": 24}, 1.0, 17520),
        ({"price_basis": "host_only"}, None, 1),
    ],
)
def test_a_rental_is_priced_per_gpu_and_hour(
    con: duckdb.DuckDBPyConnection, terms: dict[str, Any], usd_per_gpu_hour: float | None, hours: float
) -> None:
    row = normalized_price(con, **terms)
    assert row["usd_per_gpu_hour"] == pytest.approx(usd_per_gpu_hour)
    assert row["hours_divisor"] == pytest.approx(hours)
    assert row["usd_per_gpu"] is None


@pytest.mark.parametrize(("raw", "provider"), [("Acme Inc", "acme"), ("ACME", "acme"), (" Other Cloud ", "other cloud")])
def test_a_provider_has_one_name_in_small_letters(con: duckdb.DuckDBPyConnection, raw: str, provider: str) -> None:
    row = normalized_price(con, provider=raw)
    assert (row["provider"], row["raw_provider"]) == (provider, raw)


def test_a_purchase_is_priced_per_gpu(con: duckdb.DuckDBPyConnection) -> None:
    row = normalized_price(con, **PURCHASE, amount=3000.0, price_basis="per_instance")
    assert (row["usd_per_gpu"], row["usd_per_gpu_hour"], row["hours_divisor"]) == (1500.0, None, None)


@pytest.mark.parametrize(
    ("kind", "unverified", "terms", "billing"),
    [
        ("marketplace", False, {}, "marketplace"),
        ("marketplace (consumer PCs)", False, {"provider": "Acme Inc"}, "marketplace"),
        ("marketplace", False, {"billing": "spot"}, "spot"),
        ("marketplace", False, PURCHASE, None),
        ("marketplace", False, {"provider": "other"}, "on_demand"),
        ("marketplace", True, {}, "on_demand"),
        ("GPU cloud and marketplace", False, {}, "on_demand"),
        ("aggregator", False, {}, "on_demand"),
    ],
)
def test_a_marketplace_has_no_price_on_demand(
    con: duckdb.DuckDBPyConnection, kind: str, unverified: bool, terms: dict[str, Any], billing: str | None
) -> None:
    add(con, "provider_fact", raw_provider="ACME INC", attribute="kind", value=kind, unverified=unverified)
    row = normalized_price(con, **({"provider": "acme", "billing": "on_demand"} | terms))
    assert row["billing"] == billing


@pytest.mark.parametrize(("age_days", "rate"), [(0, 0.125), (7, 0.125), (8, None), (-1, None)])
def test_a_rate_applies_to_its_date_and_seven_days(con: duckdb.DuckDBPyConnection, age_days: int, rate: float | None) -> None:
    rate_date = DAY - dt.timedelta(days=age_days)
    add(con, "exchange_rate", date=rate_date, currency="USD", units_per_eur=1.25)
    add(con, "exchange_rate", date=rate_date, currency="CNY", units_per_eur=10.0)
    row = normalized_price(con, currency="CNY", amount=16.0)
    assert (row["fx_rate"], row["fx_date"]) == (rate, rate_date if rate else None)
    assert row["usd_per_gpu_hour"] == (2.0 if rate else None)


def test_the_newest_rate_applies(con: duckdb.DuckDBPyConnection) -> None:
    for day, usd in ((19, 1.5), (18, 1.25)):
        add(con, "exchange_rate", date=dt.date(2026, 8, day), currency="USD", units_per_eur=usd)
    assert normalized_price(con, currency="EUR")["fx_rate"] == 1.5


@pytest.mark.parametrize(
    ("changes", "label", "code"),
    [
        ({}, {}, None),
        ({"amount": 0.0}, {}, "ZERO_PRICE"),
        ({}, {"gpu_id": None, "reason_code": "UNKNOWN_GPU", "reason": "?"}, "UNKNOWN_GPU"),
        ({}, {"gpu_id": None, "reason_code": "AMBIGUOUS_GPU", "reason": "?"}, "AMBIGUOUS_GPU"),
        ({}, OPEN_VARIANT, None),
        ({"amount": 0.0}, OPEN_VARIANT, "ZERO_PRICE"),
        ({}, {"gpu_id": None, "reason_code": "NOT_A_GPU", "reason": "?"}, "NOT_A_GPU"),
        ({"amount": 0.0}, {"gpu_id": None, "reason_code": "UNKNOWN_GPU", "reason": "?"}, "ZERO_PRICE"),
        ({"gpu_count": None, "price_basis": "per_instance"}, {}, "UNKNOWN_COUNT"),
        ({"gpu_count": None, "price_basis": "per_instance"}, {"gpu_count": 4}, None),
        ({"gpu_count": None}, {}, None),
        ({"amount": 0.02}, {}, None),
        ({"amount": 0.0199}, {}, "RANGE"),
        ({"amount": 200.0}, {}, None),
        ({"amount": 200.1}, {}, "RANGE"),
        (PURCHASE | {"amount": 9.99}, {}, "RANGE"),
        (PURCHASE | {"amount": 500_001.0}, {}, "RANGE"),
        (PURCHASE | {"amount": 10.0}, {}, None),
        (PURCHASE | {"amount": 3000.0, "observed_at": RELEASED - dt.timedelta(1)}, {}, "PLACEHOLDER_PRICE"),
        (PURCHASE | {"amount": 3000.0, "observed_at": RELEASED}, {}, None),
        (PURCHASE | {"amount": 3000.0, "observed_at": RELEASED - dt.timedelta(1), "kind": "msrp"}, {}, None),
    ],
)
def test_a_price_is_rejected_by_the_first_rule_that_it_breaks(
    con: duckdb.DuckDBPyConnection, changes: dict[str, Any], label: dict[str, Any], code: str | None
) -> None:
    add(con, "label", **(LABEL | label))
    row = normalized_price(con, **changes)
    assert row["code"] == code
    assert bool(row["reason"]) is bool(code)
    assert [row[name] for name in ("gpu_id", "candidates")] == [(LABEL | label).get(name) for name in ("gpu_id", "candidates")]


@pytest.mark.parametrize(("changes", "code"), [({}, "DUPLICATE"), ({"region": "east"}, None), ({"amount": 3.0}, None)])
def test_of_equal_offers_the_first_is_accepted(con: duckdb.DuckDBPyConnection, changes: dict[str, Any], code: str | None) -> None:
    """Line 10 of a file is after its line 2, though not in the order of texts."""
    normalized_price(con)
    assert normalized_price(con, **changes, _locator="line 10")["code"] == code
    assert con.execute("SELECT code FROM normalized WHERE _row = 0").fetchall() == [(None,)]


@pytest.mark.parametrize(
    ("changes", "code"),
    [({}, "OVERLAP"), ({"effective_from": august(11)}, None), ({"region": "east"}, None), ({"billing": "spot"}, None)],
)
def test_two_prices_of_an_offer_never_hold_on_the_same_day(
    con: duckdb.DuckDBPyConnection, changes: dict[str, Any], code: str | None
) -> None:
    normalized_price(con, effective_from=august(1), effective_to=august(10), observed_at=august(10))
    later = {"effective_from": august(10), "effective_to": august(20), "observed_at": august(20), "amount": 3.0}
    assert normalized_price(con, **(later | changes), _locator="line 3")["code"] == code
    assert con.execute("SELECT code FROM normalized WHERE _row = 0").fetchall() == [(None,)]


def test_a_price_of_zero_hides_no_other_price_of_the_offer(con: duckdb.DuckDBPyConnection) -> None:
    normalized_price(con, amount=0.0, effective_from=august(1), effective_to=august(10), observed_at=august(10))
    later = {"effective_from": august(10), "effective_to": august(20), "observed_at": august(20)}
    assert normalized_price(con, **later, _locator="line 3")["code"] is None


def test_a_provider_has_one_name(con: duckdb.DuckDBPyConnection) -> None:
    row = normalized_price(con, provider=" Acme Inc ")
    assert (row["provider"], row["raw_provider"]) == ("acme", " Acme Inc ")


def test_a_row_is_rejected_when_all_its_prices_are(con: duckdb.DuckDBPyConnection) -> None:
    for locator, amount in (("line 2, on_demand", 0.0), ("line 2, spot", 1.0), ("line 3, spot", 0.0)):
        normalized_price(con, _locator=locator, amount=amount)
    assert con.execute(query("rejected_rows")).fetchall() == [(1,)]
    rejects = con.execute(query("rejected_price"))
    assert [row[1] for row in rejects.fetchall()] == ["line 2, on_demand", "line 3, spot"]
    ((accepted,),) = con.execute(f"SELECT _locator FROM ({normalize.ACCEPTED})").fetchall()
    assert accepted == "line 2, spot"


def test_a_label_that_no_rule_decides_has_none(con: duckdb.DuckDBPyConnection) -> None:
    add(con, "label", **(LABEL | {"rule": ""}))
    assert con.execute(f"SELECT rule FROM ({query('snapshot_label')})").fetchall() == [(None,)]


def test_a_table_depends_on_what_its_sql_reads() -> None:
    assert tables_read("price") == {"release", "snapshot", "source"}
    assert tables_read("exchange_rate") == tables_read("gpu") == set()


def test_a_table_without_a_query_is_loaded_as_parsed() -> None:
    assert table_query("gpu") == "FROM parsed_gpu"
    assert "QUALIFY" in table_query("exchange_rate")


@pytest.mark.parametrize(
    ("provider", "machine", "first", "last", "code"),
    [
        ("azure", "Standard_NC6_Promo", dt.date(2023, 10, 27), dt.date(2026, 6, 18), "RETIRED"),
        ("azure", "NC12s v2", None, dt.date(2025, 3, 7), "RETIRED"),
        ("azure", "Standard_NV24", dt.date(2022, 10, 27), dt.date(2023, 9, 6), None),
        ("azure", "Standard_NC6s_v3", dt.date(2023, 10, 27), dt.date(2026, 6, 18), None),
        ("azure", "Standard_NC6s_v3", dt.date(2025, 10, 1), dt.date(2026, 6, 18), "RETIRED"),
        ("azure", "Standard_NC24rs_v3", dt.date(2025, 5, 16), dt.date(2026, 6, 18), "RETIRED"),
        ("azure", "Standard_NC6s_v4", dt.date(2025, 10, 1), dt.date(2026, 6, 18), None),
        ("aws", "g3s.xlarge", dt.date(2026, 7, 20), dt.date(2026, 7, 20), "RETIRED"),
        ("aws", "g3.16xlarge", dt.date(2024, 7, 20), dt.date(2025, 7, 20), None),
        ("aws", "p3.2xlarge", dt.date(2026, 7, 20), dt.date(2026, 7, 20), "RETIRED"),
        ("aws", "p3dn.24xlarge", dt.date(2026, 7, 20), dt.date(2026, 7, 20), None),
    ],
)
def test_a_machine_has_no_new_price_after_its_provider_retired_it(
    con: duckdb.DuckDBPyConnection, provider: str, machine: str, first: dt.date | None, last: dt.date, code: str | None
) -> None:
    add(con, "label", **LABEL)
    days = {"effective_from": first, "effective_to": first and last, "observed_at": last}
    row = normalized_price(con, provider=provider, instance_type=machine, **days)
    assert (row["code"], row["observed_at"]) == (code, last)
    assert normalized_price(con, provider="gcp", instance_type=machine, **days)["code"] is None


def test_a_price_ends_on_the_last_reading_before_the_retirement(con: duckdb.DuckDBPyConnection) -> None:
    add(con, "label", **LABEL)
    read = [dt.date(2023, 10, 27), dt.date(2025, 6, 3), dt.date(2025, 10, 8), dt.date(2026, 6, 18)]
    other = {"_snapshot_id": "a", "effective_from": read[1], "effective_to": read[2], "observed_at": read[2]}
    normalized_price(con, provider="azure", instance_type="Standard_NC6s_v4", **other)
    days = {"_snapshot_id": "a", "effective_from": read[0], "effective_to": read[3], "observed_at": read[3], "days_observed": 900}
    row = normalized_price(con, provider="azure", instance_type="Standard_NC6s_v3", **days)
    assert (row["code"], row["effective_to"], row["observed_at"]) == (None, read[1], read[1])
    assert row["days_observed"] == 2
    assert normalized_price(con, provider="aws", instance_type="Standard_NC6s_v3", **days)["effective_to"] == read[3]
