"""Rental market and cheapest offers by hand: GPU models and variants, what counts, ties, providers, several terms and lots."""

import datetime as dt

import duckdb
import pytest

from pipeline.schema import RECORDS
from pipeline.tables import load
from tests.unit.prices.price_rows import GPU, MODEL, history, offer, rows

PCIE = "nvidia-h100-pcie-80gb"
NVL = "nvidia-h100-nvl-94gb"
OTHER = {"gpu_model_id": "nvidia-l40s", "gpu_id": "nvidia-l40s-48gb"}
OPEN = {"gpu_id": None, "unstated": "form factor", "candidates": f"{PCIE},{GPU}"}
SERVER, MAX_Q = "nvidia-rtx-pro-6000-blackwell-server-96gb", "nvidia-rtx-pro-6000-blackwell-maxq-96gb"
RATES = {
    GPU: (80, 3352.0, 989.0, 67.0),
    PCIE: (80, 2039.0, 756.0, 51.0),
    NVL: (94, 3938.0, 835.0, 60.0),
    OTHER["gpu_id"]: (48, 864.0, 362.0, 91.0),
    SERVER: (96, 1597.0, 467.8, 120.0),
    MAX_Q: (96, 1792.0, 438.9, 110.0),
}
MARKET = "n_offers, n_providers, usd_per_gpu_hour_low, usd_per_gpu_hour_median, low_provider"
LEFT_OUT = [
    {"stale": True},
    {"partition": "fraction"},
    {"partition": "mig"},
    {"os": "windows"},
    {"price_basis": "host_only"},
    {"qualifier": "from"},
    {"flags": "SPOT_NOT_BELOW_ON_DEMAND"},
    {"includes_host": False},
    {"gpu_model_id": None, "gpu_id": None},
    {"kind": "purchase_new", "usd_per_gpu_hour": None, "usd_per_gpu": 1.0, "billing": None},
]


def market(con: duckdb.DuckDBPyConnection, *prices):
    """Load the prices and compute the tables from offers to the market."""
    con.execute("SET python_enable_replacements = false")  # the function `offer` is no table
    for name in ("gpu_model", "guide_rule"):
        con.execute(load.ddl(RECORDS[name].__table__).replace(" NOT NULL", ""))
    for gpu_id, figures in RATES.items():
        con.execute(
            "INSERT INTO gpu (gpu_id, name, vendor, memory_gb, memory_bandwidth_gb_per_s, fp16_tensor_tflops, fp32_tflops)"
            " VALUES (?, ?, 'NVIDIA', ?, ?, ?, ?)",
            [gpu_id, gpu_id.upper(), *figures],
        )
    con.execute("INSERT INTO gpu_model (gpu_model_id, name) VALUES (?, 'H100'), (?, 'L40S')", [MODEL, OTHER["gpu_model_id"]])
    return history(con, *prices)


def today(key, usd, **terms):
    return offer(key, usd, 20, **terms)


def row(con, columns=MARKET, *, billing="on_demand", commitment="any", gpus="any", gpu_id=GPU):
    key = (gpu_id, billing, commitment, gpus, OTHER["gpu_model_id"] if gpu_id == OTHER["gpu_id"] else MODEL)
    return rows(con, f"SELECT {columns} FROM rental_market WHERE (gpu_id, billing, commitment, gpus, gpu_model_id) = {key}")[0]


def test_a_provider_counts_once_in_the_median(price_tables):
    market(
        price_tables,
        today("a1", 1.0, provider="A"),
        today("a2", 1.5, provider="A", region="west"),
        today("a3", 9.0, provider="A", gpu_count=8),
        today("b", 2.0, provider="B"),
        today("c", 4.0, provider="C"),
    )
    assert row(price_tables) == (4, 3, 1.0, 2.0, "A")


@pytest.mark.parametrize(("providers", "median"), [("A", None), ("AB", None), ("ABC", 4.0)])
def test_a_median_needs_three_providers(price_tables, providers, median):
    market(price_tables, *(today(name, 3.0 + n, provider=name) for n, name in enumerate(providers)))
    assert row(price_tables) == (len(providers), len(providers), 3.0, median, "A")


def test_the_row_of_a_model_joins_its_variants_and_the_offers_that_state_none(price_tables):
    market(
        price_tables,
        today("a", 2.0, provider="A"),
        today("b", 3.0, provider="B", gpu_id=PCIE),
        today("c", 1.5, provider="C", **OPEN),
        today("d", 0.5, provider="D", **OTHER),
    )
    assert row(price_tables, gpu_id="any") == (3, 3, 1.5, 2.0, "C")
    assert row(price_tables, "low_gpu_id", gpu_id="any") == (None,)
    assert row(price_tables) == (1, 1, 2.0, None, "A"), "the offer that states no variant may be of the slower PCIe"
    assert row(price_tables, gpu_id=PCIE) == (2, 2, 1.5, None, "C")
    assert row(price_tables, "n_offers_unstated, low_gpu_id", gpu_id=PCIE) == (1, None)
    assert rows(price_tables, "SELECT DISTINCT gpu_id FROM rental_market ORDER BY 1") == [
        ("any",), (PCIE,), (GPU,), (OTHER["gpu_id"],)
    ]  # fmt: skip
    ranks = "SELECT provider, rank, n_providers, usd_per_gpu_hour_elsewhere, provider_elsewhere FROM provider_rival"
    assert rows(price_tables, f"{ranks} WHERE gpu_id = 'any' AND gpu_model_id = '{MODEL}' ORDER BY provider") == [
        ("A", 2, 3, 1.5, "C"),
        ("B", 3, 3, 1.5, "C"),
        ("C", 1, 3, 2.0, "A"),
    ]


def test_an_offer_is_the_cheapest_of_the_regions_and_machines_of_a_provider(price_tables):
    market(
        price_tables,
        today("east", 2.0, region="east", instance_type="m.1"),
        today("west", 1.8, region="west", instance_type="m.1"),
        today("slow", 2.4, region="west", instance_type="m.2"),
        today("eight", 1.7, region="west", gpu_count=8),
    )
    sql = "SELECT gpus, usd_per_gpu_hour, usd_per_gpu_hour_high, n_listings, region FROM offer ORDER BY gpus"
    assert rows(price_tables, sql) == [(1, 1.8, 2.4, 3, "west"), (8, 1.7, 1.7, 1, "west")]


def test_without_an_offer_there_is_no_row(price_tables):
    market(price_tables)
    assert rows(price_tables, "FROM rental_market") == []
    assert rows(price_tables, "FROM rental_listing") == []


@pytest.mark.parametrize("terms", LEFT_OUT, ids=str)
def test_what_does_not_count(price_tables, terms):
    market(price_tables, today("a", 2.0, provider="A"), today("b", 1.0, **({"provider": "B"} | terms)))
    assert row(price_tables) == (1, 1, 2.0, None, "A")
    assert row(price_tables, gpu_id="any") == (1, 1, 2.0, None, "A")


def test_only_left_out_offers_make_no_market(price_tables):
    market(price_tables, *(today(f"b{n}", 1.0, **terms) for n, terms in enumerate(LEFT_OUT)))
    assert rows(price_tables, "FROM rental_market") == []


def test_a_jump_is_a_flag_alone(price_tables):
    market(price_tables, today("a", 2.0, provider="A"), today("b", 1.0, provider="B", flags="JUMP"))
    assert row(price_tables) == (2, 2, 1.0, None, "B")


def test_a_price_without_its_host_is_in_the_list_and_in_no_statistic(price_tables):
    market(price_tables, today("gpu", 0.5, includes_host=False), today("machine", 2.0, provider="B", includes_host=True))
    assert rows(price_tables, "SELECT provider, includes_host, state FROM offer_listing ORDER BY usd") == [
        ("acme", False, "not counted"),
        ("B", True, "current"),
    ]
    assert rows(price_tables, "SELECT n_offers, n_counted FROM rental_listing WHERE provider = 'acme'") == [(1, 0)]
    assert rows(price_tables, "SELECT DISTINCT usd_min FROM price_daily") == [(2.0,)]
    assert rows(price_tables, "SELECT provider FROM offer") == [("B",)]


@pytest.mark.parametrize(("own", "usd"), [("one", 6.88), ("two", 12.29), (None, 6.88)])
def test_the_own_list_of_a_provider_outranks_an_aggregator(price_tables, own, usd):
    """AWS H100 in August 2026: 6.88 in the list of AWS, 12.29 in an aggregator's. Without an own list both count."""
    price_tables.execute("UPDATE source SET own_list_of = 'aws' WHERE source_id = ?", [own])
    aws = {"provider": "aws", "flags": "CONFLICT"}
    market(price_tables, today("list", 6.88, gpu_count=8, **aws), today("other", 12.29, source_id="two", **aws))
    assert row(price_tables, "usd_per_gpu_hour_low, n_offers") == (usd, 1 if own else 2)
    assert rows(price_tables, "SELECT usd_min, n_offers FROM price_daily WHERE gpu_id = 'any'") == [(usd, 1 if own else 2)]
    assert rows(price_tables, "SELECT usd_per_gpu_hour_low FROM rental_listing ORDER BY 1") == [(6.88,), (12.29,)]
    assert rows(price_tables, "SELECT conflict, preferred, median_ratio FROM price_comparison") == [
        (True, own, pytest.approx(12.29 / 6.88))
    ]


@pytest.mark.parametrize(
    ("extent", "terms", "stale"),
    [
        ("whole", {}, True),
        ("compiled", {}, True),
        ("excerpt", {}, False),
        ("whole", {"region": "west"}, False),
        ("whole", {"billing": "spot"}, False),
        ("whole", {"provider": "Other"}, False),
        ("whole", {"source_id": "two"}, False),
    ],
)
def test_an_offer_that_a_newer_list_leaves_out_is_stale(price_tables, extent, terms, stale):
    price_tables.execute("UPDATE snapshot SET extent = ?", [extent])
    market(price_tables, offer("gone", 1.0, 19, region="east"), today("listed", 2.0, **{"region": "east"} | terms))
    assert rows(price_tables, "SELECT stale FROM price_latest WHERE offer_key = 'gone'") == [(stale,)]
    assert rows(price_tables, "SELECT count(*) FROM offer WHERE usd_per_gpu_hour = 1") == [(int(not stale),)]


def test_a_range_over_the_variants_that_an_offer_can_be(price_tables):
    """At 2 USD the SXM5 gives 989 TFLOPS, the PCIe 756; a stated variant has one figure."""
    market(price_tables, today("open", 2.0, **OPEN), today("nvl", 3.0, provider="B", gpu_id=NVL))
    rate = "usd_per_fp16_tensor_tflop_hour"
    assert rows(price_tables, f"SELECT {rate}_low, {rate}, {rate}_high FROM price_metric ORDER BY usd_per_gpu_hour") == [
        (pytest.approx(2 / 989), None, pytest.approx(2 / 756)),
        tuple(pytest.approx(3 / 835) for _ in range(3)),
    ]
    value = f"SELECT {rate}, {rate}_high FROM rental_value WHERE gpus = 'any' AND commitment = 'any' AND gpu_id"
    assert rows(price_tables, f"{value} = 'any'") == [(pytest.approx(2 / 989), pytest.approx(2 / 756))]
    assert rows(price_tables, f"{value} = '{NVL}'") == [(pytest.approx(3 / 835), pytest.approx(3 / 835))]
    assert rows(price_tables, f"{value} = '{PCIE}'") == [(pytest.approx(2 / 756), pytest.approx(2 / 756))], "by the open offer"
    memory = "SELECT usd_per_gb_hour, gb_per_usd_hour FROM rental_value WHERE gpus = 'any' AND commitment = 'any' AND gpu_id"
    assert rows(price_tables, f"{memory} = '{PCIE}'") == [(2 / 80, 40.0)]


def test_an_offer_without_a_variant_counts_as_the_weakest_that_it_can_be(price_tables):
    """The PCIe (80 GB) has less memory than the NVL (94 GB) and is slower than the SXM5 (80 GB)."""
    market(price_tables, today("open", 2.0, gpu_id=None, candidates=f"{NVL},{GPU},{PCIE}"), today("sxm", 3.0, provider="B"))
    assert rows(price_tables, "SELECT gpu_id, least_gpu_id FROM offer_current ORDER BY usd") == [(None, PCIE), (GPU, GPU)]
    assert rows(price_tables, "SELECT gpu_id, usd FROM offer_default ORDER BY usd") == [(PCIE, 2.0), (GPU, 3.0)]


def test_of_variants_with_equal_memory_the_weakest_has_the_lowest_bandwidth(price_tables):
    """The Server Edition has less bandwidth than the Max-Q, whose tensor rate is lower."""
    market(price_tables, today("open", 2.0, gpu_id=None, candidates=f"{MAX_Q},{SERVER}"))
    assert rows(price_tables, "SELECT least_gpu_id FROM offer_current") == [(SERVER,)]


def test_a_cheaper_offer_without_a_variant_is_no_price_of_the_better_one(price_tables):
    """A's cheaper offer of an H100 may be the PCIe, though A also sells the SXM5 by name."""
    market(price_tables, today("a", 1.0, provider="A", **OPEN), today("b", 3.0, provider="A", min_gpus=8))
    assert row(price_tables) == (1, 1, 3.0, None, "A")
    assert row(price_tables, gpu_id=PCIE) == (1, 1, 1.0, None, "A")
    assert row(price_tables, gpu_id="any")[:3] == (2, 1, 1.0)


@pytest.mark.parametrize(("providers", "rent"), [("A", (1.0, "low")), ("AB", (3.0, "median"))])
def test_the_rent_of_a_variant_is_the_median_from_three_providers(price_tables, providers, rent):
    market(
        price_tables,
        today("open", 1.0, provider="Open", **OPEN),
        *(today(name, 3.0 + n, provider=name, gpu_id=PCIE) for n, name in enumerate(providers)),
    )
    sql = "SELECT rental_usd_per_gpu_hour, rental_basis, rental_usd_per_gpu_hour_min FROM gpu_price"
    assert rows(price_tables, f"{sql} WHERE gpu_id = '{PCIE}'") == [(*rent, 1.0)]


def test_an_unknown_system_counts(price_tables):
    market(price_tables, today("a", 2.0, os=None))
    assert row(price_tables)[0] == 1


@pytest.mark.parametrize(
    ("first", "second", "cheapest"),
    [
        ({"provider": "A", "min_gpus": 1}, {"provider": "B", "min_gpus": 1}, "A"),
        ({"provider": "A", "min_gpus": None}, {"provider": "B", "min_gpus": 8}, "B"),
        ({"provider": "A", "min_gpus": 8}, {"provider": "B", "min_gpus": 1}, "B"),
    ],
)
def test_ties_go_by_lot_then_provider(price_tables, first, second, cheapest):
    prices = [today(terms["provider"], 2.0, provider=terms["provider"], gpu_count=terms["min_gpus"]) for terms in (second, first)]
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
        today("other", 0.5, provider="A", **OTHER),
    )
    assert row(price_tables) == (2, 2, 2.5, None, "D")
    assert row(price_tables, gpus="single") == (1, 1, 3.0, None, "A")
    assert row(price_tables, billing="spot")[2] == 1.0
    assert row(price_tables, billing="reserved") == (3, 3, 1.5, 1.8, "B")
    assert row(price_tables, billing="reserved", commitment="12 months") == (1, 1, 2.0, None, "A")
    assert row(price_tables, billing="reserved", commitment="not stated") == (1, 1, 1.8, None, "C")
    assert row(price_tables, gpu_id=OTHER["gpu_id"])[2] == 0.5


def test_regions_of_two_sources_share_a_row(price_tables):
    dear = today("dear", 8.256, region="gov", flags="JUMP,CPU_STARVED")
    market(price_tables, dear, today("cheap", 6.88, region="us", source_id="two", flags="CPU_STARVED"))
    found = "SELECT usd_per_gpu_hour_low, usd_per_gpu_hour_high, source_id, also_in, n_offers, flags FROM rental_listing"
    assert rows(price_tables, found) == [(6.88, 8.256, "two", "one", 2, "CPU_STARVED,JUMP")]


def test_a_gpu_without_its_host_has_a_row_of_its_own(price_tables):
    market(
        price_tables, today("gpu", 0.56, region="us", includes_host=False), today("machine", 1.0, region="eu", includes_host=True)
    )
    found = "SELECT usd_per_gpu_hour_low, usd_per_gpu_hour_high, n_counted FROM rental_listing ORDER BY 1"
    assert rows(price_tables, found) == [(0.56, 0.56, 0), (1.0, 1.0, 1)]


def test_prices_in_conflict_have_rows_of_their_own(price_tables):
    aws = {"provider": "aws", "gpu_count": 8, "flags": "CONFLICT"}
    market(price_tables, today("list", 6.88, **aws), today("other", 12.29, source_id="two", **aws))
    found = "SELECT usd_per_gpu_hour_low, usd_per_gpu_hour_high, source_id, flags FROM rental_listing ORDER BY 1"
    assert rows(price_tables, found) == [(6.88, 6.88, "one", "CONFLICT"), (12.29, 12.29, "two", "CONFLICT")]


@pytest.mark.parametrize(("usd", "also_in"), [(2.0, "two"), (2.2, None)])
def test_an_offer_of_two_sources_counts_once(price_tables, usd, also_in):
    """The other source is named if it has the same price."""
    both = {"provider": "A", "region": "eu", "instance_type": "h100"}
    market(price_tables, today("one", 2.0, **both), today("two", usd, source_id="two", **both))
    assert row(price_tables) == (1, 1, 2.0, None, "A")
    assert rows(price_tables, "SELECT state, counted, repeated, also_in FROM offer_listing ORDER BY offer_key") == [
        ("current", True, False, also_in),
        ("not counted", False, True, None),
    ]
    assert rows(price_tables, "SELECT n_offers, n_counted, also_in FROM rental_listing") == [(1, 1, also_in)]


@pytest.mark.parametrize("terms", [{}, {"includes_host": False}])
def test_a_listing_has_the_last_day_on_which_a_source_showed_its_price(price_tables, terms):
    """Counted or not: a GPU without its host is dated likewise."""
    both = {"provider": "A", "region": "eu", "instance_type": "h100"} | terms
    market(price_tables, offer("one", 2.0, 18, **both), today("two", 2.0, source_id="two", **both))
    found = rows(price_tables, "SELECT price_date, also_in FROM offer_listing WHERE NOT repeated")
    assert found == [(dt.date(2026, 8, 20), "two")]


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


def test_a_jump_is_remarked_for_90_days(price_tables):
    old = today("old", 2.0, provider="A", flags="JUMP", effective_from=dt.date(2026, 5, 21), effective_to=dt.date(2026, 8, 20))
    new = today("new", 2.0, provider="B", flags="JUMP", effective_from=dt.date(2026, 5, 22), effective_to=dt.date(2026, 8, 20))
    market(price_tables, old, new)
    assert rows(price_tables, "SELECT provider, flags FROM offer_listing ORDER BY ALL") == [("A", None), ("B", "JUMP")]


def test_the_shortest_commitment_of_a_billing_comes_first(price_tables):
    reserved = {"billing": "reserved", "commitment_months": 12}
    con = market(
        price_tables,
        today("a", 3.0),
        today("b", 2.0, **reserved),
        today("c", 1.0, **(reserved | {"commitment_months": 36})),
        today("d", 1.5, **(reserved | {"commitment_months": None})),
    )
    found = "SELECT billing, commitment, usd_per_gpu_hour_low, low_commitment_months FROM rental_market WHERE shortest_commitment"
    assert rows(con, f"{found} AND gpu_id = '{GPU}' AND gpus = 'any' ORDER BY 1") == [
        ("on_demand", "none", 3.0, None),
        ("reserved", "12 months", 2.0, 12),
    ]
    order = "SELECT usd FROM offer_current WHERE billing = 'reserved' ORDER BY preference, price_rank"
    assert rows(con, order) == [(2.0,), (1.0,), (1.5,)]
    assert rows(con, "SELECT preference FROM offer_current WHERE billing = 'on_demand'") == [(1,)]
