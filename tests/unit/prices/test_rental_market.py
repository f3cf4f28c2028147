"""Rental market and cheapest offers by hand: what counts, ties, one provider, no provider, several terms and lots."""

import datetime as dt

import duckdb
import pytest

from pipeline.schema import RECORDS
from pipeline.warehouse import load, sql_models
from tests.unit.prices.price_rows import CARD, history, offer, rows

OTHER = "nvidia-l40s-48gb"
MARKET = "n_offers, n_providers, usd_per_gpu_hour_low, usd_per_gpu_hour_median, low_provider"
LEFT_OUT = [
    {"stale": True},
    {"partition": "fraction"},
    {"partition": "mig"},
    {"os": "windows"},
    {"price_basis": "host_only"},
    {"qualifier": "from"},
    {"flags": "SPOT_NOT_BELOW_ON_DEMAND"},
    {"flags": "JUMP"},
    {"gpu_id": None},
    {"kind": "purchase_new", "usd_per_gpu_hour": None, "usd_per_gpu": 1.0, "billing": None},
]


def market(con: duckdb.DuckDBPyConnection, *prices):
    """Load the prices, seen today, and compute the tables from offers to the market."""
    history(con, *prices)
    con.execute(load.ddl(RECORDS["gpu"].__table__).replace(" NOT NULL", ""))
    for gpu_id in (CARD, OTHER):
        con.execute("INSERT INTO gpu (gpu_id, name, vendor, memory_gb) VALUES (?, ?, 'NVIDIA', 80)", [gpu_id, gpu_id.upper()])
    metrics = sql_models.metrics()
    for name in ("offer_current", "rental_market", "offer_listing", "rental_listing"):
        con.execute(f"CREATE OR REPLACE TABLE {name} AS {metrics[name].file.body}")
    return con


def today(key, usd, **terms):
    return offer(key, usd, 20, **terms)


def row(con, columns=MARKET, *, billing="on_demand", commitment="any", gpus="any", gpu_id=CARD):
    sql = f"SELECT {columns} FROM rental_market WHERE (gpu_id, billing, commitment, gpus) = (?, ?, ?, ?)"
    return con.execute(sql, [gpu_id, billing, commitment, gpus]).fetchone()


def test_a_provider_counts_once_in_the_median(price_tables):
    market(
        price_tables,
        today("a1", 1.0, provider="A"),
        today("a2", 1.5, provider="A"),
        today("a3", 9.0, provider="a"),
        today("b", 2.0, provider="B"),
    )
    assert row(price_tables) == (4, 2, 1.0, 1.5, "A")


def test_one_provider_is_its_own_median(price_tables):
    market(price_tables, today("a", 3.0, provider="A"))
    assert row(price_tables) == (1, 1, 3.0, 3.0, "A")


def test_without_an_offer_there_is_no_row(price_tables):
    market(price_tables)
    assert rows(price_tables, "FROM rental_market") == []
    assert rows(price_tables, "FROM rental_listing") == []


@pytest.mark.parametrize("terms", LEFT_OUT, ids=str)
def test_what_does_not_count(price_tables, terms):
    market(price_tables, today("a", 2.0, provider="A"), today("b", 1.0, **({"provider": "B"} | terms)))
    assert row(price_tables) == (1, 1, 2.0, 2.0, "A")


def test_only_left_out_offers_make_no_market(price_tables):
    market(price_tables, *(today(f"b{n}", 1.0, **terms) for n, terms in enumerate(LEFT_OUT)))
    assert rows(price_tables, "FROM rental_market") == []


def test_an_unknown_system_counts(price_tables):
    market(price_tables, today("a", 2.0, os=None))
    assert row(price_tables)[0] == 1


@pytest.mark.parametrize(
    ("first", "second", "cheapest"),
    [
        ({"provider": "A", "lot": 1}, {"provider": "B", "lot": 1}, "A"),
        ({"provider": "A", "lot": None}, {"provider": "B", "lot": 8}, "B"),
        ({"provider": "A", "lot": 8}, {"provider": "B", "lot": 1}, "B"),
    ],
)
def test_ties_go_by_lot_then_provider(price_tables, first, second, cheapest):
    prices = [today(terms["provider"], 2.0, provider=terms["provider"], gpu_count=terms["lot"]) for terms in (second, first)]
    market(price_tables, *prices)
    assert row(price_tables, "low_provider") == (cheapest,)


def test_of_equal_prices_the_newest_is_the_cheapest(price_tables):
    market(price_tables, offer("a", 2.0, 19, provider="A"), today("b", 2.0, provider="B"))
    assert row(price_tables, "low_provider, low_price_date, price_date_first") == (
        "B",
        dt.date(2026, 8, 20),
        dt.date(2026, 8, 19),
    )


def test_billings_terms_and_gpus_are_apart(price_tables):
    market(
        price_tables,
        today("demand", 3.0, provider="A"),
        today("spot", 1.0, provider="A", billing="spot"),
        today("year", 2.0, provider="A", billing="reserved", commitment_months=12),
        today("years", 1.5, provider="B", billing="reserved", commitment_months=36),
        today("open", 1.8, provider="C", billing="reserved"),
        today("eight", 2.5, provider="D", gpu_count=8),
        today("other", 0.5, provider="A", gpu_id=OTHER),
    )
    assert row(price_tables) == (2, 2, 2.5, 2.75, "D")
    assert row(price_tables, gpus="single") == (1, 1, 3.0, 3.0, "A")
    assert row(price_tables, billing="spot")[2] == 1.0
    assert row(price_tables, billing="reserved") == (3, 3, 1.5, 1.8, "B")
    assert row(price_tables, billing="reserved", commitment="12 months") == (1, 1, 2.0, 2.0, "A")
    assert row(price_tables, billing="reserved", commitment="not stated") == (1, 1, 1.8, 1.8, "C")
    assert row(price_tables, gpu_id=OTHER)[2] == 0.5


def test_an_offer_of_two_sources_counts_once(price_tables):
    both = {"provider": "A", "region": "eu", "instance_type": "h100"}
    market(price_tables, today("one", 2.0, **both), today("two", 2.2, source_id="two", **both))
    assert row(price_tables) == (1, 1, 2.0, 2.0, "A")
    assert rows(price_tables, "SELECT state, counted, repeated, also_in FROM offer_listing ORDER BY offer_key") == [
        ("current", True, False, "two"),
        ("not counted", False, True, None),
    ]
    assert rows(price_tables, "SELECT n_offers, n_counted, also_in FROM rental_listing") == [(1, 1, "two")]


def test_regions_share_a_row_of_the_list(price_tables):
    regions = [today(f"a{n}", usd, region=region) for n, (usd, region) in enumerate([(2.0, "eu"), (3.0, "us"), (2.5, "ap")])]
    market(price_tables, *regions, today("from", 0.5, qualifier="from", region="mars"))
    assert rows(price_tables, "SELECT usd_per_gpu_hour_low, usd_per_gpu_hour_high, n_offers, n_counted FROM rental_listing") == [
        (0.5, 3.0, 4, 3)
    ]


def test_every_offer_of_a_gpu_has_its_own_rank(price_tables):
    market(price_tables, *(today(f"{n}", 2.0, provider="A", region=f"r{n}") for n in range(5)), today("x", 1.0, provider="B"))
    assert rows(price_tables, "SELECT price_rank FROM offer_current ORDER BY 1") == [(n,) for n in range(1, 7)]
    assert rows(price_tables, "SELECT provider FROM offer_current WHERE price_rank = 1") == [("B",)]
