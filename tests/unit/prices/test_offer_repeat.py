"""An offer that several sources list counts once."""

import pytest

from tests.unit.prices.price_rows import GPU, august, history, offer, rows

PAIRS = "SELECT offer_key, repeats FROM offer_repeat ORDER BY ALL"
COUNTED = "SELECT n_offers, n_providers, usd_min FROM price_daily WHERE gpu_id = 'any'"
INDEX = "SELECT price_index, n_matched, n_offers FROM price_index"


def test_the_same_offer_in_two_sources_counts_once(price_tables):
    con = history(price_tables, offer("a", 2.0, 20, source_id="two"), offer("b", 2.0, 20, provider="acme"))
    assert rows(con, PAIRS) == [("a", "b")]
    assert rows(con, COUNTED) == [(1, 1, 2)]


MSRP = {"kind": "msrp", "billing": None, "usd_per_gpu_hour": None, "price_unit": "unit"}


def launch(key, usd, day, **terms):
    return offer(key, usd, day, **MSRP | {"usd_per_gpu": usd} | terms)


@pytest.mark.parametrize("blog", [{"usd_per_gpu": 6800.0}, {"observed_at": august(25)}])
def test_of_launch_prices_the_one_of_the_specification_counts(price_tables, blog):
    """A blog says that its price is without a host, which a launch price never has; its source comes first in the alphabet."""
    price_tables.execute("INSERT INTO gpu (gpu_id, launch_msrp_usd, release_date) VALUES (?, 6799, ?)", [GPU, august(3)])
    con = history(
        price_tables, launch("blog", 6799.0, 3, includes_host=False, **blog), launch("list", 6799.0, 3, source_id="two")
    )
    assert rows(con, PAIRS) == [("blog", "list")]
    assert rows(con, "SELECT DISTINCT usd_min FROM price_daily") == [(6799.0,)]


def test_a_listing_that_states_less_counts_less(price_tables):
    """A cheaper list without regions and machines beside the provider's own, which has two machines."""
    con = history(
        price_tables,
        offer("list", 1.5, 20, gpu_count=None),
        offer("small", 2.0, 20, source_id="two", region="east", instance_type="m.1"),
        offer("large", 3.0, 20, source_id="two", region="east", instance_type="m.8", gpu_count=8),
    )
    assert rows(con, PAIRS) == [("list", "large"), ("list", "small")]
    assert rows(con, COUNTED) == [(2, 1, 2)]


def test_an_offer_without_a_variant_repeats_one_that_states_it(price_tables):
    con = history(price_tables, offer("open", 2.0, 20, gpu_id=None), offer("sxm", 2.2, 20, source_id="two"))
    assert rows(con, PAIRS) == [("open", "sxm")]
    assert rows(con, COUNTED) == [(1, 1, 2.2)]


@pytest.mark.parametrize(
    ("mine", "theirs", "n_offers"),
    [
        ({"region": "east"}, {"region": "west"}, 1),
        ({"gpu_count": 1}, {"gpu_count": 8}, 2),
        ({"region": "east", "gpu_count": None}, {"region": None, "gpu_count": 8}, 2),
        ({"billing": "spot"}, {}, 2),
        ({"provider": "Other"}, {}, 2),
        ({"instance_type": "m.1"}, {"instance_type": "m.2"}, 1),
        ({"source_id": "two"}, {}, 1),
        ({"tier": "community"}, {"tier": "secure"}, 1),
    ],
)
def test_listings_that_differ_in_their_terms_repeat_nothing(price_tables, mine, theirs, n_offers):
    """An offer joins the regions, machines and classes of a provider; another number of GPUs, billing or provider is another."""
    con = history(price_tables, offer("a", 2.0, 20, **mine), offer("b", 2.0, 20, **{"source_id": "two"} | theirs))
    assert rows(con, PAIRS) == []
    assert rows(con, "SELECT sum(n_offers) FROM price_daily WHERE gpu_id = 'any'") == [(n_offers,)]


def test_a_machine_is_the_same_however_its_name_is_parted(price_tables):
    names = {"a": "Standard_ND96 v5", "b": "standard.nd96.V5"}
    listed = zip(names.items(), ("one", "two"), strict=True)
    con = history(price_tables, *(offer(key, 2.0, 20, source_id=source, instance_type=name) for (key, name), source in listed))
    assert rows(con, PAIRS) == [("b", "a")]


def test_an_offer_counts_on_the_days_on_which_nothing_counts_in_its_place(price_tables):
    """A list has the offer from the 10th, the provider's own list from the 12th: from then on its price alone counts."""
    con = history(price_tables, offer("list", 2.0, 10, 12, source_id="two"), offer("own", 2.5, 12))
    assert rows(con, "SELECT date, n_offers, usd_min FROM price_daily WHERE gpu_id = 'any' ORDER BY date") == [
        (august(10), 1, 2),
        (august(11), 1, 2),
        (august(12), 1, 2.5),
    ]


@pytest.mark.parametrize(("seen_again", "price"), [(12, 2.5), (17, 2.5), (18, 2.2)])
def test_a_price_seen_more_than_a_week_later_is_the_newer_fact(price_tables, seen_again, price):
    """The provider's own list was read on the 10th and not since; another list shows the same offer at another price."""
    con = history(
        price_tables,
        offer("list", 2.2, seen_again, source_id="two", gpu_count=None, includes_host=True),
        offer("own", 2.5, 10, includes_host=True),
    )
    today = f"SELECT usd FROM _price_interval WHERE counts AND DATE '2026-08-{seen_again}' BETWEEN first_day AND last_day"
    assert rows(con, today) == [(price,)]
    assert rows(con, "SELECT listed_as FROM _offer_hidden") == [("list" if price == 2.2 else "own",)]


@pytest.mark.parametrize(("price", "listed", "seen_last"), [(2.5, "own", august(20)), (2.6, "open", None)])
def test_the_same_price_without_the_variant_says_less(price_tables, price, listed, seen_last):
    """It shows that the price is still asked: the date of the offer is that of the later list."""
    con = history(price_tables, offer("open", price, 20, source_id="two", gpu_id=None, gpu_count=None), offer("own", 2.5, 10))
    assert rows(con, "SELECT listed_as, seen_last FROM _offer_hidden") == [(listed, seen_last)]
    today = "SELECT offer_key FROM _price_interval WHERE counts AND DATE '2026-08-20' BETWEEN first_day AND last_day"
    assert rows(con, today) == [(listed,)]


def test_a_later_launch_price_replaces_none(price_tables):
    """Sources date a launch differently; the later date is no newer price."""
    launch = {"kind": "msrp", "billing": None, "provider": "NVIDIA"}
    later = offer("list", 2.2, 20, source_id="two", gpu_count=None, **launch)
    con = history(price_tables, later, offer("own", 2.5, 10, **launch))
    assert rows(con, "SELECT listed_as FROM _offer_hidden") == [("own",)]


def test_a_newer_price_of_several_machines_replaces_none_of_them(price_tables):
    con = history(
        price_tables,
        offer("list", 2.2, 20, source_id="two", gpu_count=None),
        offer("small", 2.5, 10),
        offer("large", 2.4, 10, gpu_count=8),
    )
    assert rows(con, "SELECT offer_key FROM _offer_hidden ORDER BY ALL") == [("list",), ("list",)]


def test_the_index_takes_an_offer_that_two_sources_list_once(price_tables):
    """a and b are one offer and double; c and d stay: the geometric mean of three ratios, not of four."""
    con = history(
        price_tables,
        *(offer(key, usd, day, source_id=key) for key in ("one", "two") for day, usd in ((1, 1.0), (2, 2.0))),
        *(offer(name, 4.0, day, provider=name) for name in "cd" for day in (1, 2)),
    )
    found = rows(con, f"{INDEX} WHERE gpu_id = 'any' ORDER BY date")
    assert found == [(1, 0, 3), (pytest.approx(2 ** (1 / 3)), 3, 3)]


def test_the_index_is_not_cut_where_a_fuller_list_begins(price_tables):
    """On the 2nd the provider's own list appears with all three machines of the other list."""
    con = history(
        price_tables,
        *(offer(f"list{n}", 2.0 * n, day, source_id="two", gpu_count=n) for n in (1, 2, 4) for day in (1, 2)),
        *(offer(f"own{n}", 2.0 * n, 2, region="east", gpu_count=n) for n in (1, 2, 4)),
    )
    assert rows(con, f"{INDEX} WHERE gpu_id = 'any' ORDER BY date") == [(1, 0, 3), (1, 3, 3)]


def test_a_launch_price_of_several_sources_is_one_way_to_buy(con):
    several = """SELECT buy_gpu_id FROM break_even WHERE purchase_kind = 'msrp' AND NOT guide_case
        GROUP BY ALL HAVING count(DISTINCT purchase_id) > 1"""
    assert rows(con, several) == []
    stated = "SELECT gpu_id FROM price WHERE kind = 'msrp' GROUP BY gpu_id HAVING count(DISTINCT source_id) > 1"
    assert len(rows(con, stated)) > 15
    per_day = "SELECT 1 FROM price_daily WHERE kind = 'msrp' AND gpu_id <> 'any' AND n_offers > 1"
    assert rows(con, per_day) == []
