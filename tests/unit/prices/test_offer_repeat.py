"""An offer that several sources list counts once."""

import pytest

from tests.unit.prices.price_rows import history, offer, rows

PAIRS = "SELECT offer_key, repeats FROM offer_repeat ORDER BY ALL"
COUNTED = "SELECT n_offers, n_providers, usd_median FROM price_daily"


def test_the_same_offer_in_two_sources_counts_once(price_tables):
    con = history(price_tables, offer("a", 2.0, 20, source_id="two"), offer("b", 2.0, 20, provider="ACME"))
    assert rows(con, PAIRS) == [("a", "b")]
    assert rows(con, COUNTED) == [(1, 1, 2)]


def test_what_says_less_stands_back_for_what_says_more(price_tables):
    """A list without regions and machines beside the provider's own, which has two machines."""
    con = history(
        price_tables,
        offer("list", 2.5, 20, gpu_count=None),
        offer("small", 2.0, 20, source_id="own", region="east", instance_type="m.1"),
        offer("large", 3.0, 20, source_id="own", region="east", instance_type="m.8", gpu_count=8),
    )
    assert rows(con, PAIRS) == [("list", "large"), ("list", "small")]
    assert rows(con, COUNTED) == [(2, 1, 2.5)]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        ({"region": "east"}, {"region": "west"}),
        ({"gpu_count": 1}, {"gpu_count": 8}),
        ({"region": "east", "gpu_count": None}, {"region": None, "gpu_count": 8}),
        ({"billing": "spot"}, {}),
        ({"provider": "Other"}, {}),
        ({"instance_type": "m.1"}, {"instance_type": "m.2"}),
        ({"source_id": "two"}, {}),
        ({"tier": "community"}, {"tier": "secure"}),
    ],
)
def test_offers_that_differ_in_their_terms_each_count(price_tables, mine, theirs):
    con = history(price_tables, offer("a", 2.0, 20, **mine), offer("b", 2.0, 20, **{"source_id": "two"} | theirs))
    assert rows(con, PAIRS) == []
    assert rows(con, "SELECT sum(n_offers) FROM price_daily") == [(2,)]


def test_a_machine_is_the_same_however_its_name_is_parted(price_tables):
    names = {"a": "Standard_ND96 v5", "b": "standard.nd96.V5"}
    con = history(price_tables, *(offer(key, 2.0, 20, source_id=key, instance_type=name) for key, name in names.items()))
    assert rows(con, PAIRS) == [("b", "a")]


def test_an_offer_counts_on_the_days_on_which_nothing_else_stands_for_it(price_tables):
    con = history(price_tables, offer("list", 2.0, 10, 12, source_id="two"), offer("own", 2.0, 12))
    assert rows(con, "SELECT date, n_offers FROM price_daily ORDER BY date") == [
        (row[0], 1) for row in rows(con, "SELECT unnest(range(DATE '2026-08-10', DATE '2026-08-13', INTERVAL 1 DAY))::DATE")
    ]


def test_the_index_takes_an_offer_that_two_sources_list_once(price_tables):
    """a and b are one offer and double; c stays: the geometric mean of two ratios, not of three."""
    con = history(
        price_tables,
        *(offer(key, usd, day, source_id=key) for key in ("a", "b") for day, usd in ((1, 1.0), (2, 2.0))),
        *(offer("c", 4.0, day, provider="Other") for day in (1, 2)),
    )
    found = rows(con, "SELECT price_index, n_matched, n_offers FROM price_index ORDER BY date")
    assert found == [(1, 0, 2), (pytest.approx(2**0.5), 2, 2)]


def test_the_index_is_not_cut_where_a_fuller_list_begins(price_tables):
    con = history(
        price_tables, *(offer("list", 2.0, day, source_id="two") for day in (1, 2)), offer("own", 2.0, 2, region="east")
    )
    assert rows(con, "SELECT price_index, n_matched, n_offers FROM price_index ORDER BY date") == [(1, 0, 1), (1, 1, 1)]


def test_a_launch_price_of_several_sources_is_one_way_to_buy(con):
    several = """SELECT buy_gpu_id FROM break_even WHERE purchase_kind = 'msrp' AND NOT guide_case
        GROUP BY ALL HAVING count(DISTINCT purchase_id) > 1"""
    assert rows(con, several) == []
    stated = "SELECT gpu_id FROM price WHERE kind = 'msrp' GROUP BY gpu_id HAVING count(DISTINCT source_id) > 1"
    assert len(rows(con, stated)) > 15
    per_day = "SELECT 1 FROM price_daily WHERE kind = 'msrp' AND n_offers > 1"
    assert rows(con, per_day) == []
